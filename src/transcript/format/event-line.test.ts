import { expect, test } from "vitest";
import { created } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { eventLine } from "./event-line.ts";

const lineOf = (draft: EventDraft) => stamped([draft]).map((event) => eventLine(event))[0];

test("the line of a session that came from elsewhere names its source", () => {
  expect(lineOf(created({ imported: { source: "claude", from: "/x/s.jsonl" } }))).toBe(
    "imported from claude: /x/s.jsonl",
  );
  expect(lineOf(created({ forkedFrom: { sessionId: "01J", seq: 9 } }))).toBe("forked from session 01J at event 9");
  expect(lineOf(created())).toBe("session created");
});
