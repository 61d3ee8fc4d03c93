/** Sessions as sprout's own program writes them, with the logs of delegated agents. */
import { expect, test } from "vitest";
import { readTranscript } from "../../../src/host/index.ts";
import { loadedMessages, type Transcript } from "../../../src/transcript/index.ts";
import { bring, fileOf, newDirectory, transcriptLines, writeLines } from "../../../test/import/import-file.ts";

const ID = "01JD0000000000000000000000";
const START_MS = 1_760_000_000_000;

interface Line {
  readonly kind: string;
  readonly timestamp: number;
  readonly agent_id: string;
  readonly depth: number;
  readonly data: object;
}

/** Lines of one agent, a second apart. */
function linesOf(agent_id: string, depth: number, from: number, lines: readonly (readonly [string, object])[]): Line[] {
  return lines.map(([kind, data], at) => ({ kind, timestamp: START_MS + (from + at) * 1000, agent_id, depth, data }));
}

function answer(text: string, ...calls: readonly (readonly [string, string, object])[]): [string, object] {
  const parts = calls.map(([id, name, args]) => ({ kind: "tool_call", tool_call: { id, name, arguments: args } }));
  const said = text === "" ? [] : [{ kind: "text", text }];
  return ["plan_end", { turn: 1, text, assistant_message: { role: "assistant", content: [...said, ...parts] } }];
}

function result(tool_call_id: string, content: string): object {
  const tool_result = { tool_call_id, content, is_error: false };
  return { role: "tool", tool_call_id, content: [{ kind: "tool_result", tool_result }] };
}

function child(id: string, depth: number, from: number, goal: string, text: string): Line[] {
  return linesOf(id, depth, from, [
    ["session_start", { goal, session_id: ID, model: "m" }],
    ["perceive", { goal }],
    ["llm_start", { model: "m", provider: "p", turn: 1, message_count: 1 }],
    answer(text),
    ["session_end", { session_id: ID, success: true, turns: 1, timed_out: false, output: text }],
  ]);
}

async function read(file: string): Promise<Transcript> {
  const dataDir = newDirectory();
  const { sessionId } = await bring(file, { dataDir, format: "sprout" });
  return await readTranscript(dataDir, sessionId);
}

/** Without times. */
function readBack(transcript: Transcript): string[] {
  return transcriptLines(transcript).map((line) => line.replace(/^\d{4}-\S+Z /, ""));
}

test("the log of a child is found by the id in its lines or by its handle, whatever its file is called", async () => {
  const logs = newDirectory();
  const root = linesOf("root", 0, 0, [
    ["perceive", { goal: "Look" }],
    answer("", ["c1", "delegate", { goal: "one" }], ["c2", "delegate", { goal: "two" }]),
    ["act_start", { agent_name: "reader", goal: "one", child_id: "CHILD1" }],
    ["act_start", { agent_name: "reader", goal: "two", handle_id: "HANDLE2", child_id: "CHILD2" }],
    ["act_end", { agent_name: "reader", success: true, child_id: "CHILD1", tool_result_message: result("c1", "1") }],
    ["act_end", { agent_name: "reader", success: true, child_id: "CHILD2", tool_result_message: result("c2", "2") }],
    answer("Done."),
  ]);
  const first = child("CHILD1", 1, 2, "one", "First.");
  first.splice(2, 0, {
    ...(first[2] as Line),
    kind: "act_start",
    data: { agent_name: "writer", goal: "deeper", child_id: "GRANDCHILD" },
  });
  writeLines(fileOf(logs, ID, "subagents", "01JD00000000000000000000AA.jsonl"), first);
  const deep = child("GRANDCHILD", 2, 2, "deeper\n\nHints:\n- a hint", "Deep.");
  writeLines(
    fileOf(logs, ID, "subagents", "01JD00000000000000000000AA", "subagents", "01JD00000000000000000000BB.jsonl"),
    deep,
  );
  writeLines(fileOf(logs, ID, "HANDLE2.jsonl"), child("reader", 1, 3, "two", "Second."));
  writeLines(fileOf(logs, ID, "HANDLE2", "session.log.jsonl"), [{ level: "info", message: "not told" }]);
  expect(readBack(await read(writeLines(fileOf(logs, `${ID}.jsonl`), root)))).toEqual([
    "user: Look",
    "sprout (?) completed",
    "    delegate (other) one → success: 1",
    "    delegate (other) two → success: 2",
    "    sends reader: one → completed: First.",
    "    sends reader: two → completed: Second.",
    "    says: Done.",
    "  sprout (m) completed",
    "      sends writer: deeper → completed: Deep.",
    "      says: First.",
    "    sprout (m) completed",
    "        says: Deep.",
    "  sprout (m) completed",
    "      says: Second.",
  ]);
});

test("without child ids each delegation is matched to the child with its goal", async () => {
  const logs = newDirectory();
  const root = linesOf("root", 0, 0, [
    ["perceive", { goal: "Look" }],
    answer("", ["c1", "reader", { goal: "one" }], ["c2", "reader", { goal: "two" }]),
    ["act_start", { agent_name: "reader", goal: "two" }],
    ["act_end", { agent_name: "reader", success: true, tool_result_message: result("c2", "2") }],
    ["act_start", { agent_name: "reader", goal: "one" }],
    ["act_end", { agent_name: "reader", success: true, tool_result_message: result("c1", "1") }],
    answer("Done."),
  ]);
  writeLines(fileOf(logs, ID, "subagents", "01JD00000000000000000000AA.jsonl"), child("reader", 1, 2, "one", "First."));
  writeLines(
    fileOf(logs, ID, "subagents", "01JD00000000000000000000BB.jsonl"),
    child("reader", 1, 3, "two", "Second."),
  );
  expect(readBack(await read(writeLines(fileOf(logs, `${ID}.jsonl`), root)))).toEqual([
    "user: Look",
    "sprout (?) completed",
    "    reader (other) one → success: 1",
    "    reader (other) two → success: 2",
    "    sends reader: two → completed: Second.",
    "    sends reader: one → completed: First.",
    "    says: Done.",
    "  sprout (m) completed",
    "      says: Second.",
    "  sprout (m) completed",
    "      says: First.",
  ]);
});

test("a child that is awaited and messaged later belongs to the call that started it", async () => {
  const logs = newDirectory();
  const waited = { agent_name: "wait_agent", success: true, child_id: "CHILD1", target_agent_name: "reader" };
  const root = linesOf("root", 0, 0, [
    ["perceive", { goal: "Look" }],
    answer("", ["c1", "delegate", { goal: "one", blocking: false }]),
    ["act_start", { agent_name: "reader", goal: "one", handle_id: "HANDLE1", child_id: "CHILD1" }],
    [
      "act_end",
      {
        agent_name: "reader",
        success: true,
        handle_id: "HANDLE1",
        child_id: "CHILD1",
        tool_result_message: result("c1", "started"),
      },
    ],
    answer("", ["c2", "wait_agent", { handle: "HANDLE1" }]),
    ["act_end", { ...waited, tool_result_message: result("c2", "First.") }],
    answer("Done."),
  ]);
  writeLines(fileOf(logs, ID, "HANDLE1.jsonl"), child("CHILD1", 1, 3, "one", "First."));
  const transcript = await read(writeLines(fileOf(logs, `${ID}.jsonl`), root));
  expect(readBack(transcript)).toEqual([
    "user: Look",
    "sprout (?) completed",
    "    delegate (other) one → success: started",
    "    sends reader: one → completed: First.",
    "    wait_agent (agent)  → success: First.",
    "    says: Done.",
    "  sprout (m) completed",
    "      says: First.",
  ]);
  const turns = [...loadedMessages(transcript)].filter((message) => message.kind === "turn");
  const call = turns[0]?.blocks.find((block) => block.kind === "tool" && block.name === "delegate");
  expect(turns[1]?.toolCallId).toBe(call?.kind === "tool" ? call.toolCallId : "none");
});

test("a child without a log ends as its parent reports, with the parent's result", async () => {
  const refused = { agent_name: "nobody", success: false, error: "not allowed", child_id: "CHILD1" };
  const lost = { agent_name: "reader", success: true, child_id: "CHILD2" };
  const root = linesOf("root", 0, 0, [
    ["perceive", { goal: "Look" }],
    answer("", ["c1", "delegate", { goal: "one" }], ["c2", "delegate", { goal: "two" }]),
    ["act_start", { agent_name: "nobody", goal: "one", child_id: "CHILD1" }],
    ["act_end", { ...refused, tool_result_message: result("c1", "not allowed") }],
    ["act_start", { agent_name: "reader", goal: "two", child_id: "CHILD2" }],
    ["act_end", { ...lost, tool_result_message: result("c2", "Second.") }],
    answer("Done."),
  ]);
  expect(readBack(await read(writeLines(fileOf(newDirectory(), "logs", `${ID}.jsonl`), root)))).toEqual([
    "user: Look",
    "sprout (?) completed",
    "    delegate (other) one → error: tool_error not allowed",
    "    delegate (other) two → success: Second.",
    "    sends nobody: one → errored: not allowed",
    "    sends reader: two → completed: Second.",
    "    says: Done.",
    "  sprout (?) errored not allowed",
    "  sprout (?) completed",
  ]);
});

test("a refused call ends with its error, and the turn with its own outcome", async () => {
  const root = linesOf("root", 0, 0, [
    ["perceive", { goal: "Look" }],
    answer("", ["c1", "delegate", {}]),
    ["error", { error: "delegate needs a goal" }],
    answer("Then not."),
    ["session_end", { session_id: ID, success: true, turns: 2, timed_out: false }],
  ]);
  expect(readBack(await read(writeLines(fileOf(newDirectory(), "logs", `${ID}.jsonl`), root)))).toEqual([
    "user: Look",
    "sprout (?) completed",
    "    delegate (other)  → error: tool_error delegate needs a goal",
    "    says: Then not.",
  ]);
});

test("a compaction has message counts there and no tokens here", async () => {
  const summary = { summary: "So far.", beforeCount: 12, afterCount: 7 };
  const root = linesOf("root", 0, 0, [["perceive", { goal: "Look" }], ["compaction", summary], answer("Done.")]);
  const transcript = await read(writeLines(fileOf(newDirectory(), "logs", `${ID}.jsonl`), root));
  const notices = [...loadedMessages(transcript)].filter((message) => message.kind === "notice");
  const compacted = notices.find(({ event }) => event.type === "compaction")?.event;
  expect(compacted).toMatchObject({ summary: "So far.", before: 0, after: 0 });
});
