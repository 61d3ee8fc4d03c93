/** Forms of foreign files that could not be recorded here: older versions, branches, and programs that cannot be run. */
import { writeFileSync } from "node:fs";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readTranscript } from "../../src/host/index.ts";
import { bring, fileOf, newDirectory, writeLines } from "./import-file.ts";
import { at, read } from "./written-times.ts";

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

  test("a missing or repeated parent is replaced by the line before, with a warning", async () => {
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
      `04 warning: Lines of ${SESSION}.jsonl refer to earlier ones that are missing; they were read in file order.`,
    ];
    expect(await read(lost)).toEqual(wanted);
    expect(await read(circle)).toEqual(wanted);
  });

  test("of two lines with one id the later one counts, and a call reported twice is one call", async () => {
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

  test("an image that was attached as a file has the content that was sent; one without any is named", async () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,aGk=" };
    const sent = (words: string) => ({
      ...text("user", words),
      content: [{ type: "input_text", text: '<image path="/x/a.png">' }, image, { type: "input_text", text: words }],
    });
    const prompted = (words: string) => ({
      type: "item_completed",
      item: {
        type: "UserMessage",
        id: words,
        content: [
          { type: "local_image", path: "/x/a.png" },
          { type: "text", text: words },
        ],
      },
    });
    const path = writeLines(file(), [
      wrap(0, "session_meta", { id: ID, timestamp: at(0), cwd: "/", cli_version: "0.169.0", source: "exec" }),
      item(1, sent("One")),
      event(1, prompted("One")),
      item(2, text("assistant", "First.")),
      event(3, prompted("Two")),
      item(4, text("assistant", "Second.")),
      item(5, sent("Three")),
      event(5, { type: "user_message", message: "Three", images: [], local_images: ["/x/a.png"] }),
      item(6, text("assistant", "Third.")),
    ]);
    expect((await read(path)).filter((line) => line.includes("user:"))).toEqual([
      "01 user: One +image-1.png (2) codex:answered",
      "03 user: Two\n[image /x/a.png] codex:answered",
      "05 user: Three +image-1.png (2) codex:answered",
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

  test("the latest branch is the conversation, others are counted, and a summary of one is shown", async () => {
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
      "05 warning: Summary of another branch of the conversation: It went wrong.",
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
