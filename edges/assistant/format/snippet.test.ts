import { expect, test } from "vitest";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold } from "../../../src/transcript/index.ts";
import { snippetOf } from "./snippet.ts";

const turn = { turnId: "t1", member: "ada" };
const user = (text: string): EventDraft => ({
  type: "user_message",
  messageId: "m1",
  text,
  to: ["ada"],
  toAll: true,
  attachments: [],
});

test("the snippet of a session is the last message or finished turn, at most 120 characters", () => {
  const snippet = (...drafts: EventDraft[]) =>
    snippetOf(fold(empty("session"), stamped([created(), joined("ada"), ...drafts])));
  const begun: EventDraft[] = [
    user("Hello"),
    { type: "turn_start", ...turn, cause: "user", messageIds: ["m1"], depth: 0 },
    { type: "text_delta", ...turn, segmentId: "s", text: " Yes. " },
  ];
  expect(snippet()).toBeUndefined();
  expect(snippet(...begun)).toBe("Hello");
  expect(snippet(...begun, { type: "turn_end", ...turn, outcome: "completed", durationMs: 1 })).toBe("Yes.");
  expect(snippet(user("x".repeat(121)))).toBe(`${"x".repeat(117)}…`);
  expect(snippet(...begun, { type: "session_clear" })).toBeUndefined();
});
