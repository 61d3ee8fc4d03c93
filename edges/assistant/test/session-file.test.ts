/** A session file in the order of assistant's server. */
import { expect, test } from "vitest";
import { bring, fileOf, newDirectory, readBack, writeLines } from "../../../test/import/import-file.ts";
import { at, ms, read } from "../../../test/import/written-times.ts";

const event = (second: number, type: string, payload: object, turnId?: string) => ({
  id: `${type}-${second}`,
  timestamp: ms(second),
  sessionId: "s1",
  ...(turnId === undefined ? {} : { turnId }),
  type,
  payload,
});

test("a log in server order is imported in conversation order, with the agent's name", async () => {
  const data = newDirectory();
  writeLines(fileOf(data, "sessions.jsonl"), [
    { type: "session_created", sessionId: "s1", timestamp: at(0), agentId: "My Helper" },
    { type: "session_updated", sessionId: "s1", timestamp: at(1), name: "A name" },
  ]);
  const path = writeLines(fileOf(data, "sessions", "s1", "events.jsonl"), [
    event(1, "turn_start", { trigger: "user" }, "t1"),
    event(1, "user_message", { text: "Look" }, "t1"),
    event(2, "thinking_chunk", { text: "Hm" }, "t1"),
    event(2, "assistant_chunk", { text: "I " }, "t1"),
    event(2, "assistant_chunk", { text: "look." }, "t1"),
    event(3, "tool_call", { toolCallId: "c1", toolName: "bash", args: { command: "ls" } }, "t1"),
    event(4, "tool_output_chunk", { toolCallId: "c1", toolName: "bash", chunk: "a", offset: 1 }, "t1"),
    event(4, "tool_result", { toolCallId: "c1", result: { out: "a" } }, "t1"),
    event(5, "assistant_chunk", { text: " There." }, "t1"),
    event(
      5,
      "agent_message",
      { messageId: "x1", targetAgentId: "other", targetSessionId: "s2", message: "Agree?", wait: true },
      "t1",
    ),
    event(6, "agent_callback", { messageId: "x1", fromAgentId: "other", fromSessionId: "s2", result: "Yes." }, "t1"),
    event(7, "thinking_done", { text: "Hm" }, "t1"),
    event(7, "assistant_done", { text: "I look. There." }, "t1"),
    event(7, "turn_end", {}, "t1"),
    event(8, "turn_start", { trigger: "user" }, "t2"),
    event(8, "user_message", { text: "More" }, "t2"),
    event(9, "assistant_chunk", { text: "Wel" }, "t2"),
    event(10, "tool_call", { toolCallId: "c2", toolName: "bash", args: {} }, "t2"),
    event(11, "tool_result", { toolCallId: "c2", error: { code: "tool_interrupted", message: "stopped" } }, "t2"),
    event(12, "assistant_done", { text: "Wel" }, "t2"),
    event(12, "interrupt", { reason: "user_cancel" }, "t2"),
    event(13, "user_message", { text: "Hello", fromAgentId: "other" }, "t3"),
    event(14, "assistant_chunk", { text: "Half an ans" }, "t3"),
  ]);
  expect(await read(path)).toEqual([
    "01 user: Look",
    "02 my-helper (?) completed",
    "    thinks: Hm",
    "    says: I look.",
    '    bash (execute) ls → success: {"out":"a"}',
    "    says:  There.",
    "    asks other: Agree? → Yes.",
    "08 user: More",
    "09 my-helper (?) interrupted user",
    "    says: Wel",
    "    bash (execute)  → interrupted: tool_interrupted stopped",
    "13 user: Hello",
    "14 my-helper (?) interrupted unfinished",
    "    says, interrupted: Half an ans",
  ]);
});

test("a deeply nested result does not fail the import", async () => {
  const nested = JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) as unknown;
  const event = (id: string, type: string, payload: object) => ({
    id,
    timestamp: 1_770_000_000_000,
    sessionId: "deep",
    turnId: "t",
    type,
    payload,
  });
  const dataDir = newDirectory();
  const lines = [
    event("1", "user_message", { text: "Hi" }),
    event("2", "tool_call", { toolCallId: "c", toolName: "x", args: { nested } }),
    event("3", "tool_result", { toolCallId: "c", result: { nested } }),
    event("4", "turn_end", {}),
  ].map((one) => stringify(one));
  const file = writeLines(fileOf(newDirectory(), "sessions", "deep", "events.jsonl"), lines);
  const { sessionId } = await bring(file, { dataDir, format: "assistant" });
  expect((await readBack(dataDir, sessionId))[1]).toContain("assistant (?) completed");
});

/** As JSON, without recursion. */
function stringify(value: unknown): string {
  if (Array.isArray(value) && value.length < 2) {
    let depth = 0;
    for (let inner: unknown = value; Array.isArray(inner); inner = inner[0]) depth += 1;
    return "[".repeat(depth) + "]".repeat(depth);
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${stringify(one)}`)
    .join(",")}}`;
}
