import { expect, test } from "vitest";
import { readSession } from "./pi-session.ts";

test("a compaction of Pi in mid-turn names the first kept entry", () => {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const call = { type: "toolCall", id: "c1", name: "bash", arguments: {} };
  const entries = [
    { type: "session", version: 3, id: "p1", timestamp, cwd: "/p" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: "Go" } },
    { type: "message", id: "b", parentId: "a", message: { role: "assistant", content: [call], stopReason: "toolUse" } },
    { type: "message", id: "c", parentId: "b", message: { role: "toolResult", toolCallId: "c1", content: [] } },
    { type: "compaction", id: "d", parentId: "c", summary: "So far.", firstKeptEntryId: "a", tokensBefore: 9 },
  ];
  const lines = entries.map((value, at) => ({ number: at + 1, value: { timestamp, ...value } }));
  const session = readSession({ name: "p1.jsonl", lines, damaged: [] }, { member: "pi" });
  const drafts = session?.units.flatMap((unit) => unit.drafts) ?? [];
  expect(drafts.find(({ draft }) => draft.type === "compaction")?.retainedFrom).toBe("m:a");
});
