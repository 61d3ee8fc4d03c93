/**
 * Speaks the app-server protocol of Codex byte by byte. What it does is told by the words of the prompt; faults that
 * concern the whole program are told by its first arguments.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const faults = new Set(process.argv.slice(2).filter((word) => word.startsWith("--")));
const logFile = process.argv.find((word) => word.startsWith("log="))?.slice(4);
const log = (value) => logFile && appendFileSync(logFile, `${JSON.stringify({ pid: process.pid, ...value })}\n`);

log({ argv: process.argv.slice(2), env: Object.keys(process.env) });
if (faults.has("--dies-at-once")) {
  process.stderr.write("\u001b[31mno config\u001b[0m at all\n");
  process.exit(3);
}
if (faults.has("--deaf")) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});

const threads = new Map();
let nextTurn = 1;
let nextRequest = 0;
const waiting = new Map();

/** Nothing comes after half a line. */
let isCut = false;

function put(text) {
  if (isCut) return;
  const pieces = faults.has("--bytewise") ? Array.from(Buffer.from(text), (byte) => Buffer.of(byte)) : [text];
  for (const piece of pieces) process.stdout.write(piece);
}
const say = (value) => put(`${JSON.stringify(value)}\n`);
const tell = (method, params) => say({ method, params, emittedAtMs: 0 });
const answer = (id, result) => say({ id, result });
const refuse = (id, message) => say({ id, error: { code: -32_600, message } });

function ask(method, params) {
  const id = nextRequest++;
  say({ method, id, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const handlers = {
  initialize: (id) => faults.has("--no-greeting") || answer(id, { userAgent: "fake", codexHome: "/nowhere" }),
  "config/read": (id) => answer(id, { config: JSON.parse(process.env.FAKE_CODEX_CONFIG ?? "{}"), origins: {} }),
  "command/exec"(id, params) {
    if (faults.has("--no-sandbox")) return answer(id, { exitCode: 1, stdout: "", stderr: "bwrap: no namespaces\n" });
    log({ exec: params });
    answer(id, { exitCode: 2, stdout: "inside\n", stderr: "Read-only file system\n" });
  },
  "thread/start"(id, params) {
    if (faults.has("--no-threads")) throw new Error("no threads today");
    if (faults.has("--pages-only") && params.historyMode === "legacy") {
      throw new Error("Invalid request: unknown variant `legacy`, expected `paginated`");
    }
    const threadId = `thread-${process.pid}-${threads.size + 1}`;
    threads.set(threadId, { params, turn: null, children: [] });
    log({ thread: params });
    const lax = faults.has("--lax") ? { approvalPolicy: "never", sandbox: { type: "dangerFullAccess" } } : {};
    answer(id, { thread: { id: threadId }, model: "fake", ...lax });
    tell("thread/started", { thread: { id: threadId, parentThreadId: null } });
  },
  "thread/resume"(id, params) {
    if (!params.threadId.startsWith("known-")) throw new Error(`no rollout found for thread id ${params.threadId}`);
    threads.set(params.threadId, { params, turn: null, children: [] });
    answer(id, { thread: { id: params.threadId } });
    const old = { total: tokens(500, 50), last: tokens(100, 10), modelContextWindow: 1000 };
    tell("thread/tokenUsage/updated", { threadId: params.threadId, turnId: "of-before", tokenUsage: old });
  },
  "turn/start"(id, params) {
    const thread = threads.get(params.threadId);
    const turn = { id: `turn-${nextTurn++}`, threadId: params.threadId, thread, isOver: false, model: params.model };
    thread.turn = turn;
    answer(id, { turn: { id: turn.id, status: "inProgress" } });
    tell("turn/started", { threadId: turn.threadId, turn: { id: turn.id } });
    const [{ text }, ...shown] = params.input;
    log({
      turn: { text, bytes: Buffer.byteLength(text), model: params.model ?? null },
      effort: params.effort,
      ...(shown.length > 0 ? { shown } : {}),
    });
    void play(turn, text);
  },
  "turn/steer"(id, params) {
    const { turn } = threads.get(params.threadId);
    if (turn === null || turn.isOver || turn.id !== params.expectedTurnId) throw new Error("no active turn to steer");
    answer(id, { turnId: turn.id });
    item(turn, "started", { type: "userMessage", id: "steer", content: params.input });
    message(turn, `steered: ${params.input[0].text}`);
  },
  "turn/interrupt"(id, params) {
    const { turn } = threads.get(params.threadId);
    if (turn?.isDeaf) return;
    if (turn === null || turn.isOver) throw new Error("no active turn");
    log({ interrupt: turn.id });
    answer(id, {});
    end(turn, "interrupted");
  },
  "thread/backgroundTerminals/clean"(id, params) {
    log({ clean: params.threadId });
    for (const child of threads.get(params.threadId)?.children ?? []) child.kill("SIGKILL");
    answer(id, {});
  },
  "thread/backgroundTerminals/list": (id, { threadId }) =>
    answer(id, { data: threads.get(threadId)?.terminals ?? [], nextCursor: null }),
  "thread/compact/start"(id, params) {
    const thread = threads.get(params.threadId);
    log({ compact: params });
    if (faults.has("--no-compaction")) throw new Error("nothing to compact");
    answer(id, {});
    const turn = { id: `turn-${nextTurn++}`, threadId: params.threadId, thread, isOver: false };
    thread.turn = turn;
    tell("turn/started", { threadId: turn.threadId, turn: { id: turn.id } });
    compact(turn);
    if (!faults.has("--compacts-for-ever")) end(turn, "completed");
  },
  "model/list": (id) =>
    answer(id, {
      data: [
        { id: "one", model: "gpt-one", displayName: "GPT One", description: "The first." },
        { id: "two", model: "gpt-two", displayName: "gpt-two", description: "" },
      ],
      nextCursor: null,
    }),
  "thread/unsubscribe": (id) => answer(id, { status: "unsubscribed" }),
};

const tokens = (inputTokens, outputTokens) => ({
  totalTokens: inputTokens + outputTokens,
  inputTokens,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens,
  reasoningOutputTokens: 0,
});

function item(turn, phase, one) {
  tell(`item/${phase}`, { threadId: turn.threadId, turnId: turn.id, item: one });
}

const delta = (turn, itemId, text) =>
  tell("item/agentMessage/delta", { threadId: turn.threadId, turnId: turn.id, itemId, delta: text });

function message(turn, text) {
  const id = `msg-${turn.id}-${(turn.messages = (turn.messages ?? 0) + 1)}`;
  item(turn, "started", { type: "agentMessage", id, text: "" });
  const half = Math.floor(text.length / 2);
  delta(turn, id, text.slice(0, half));
  delta(turn, id, text.slice(half));
  item(turn, "completed", { type: "agentMessage", id, text });
}

function end(turn, status, error = null) {
  if (turn.isOver) return;
  turn.isOver = true;
  tell("turn/completed", { threadId: turn.threadId, turn: { id: turn.id, status, error, items: [] } });
}

/** As the program tells it: the tokens of the summary's own call, then what is left, then the end of the item. */
function compact(turn) {
  const told = (total, last) =>
    tell("thread/tokenUsage/updated", {
      threadId: turn.threadId,
      turnId: turn.id,
      tokenUsage: { total, last, modelContextWindow: 1000 },
    });
  const one = { type: "contextCompaction", id: `compaction-${turn.id}` };
  item(turn, "started", one);
  if (faults.has("--compacts-for-ever")) return;
  told(tokens(1200, 90), tokens(600, 30));
  told(tokens(1200, 90), tokens(40, 0));
  item(turn, "completed", one);
}

function complete(turn, text) {
  message(turn, text);
  const usage = { total: tokens(600, 60), last: tokens(100, 10), modelContextWindow: 1000 };
  tell("thread/tokenUsage/updated", { threadId: turn.threadId, turnId: turn.id, tokenUsage: usage });
  end(turn, "completed");
}

const command = (turn, change = {}) => ({
  type: "commandExecution",
  id: `call-${turn.id}`,
  command: "/bin/bash -lc 'tail -f /dev/null'",
  cwd: turn.thread.params.cwd,
  status: "inProgress",
  commandActions: [{ type: "unknown", command: "tail -f /dev/null" }],
  aggregatedOutput: null,
  exitCode: null,
  ...change,
});

/** A command as Codex runs it: in a session of its own, with the thread's own variables. */
function run(turn, script) {
  const set = "shell_environment_policy.set.";
  const own = Object.entries(turn.thread.params.config ?? {}).flatMap(([key, value]) =>
    key.startsWith(set) ? [[key.slice(set.length), value]] : [],
  );
  return spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, ...Object.fromEntries(own) },
  });
}

const plays = {
  endless: (turn) => delta(turn, `msg-${turn.id}`, "I begin and "),
  deaf(turn) {
    turn.isDeaf = true;
    delta(turn, `msg-${turn.id}`, "I hear nothing");
  },
  "hanging tool"(turn) {
    turn.thread.children.push(run(turn, "exec sleep 300"));
    item(turn, "started", command(turn));
  },
  background(turn) {
    turn.thread.children.push(run(turn, "exec sleep 302"));
    turn.thread.terminals = [{ command: "sleep 302" }];
    item(turn, "started", command(turn));
    item(turn, "completed", command(turn, { status: "completed", exitCode: 0, aggregatedOutput: "" }));
    complete(turn, "It goes on");
  },
  settings(turn) {
    const { sandbox, approvalPolicy } = turn.thread.params;
    complete(turn, JSON.stringify({ sandbox, approvalPolicy }));
  },
  daemon(turn) {
    item(turn, "started", command(turn));
    // Orphaned, in a session of its own, and nothing that Codex knows of.
    run(turn, "setsid sleep 301 >/dev/null 2>&1 & exit 0").once("exit", () => {
      item(turn, "completed", command(turn, { status: "completed", exitCode: 0, aggregatedOutput: "" }));
      if (!turn.endless) complete(turn, "I left something behind");
    });
  },
  async approval(turn) {
    item(turn, "started", command(turn));
    const { decision } = await ask("item/commandExecution/requestApproval", {
      kind: "command",
      threadId: turn.threadId,
      turnId: turn.id,
      itemId: `call-${turn.id}`,
      command: "/bin/bash -lc 'rm -rf x'",
      availableDecisions: [
        "accept",
        { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["rm", "-rf"] } },
        "cancel",
      ],
    });
    item(turn, "completed", command(turn, { status: decision === "decline" ? "declined" : "completed", exitCode: 0 }));
    complete(turn, `decided: ${JSON.stringify(decision)}`);
  },
  async "change of a helper"(turn) {
    const helper = { ...turn, threadId: `helper-of-${turn.threadId}` };
    const activity = { type: "subAgentActivity", id: "sub", kind: "started", agentThreadId: helper.threadId };
    item(turn, "started", activity);
    item(turn, "completed", activity);
    const change = { path: "/p/made.txt", kind: { type: "add" }, diff: "x\n" };
    item(helper, "started", { type: "fileChange", id: "patch", changes: [change], status: "inProgress" });
    const params = { threadId: helper.threadId, turnId: turn.id, itemId: "patch" };
    const given = await ask("item/fileChange/requestApproval", params);
    complete(turn, `decided: ${given?.decision}`);
  },
  async question(turn) {
    const option = { label: "Blue", description: "like the sea" };
    const questions = [{ id: "q", header: "Colour", question: "Which?", isOther: false, options: [option] }];
    const params = { threadId: turn.threadId, turnId: turn.id, itemId: "ask", questions };
    complete(turn, `answered: ${JSON.stringify((await ask("item/tool/requestUserInput", params)).answers)}`);
  },
  async "our tool"(turn) {
    const call = { callId: "dyn", tool: "agents_list", arguments: {} };
    item(turn, "started", { type: "dynamicToolCall", id: "dyn", tool: call.tool, arguments: {}, status: "inProgress" });
    const given = await ask("item/tool/call", { threadId: turn.threadId, turnId: turn.id, ...call });
    const { contentItems, success } = given;
    const result = { type: "dynamicToolCall", id: "dyn", tool: call.tool, arguments: {}, contentItems, success };
    item(turn, "completed", { ...result, status: success ? "completed" : "failed" });
    complete(turn, `tool said: ${contentItems[0].text}`);
  },
  "other threads": async (turn) => {
    tell("item/agentMessage/delta", { threadId: "nobody", turnId: turn.id, itemId: "x", delta: "not for you" });
    tell("item/agentMessage/delta", { threadId: turn.threadId, turnId: "old", itemId: "x", delta: "not now" });
    const refused = ask("item/tool/call", { threadId: "nobody", callId: "x", tool: "agents_list", arguments: {} });
    complete(turn, `refused: ${String((await refused) === undefined)}`);
  },
  noise(turn) {
    put("Downloading 3 %\n\n");
    tell("thread/unheardOf", { threadId: turn.threadId, turnId: turn.id });
    item(turn, "completed", { type: "mystery", id: "?" });
    item(turn, "started", command(turn));
    item(turn, "started", command(turn));
    item(turn, "completed", command(turn, { status: "completed", exitCode: 0, aggregatedOutput: "done" }));
    say({ id: "nobody-asked-this", result: {} });
    complete(turn, "after the noise");
    end(turn, "completed");
  },
  "long line"(turn) {
    tell("item/agentMessage/delta", {
      threadId: turn.threadId,
      turnId: turn.id,
      itemId: "x",
      delta: "y".repeat(200_000),
    });
    complete(turn, "after the long line");
  },
  retries(turn) {
    delta(turn, "msg-a", "half of an ans");
    const error = { message: "Reconnecting... 1/2", additionalDetails: "stream disconnected" };
    tell("error", { threadId: turn.threadId, turnId: turn.id, willRetry: true, error });
    complete(turn, "the whole answer");
  },
  "fills its window"(turn) {
    message(turn, "before that");
    compact(turn);
    complete(turn, "after that");
  },
  fails(turn) {
    const error = { message: "no more", codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } } };
    tell("error", { threadId: turn.threadId, turnId: turn.id, willRetry: false, error });
    end(turn, "failed", error);
  },
  crash(turn) {
    delta(turn, `msg-${turn.id}`, "I was just");
    process.stderr.write("thread 'main' panicked\u0007 at src/main.rs\n");
    setTimeout(() => process.exit(101), 20);
  },
  "half a line"(turn) {
    put(`{"method":"item/agentMessage/delta","params":{"threadId":"${turn.threadId}","delta":"ha`);
    isCut = true;
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 20);
  },
  "closed output"(turn) {
    delta(turn, `msg-${turn.id}`, "bye");
    setTimeout(() => process.stdout.end(), 20);
  },
  "held pipe"(turn) {
    delta(turn, `msg-${turn.id}`, "bye");
    spawn("/bin/sh", ["-c", "exec sleep 302"], { detached: true, stdio: ["ignore", "inherit", "ignore"] }).unref();
    setTimeout(() => process.exit(0), 30);
  },
  silent: () => {},
};

async function play(turn, text) {
  // What every member is told of a read-only session is no play.
  const asked = text.replaceAll("writing fails", "");
  const name = Object.keys(plays).find((one) => asked.includes(one));
  await delay(2);
  if (turn.isOver) return;
  if (name === undefined) return complete(turn, `you said: ${text.slice(0, 200)}`);
  await plays[name](turn);
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("error", () => {});
process.stdin.on("end", () => faults.has("--deaf") || process.exit(0));
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params, result } = JSON.parse(line);
    if (method === undefined) {
      waiting.get(id)?.(result);
      waiting.delete(id);
      const [threadId] = threads.keys();
      if (result !== undefined) tell("serverRequest/resolved", { threadId, requestId: id });
      continue;
    }
    try {
      handlers[method]?.(id, params);
    } catch (refusal) {
      refuse(id, refusal.message);
    }
  }
});
if (faults.has("--deaf")) setInterval(() => {}, 1000);
