import { expect, test } from "vitest";
import type { ContextEntry, SessionEvent } from "../../protocol/index.ts";
import { HistoryBuilder } from "./read-history.ts";

test("server data returned with a reply counts towards the size of the conversation", () => {
  const builder = new HistoryBuilder("ada", 10_000);
  const apply = (turnId: string, event: object, entry?: ContextEntry) =>
    builder.apply({ seq: 1, member: "ada", turnId, ...event } as unknown as SessionEvent, entry);
  const kept = [{ reasoning_content: "x".repeat(6_000) }];
  for (const turnId of ["t1", "t2", "t3"]) {
    apply(turnId, { type: "turn_start", depth: 0, messageIds: [] });
    apply(turnId, { type: "context_entry" }, { kind: "asked", text: "go" });
    apply(turnId, { type: "context_entry" }, { kind: "replied", text: "so", kept });
    apply(turnId, { type: "turn_end", outcome: "completed" });
  }
  expect(builder.turns().map(({ turnId }) => turnId)).toEqual(["t3"]);
});
