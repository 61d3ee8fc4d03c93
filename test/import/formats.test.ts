/** Forms of foreign files that could not be recorded here: older versions, branches, and programs that cannot be run. */
import { writeFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readTranscript } from "../../src/host/index.ts";
import { bring, fileOf, newDirectory, readBack, writeLines } from "./import-file.ts";

const T = "2026-02-01T10:00:";
const at = (second: number): string => `${T}${String(second).padStart(2, "0")}.000Z`;
const ms = (second: number): number => Date.parse(at(second));

async function read(file: string, format?: string): Promise<string[]> {
  const dataDir = newDirectory();
  const { sessionId } = await bring(file, { dataDir, ...(format === undefined ? {} : { format }) });
  return (await readBack(dataDir, sessionId)).map((line) => line.replace(T, "").replace(".000Z", ""));
}

describe("Claude Code", () => {
  const SESSION = "0b1cd0e5-1d40-4cf6-8468-9b16ce2ba533";
  const line = (uuid: string, parentUuid: string | null, second: number, rest: object) => ({
    uuid,
    parentUuid,
    sessionId: SESSION,
    timestamp: at(second),
    isSidechain: false,
    ...rest,
  });
  const user = (content: unknown) => ({ type: "user", message: { role: "user", content } });
  const says = (content: unknown, id = "m") => ({
    type: "assistant",
    message: { id, role: "assistant", model: "opus", content },
  });
  const file = () => fileOf(newDirectory(), `${SESSION}.jsonl`);

  test("a side chain in the session's own file is the subagent of the call with its prompt", async () => {
    const lines = [
      { type: "summary", summary: "Looking around", leafUuid: "f" },
      line("a", null, 1, user("Look")),
      line(
        "b",
        "a",
        2,
        says([{ type: "tool_use", id: "call", name: "Task", input: { prompt: "find it", description: "find" } }]),
      ),
      line("s1", null, 3, { ...user("find it"), isSidechain: true }),
      line("s2", "s1", 4, { ...says([{ type: "text", text: "Found." }], "m2"), isSidechain: true }),
      line("c", "b", 5, user([{ type: "tool_result", tool_use_id: "call", content: "Found." }])),
      line("f", "c", 6, says([{ type: "text", text: "Here." }], "m3")),
    ];
    const path = writeLines(file(), lines);
    expect(await read(path)).toEqual([
      "01 user: Look claude:answered",
      "02 claude (opus) completed",
      "    Task (agent) find → success: Found.",
      "    sends find: find it → completed: Found.",
      "    says: Here.",
      "03   claude (opus) completed",
      "      says: Found.",
    ]);
    const dataDir = newDirectory();
    const { sessionId } = await bring(path, { dataDir });
    expect((await readTranscript(dataDir, sessionId)).head.title).toBe("Looking around");
  });

  test("a parent that is missing, or that comes again, is taken to be the line before, and that is said", async () => {
    const lost = writeLines(file(), [
      line("a", null, 1, user("One")),
      line("b", "a", 2, says([{ type: "text", text: "First." }])),
      line("c", "gone", 3, user("Two")),
      line("d", "c", 4, says([{ type: "text", text: "Second." }], "m2")),
    ]);
    const circle = writeLines(file(), [
      line("a", "d", 1, user("One")),
      line("b", "a", 2, says([{ type: "text", text: "First." }])),
      line("c", "b", 3, user("Two")),
      line("d", "c", 4, says([{ type: "text", text: "Second." }], "m2")),
    ]);
    const wanted = [
      "01 user: One claude:answered",
      "02 claude (opus) completed",
      "    says: First.",
      "03 user: Two claude:answered",
      "04 claude (opus) completed",
      "    says: Second.",
      `04 warning: Lines of ${SESSION}.jsonl refer to earlier ones that are missing; the order of the file was used.`,
    ];
    expect(await read(lost)).toEqual(wanted);
    expect(await read(circle)).toEqual(wanted);
  });

  test("of two lines with one id the later one counts, and a call that is told twice is one call", async () => {
    const call = { type: "tool_use", id: "call", name: "Bash", input: { command: "ls" } };
    const path = writeLines(file(), [
      line("a", null, 1, user("One")),
      line("b", "a", 2, says([call])),
      line("b", "a", 3, says([call, call])),
      line("c", "b", 4, user([{ type: "tool_result", tool_use_id: "call", content: "x", is_error: true }])),
      line("d", "c", 5, user([{ type: "tool_result", tool_use_id: "call", content: "y" }])),
      line("e", "d", 6, user([{ type: "tool_result", tool_use_id: "other", content: "z" }])),
    ]);
    expect(await read(path)).toEqual([
      "01 user: One claude:answered",
      "03 claude (opus) interrupted unfinished",
      "    Bash (execute) ls → error: tool_error x",
      "    warning: A result of the tool call other arrived without its call.",
    ]);
  });
});

describe("Codex", () => {
  const ID = "01a1df2e-2d46-7f61-9e23-897d16da3fb7";
  const wrap = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
  const item = (second: number, payload: object) => wrap(second, "response_item", payload);
  const event = (second: number, payload: object) => wrap(second, "event_msg", payload);
  const text = (role: string, words: string) => ({
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text: words }],
  });
  const file = (id = ID) => fileOf(newDirectory(), "2026", "02", "01", `rollout-2026-02-01T10-00-00-${id}.jsonl`);

  const old = [
    { id: ID, timestamp: at(0), instructions: null },
    text("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"),
    text("user", "Where?"),
    { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
    { type: "function_call", name: "shell", arguments: '{"command":["ls","-l"]}', call_id: "c1" },
    { type: "function_call_output", call_id: "c1", output: '{"output":"a.ts\\n","metadata":{"exit_code":1}}' },
    { record_type: "state" },
    text("assistant", "Here."),
    text("user", "Thanks"),
  ];
  const oldLines = [
    "00 user: Where? codex:answered",
    "00 codex (?) completed",
    "    thinks: Hm.",
    "    shell (execute) ls -l → error: tool_error a.ts\n",
    "    says: Here.",
    "00 user: Thanks codex:answered",
  ];

  test("rollouts of before there were wrapped lines, and compressed ones, read like any other", async () => {
    expect(await read(writeLines(file(), old))).toEqual(oldLines);
    const compressed = `${file()}.zst`;
    writeFileSync(compressed, zstdCompressSync(Buffer.from(old.map((one) => JSON.stringify(one)).join("\n"))));
    expect(await read(compressed)).toEqual(oldLines);
  });

  test("leaves out turns that were rolled back, with a note", async () => {
    const path = writeLines(file(), [
      wrap(0, "session_meta", { id: ID, timestamp: at(0), cwd: "/", cli_version: "0.65.0", source: "cli" }),
      event(1, { type: "user_message", message: "One" }),
      item(1, text("user", "One")),
      item(2, text("assistant", "First.")),
      event(3, { type: "user_message", message: "Wrong" }),
      item(4, text("assistant", "Second.")),
      event(5, { type: "thread_rolled_back", num_turns: 1 }),
      event(6, { type: "thread_name_updated", thread_name: "Rolled" }),
      event(7, { type: "user_message", message: "Right", images: ["data:image/png;base64,aGk="] }),
      item(8, text("assistant", "Third.")),
    ]);
    expect(await read(path)).toEqual([
      "01 user: One codex:answered",
      "02 codex (?) completed",
      "    says: First.",
      "05 warning: The conversation was rewound here: 2 messages were left on another branch.",
      "07 user: Right +image-1.png (2) codex:answered",
      "08 codex (?) completed",
      "    says: Third.",
    ]);
  });

  test("a thread that was sent out is a turn below the call that sent it, and no session of its own", async () => {
    const directory = newDirectory();
    const child = "01a1df2e-9999-7f61-9e23-897d16da3fb7";
    const spawned = { subagent: { thread_spawn: { parent_thread_id: ID, depth: 1, agent_nickname: "Ada" } } };
    const inDay = (id: string) => fileOf(directory, "2026", "02", "01", `rollout-2026-02-01T10-00-00-${id}.jsonl`);
    writeLines(inDay(child), [
      wrap(3, "session_meta", { id: child, timestamp: at(3), cwd: "/", source: spawned }),
      item(3, text("user", "look around")),
      item(4, text("assistant", "Nothing here.")),
      event(5, { type: "task_complete", last_agent_message: "Nothing here." }),
    ]);
    const path = writeLines(inDay(ID), [
      wrap(0, "session_meta", { id: ID, timestamp: at(0), cwd: "/", source: "cli" }),
      event(1, { type: "task_started", turn_id: "t1" }),
      event(1, { type: "user_message", message: "Send one" }),
      item(2, { type: "function_call", name: "spawn_agent", arguments: '{"message":"look around"}', call_id: "c1" }),
      item(6, { type: "function_call_output", call_id: "c1", output: `{"agent_id":"${child}"}` }),
      item(7, text("assistant", "Sent.")),
      event(8, { type: "task_complete", turn_id: "t1" }),
    ]);
    expect(await read(path)).toEqual([
      "01 user: Send one codex:answered",
      "02 codex (?) completed",
      `    spawn_agent (agent)  → success: {"agent_id":"${child}"}`,
      "    sends Ada: look around → completed: Nothing here.",
      "    says: Sent.",
      "03   codex (?) completed",
      "      says: Nothing here.",
    ]);
    await expect(read(inDay(child))).rejects.toThrow("nothing that can be imported");
  });
});

describe("Pi", () => {
  const header = { type: "session", version: 3, id: "p1", timestamp: at(0), cwd: "/" };
  const usage = { input: 1, output: 2, cost: { total: 0 } };
  const user = (content: unknown) => ({ type: "message", message: { role: "user", content } });
  const says = (text: string) => ({
    type: "message",
    message: { role: "assistant", model: "m", content: [{ type: "text", text }], stopReason: "stop", usage },
  });
  const entry = (id: string, parentId: string | null, second: number, rest: object) => ({
    id,
    parentId,
    timestamp: at(second),
    ...rest,
  });

  test("the branch that was spoken last is the conversation, others are counted, and a summary of one is shown", async () => {
    const path = writeLines(fileOf(newDirectory(), "x_p1.jsonl"), [
      header,
      entry("a", null, 1, user("One")),
      entry("b", "a", 2, says("First.")),
      entry("c", "b", 3, user("Wrong")),
      entry("d", "c", 4, says("Second.")),
      entry("e", "b", 5, { type: "branch_summary", fromId: "d", summary: "It went wrong." }),
      entry(
        "f",
        "e",
        6,
        user([
          { type: "text", text: "Right" },
          { type: "image", mimeType: "image/png", data: "aGk=" },
        ]),
      ),
      entry("g", "f", 7, says("Third.")),
      entry("h", "g", 8, { type: "compaction", summary: "All so far.", firstKeptEntryId: "f", tokensBefore: 900 }),
    ]);
    expect(await read(path)).toEqual([
      "01 user: One pi:answered",
      "02 pi (m) completed [1 in, 2 out]",
      "    says: First.",
      "05 warning: The conversation was rewound here: 2 messages were left on another branch.",
      "05 warning: Of another branch of the conversation this is known: It went wrong.",
      "06 user: Right +image-1.png (2) pi:answered",
      "07 pi (m) completed [1 in, 2 out]",
      "    says: Third.",
      "08 compaction: All so far.",
    ]);
  });

  test("the row of lines of the first version reads like a tree of one branch", async () => {
    const { version: _, ...first } = header;
    const path = writeLines(fileOf(newDirectory(), "x_p1.jsonl"), [
      first,
      { timestamp: at(1), ...user("One") },
      { timestamp: at(2), ...says("First.") },
    ]);
    expect(await read(path)).toEqual([
      "01 user: One pi:answered",
      "02 pi (m) completed [1 in, 2 out]",
      "    says: First.",
    ]);
  });
});

describe("sprout", () => {
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

  test("the model of a run is the one it says, and a warning outside of one is a notice", async () => {
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
});

describe("assistant", () => {
  const event = (second: number, type: string, payload: object, turnId?: string) => ({
    id: `${type}-${second}`,
    timestamp: ms(second),
    sessionId: "s1",
    ...(turnId === undefined ? {} : { turnId }),
    type,
    payload,
  });

  test("a log in the order in which its server writes reads as it was spoken, with its agent's name", async () => {
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
});
