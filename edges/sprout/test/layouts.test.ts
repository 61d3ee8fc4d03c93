/** Layouts and endings of sprout's session files, as its versions write them. */
import { expect, test } from "vitest";
import { fileOf, newDirectory, writeLines } from "../../../test/import/import-file.ts";
import { at, ms, read } from "../../../test/import/written-times.ts";

const ID = "01JD0000000000000000000000";
const line = (second: number, kind: string, data: object, depth = 0, agent_id = "root") => ({
  kind,
  timestamp: ms(second),
  agent_id,
  depth,
  data,
});
const answer = (text: string, ...calls: object[]) => ({
  role: "assistant",
  content: [
    { kind: "thinking", thinking: { text: "Hm." } },
    { kind: "text", text },
    ...calls.map((tool_call) => ({ kind: "tool_call", tool_call })),
  ],
});
const result = (tool_call_id: string, content: string) => ({
  role: "tool",
  tool_call_id,
  content: [{ kind: "tool_result", tool_result: { tool_call_id, content, is_error: false } }],
});
const usage = { input_tokens: 5, output_tokens: 6 };
const root = [
  line(0, "session_start", { goal: "Fix it", session_id: ID, model: "best" }),
  line(1, "perceive", { goal: "Fix it" }),
  line(2, "plan_end", {
    turn: 1,
    usage,
    assistant_message: answer("I send one.", { id: "c1", name: "delegate", arguments: '{"goal":"look"}' }),
  }),
  line(3, "act_start", { agent_name: "reader", goal: "look", child_id: "CHILD" }),
  line(6, "act_end", {
    agent_name: "reader",
    success: true,
    child_id: "CHILD",
    tool_result_message: result("c1", "seen"),
  }),
  line(7, "steering", { text: "Be quick" }),
  line(8, "compaction", { summary: "So far.", beforeCount: 12, afterCount: 7 }),
  line(9, "plan_end", { turn: 2, usage, assistant_message: answer("Done.") }),
  line(9, "session_end", { session_id: ID, success: true, turns: 2, timed_out: false }),
  line(10, "perceive", { goal: "And this" }),
  line(11, "primitive_start", { name: "read_file", args: { path: "a.ts" } }),
  line(12, "primitive_end", { name: "read_file", success: false, error: "gone" }),
  line(13, "interrupted", { message: "stopped", turns: 1 }),
];
const child = [
  line(4, "perceive", { goal: "look" }, 1, "CHILD"),
  line(5, "plan_end", { turn: 1, usage, assistant_message: answer("Seen.") }, 1, "CHILD"),
  line(5, "session_end", { success: true, turns: 1 }, 1, "CHILD"),
];
const wanted = [
  "01 user: Fix it",
  "02 sprout (gpt) completed [10 in, 12 out]",
  "    thinks: Hm.",
  "    says: I send one.",
  "    delegate (other) look → success: seen",
  "    sends reader: look → completed: Seen.",
  "    is told more",
  "    compaction: So far.",
  "    thinks: Hm.",
  "    says: Done.",
  "03   sprout (?) completed [5 in, 6 out]",
  "      thinks: Hm.",
  "      says: Seen.",
  "07 user: Be quick",
  "10 user: And this",
  "11 sprout (gpt) interrupted user",
  "    read_file (read) a.ts → error: tool_error gone",
];
const meta = { sessionId: ID, model: "gpt", status: "running", createdAt: at(0) };

test("both layouts of its files give goals, runs, delegated agents, steering and compaction", async () => {
  for (const place of [["projects", "-x"], []]) {
    const genome = newDirectory();
    writeLines(fileOf(genome, ...place, "sessions", `${ID}.meta.json`), [meta]);
    writeLines(fileOf(genome, ...place, "logs", ID, "subagents", "CHILD.jsonl"), child);
    const path = writeLines(fileOf(genome, ...place, "logs", `${ID}.jsonl`), root);
    expect(await read(path)).toEqual(wanted);
  }
  const whole = fileOf(newDirectory(), `${ID}.jsonl`);
  writeLines(fileOf(whole, "..", `${ID}.meta.json`), [meta]);
  const order = [...root, ...child].sort((one, other) => one.timestamp - other.timestamp);
  expect(await read(writeLines(whole, order)), "all in one file").toEqual(wanted);
});

test("a run's model is the one it names, and a warning outside a run is a notice", async () => {
  const path = writeLines(fileOf(newDirectory(), "logs", `${ID}.jsonl`), [
    line(0, "warning", { message: "Low on memory" }),
    line(1, "perceive", { goal: "Fix it" }),
    line(2, "plan_start", { turn: 1 }),
    line(2, "llm_start", { model: "opus", provider: "x", turn: 1, message_count: 1 }),
    line(3, "plan_end", { turn: 1, finish_reason: "error" }),
  ]);
  expect(await read(path)).toEqual([
    "00 warning: Low on memory",
    "01 user: Fix it",
    "02 sprout (opus) errored The model gave no answer.",
  ]);
});

test("a call that a crash left without its result is closed as interrupted", async () => {
  const path = writeLines(fileOf(newDirectory(), "logs", `${ID}.jsonl`), root.slice(0, 3));
  expect(await read(path)).toEqual([
    "01 user: Fix it",
    "02 sprout (best) interrupted unfinished [5 in, 6 out]",
    "    thinks: Hm.",
    "    says: I send one.",
    "    delegate (other) look → interrupted: tool_interrupted The conversation ends before the tool's result.",
  ]);
});
