/**
 * Speaks Claude Code's side of stream-json and its control protocol, byte by byte, without a model: the prompt
 * says what it does, and what it does wrong. It shows its arguments and every line it got in the file that
 * `--log=` names.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

type Fields = Record<string, unknown>;

const logFile = process.argv.find((one) => one.startsWith("--log="))?.slice(6);
const resumes = process.argv.find((one) => one.startsWith("--resume="))?.slice(9);
const sessionId = resumes ?? "11111111-2222-4333-8444-555555555555";
const sessionFields = { session_id: sessionId, parent_tool_use_id: null };

const MODELS = [
  { value: "default", displayName: "Default", description: "What the account has" },
  { value: "haiku", displayName: "Haiku" },
];
let model = "fake-model";
let costUsd = 0;
let isSplit = false;
let answers = 0;
let stop = new AbortController();
let running: { uuid: string; queued: { uuid: string; text: string }[] } | null = null;
type Hooks = Record<string, { hookCallbackIds: string[] }[]>;
let hooks: Hooks = {};
const waiting = new Map<string, (response: Fields) => void>();
/** Messages that are delivered as written. */
const notTyped = new Set<string>();

log({ argv: process.argv.slice(2), env: Object.keys(process.env).sort() });
if (resumes === "forgotten") {
  process.stderr.write(`No conversation found with session ID: ${resumes}\n`);
  emit({
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    errors: [`No conversation found with session ID: ${resumes}`],
    total_cost_usd: 0,
  });
  process.exitCode = 1;
} else listen();

function log(value: Fields): void {
  if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify(value)}\n`);
}

function write(text: string): void {
  if (!isSplit) return void process.stdout.write(text);
  for (const byte of Buffer.from(text)) process.stdout.write(Buffer.of(byte));
}

function emit(record: Fields): void {
  write(`${JSON.stringify({ ...record, uuid: randomUUID() })}\n`);
}

function listen(): void {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("error", () => process.exit(0));
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      log({ line });
      handle(JSON.parse(line) as Fields);
    }
  });
}

function handle(record: Fields): void {
  if (record["type"] === "user") return handleUser(record);
  if (record["type"] === "control_request")
    return handleRequest(String(record["request_id"]), record["request"] as Fields);
  const response = record["response"] as Fields;
  const id = String(response["request_id"]);
  waiting.get(id)?.(response["response"] as Fields);
  waiting.delete(id);
}

function handleRequest(id: string, request: Fields): void {
  const reply = (response: Fields): void =>
    emit({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  switch (request["subtype"]) {
    case "initialize":
      hooks = (request["hooks"] ?? {}) as Hooks;
      void shakeHands().then(() => reply({ commands: [], models: MODELS, claude_code_version: "2.1.325" }));
      return;
    case "set_model":
      if (request["model"] === "no-such-model") {
        return emit({
          type: "control_response",
          response: { subtype: "error", request_id: id, error: "unknown model" },
        });
      }
      model = String(request["model"]);
      return reply({ model });
    case "interrupt": {
      const cancelled = running?.queued.splice(0).map((one) => one.uuid) ?? [];
      for (const uuid of cancelled) lifecycle(uuid, "cancelled");
      reply({ still_queued: [], cancelled });
      return stop.abort();
    }
    default:
      return emit({
        type: "control_response",
        response: { subtype: "error", request_id: id, error: "unknown request" },
      });
  }
}

async function shakeHands(): Promise<void> {
  const message = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };
  await ask({ subtype: "mcp_message", server_name: "roundtable", message });
}

function ask(request: Fields): Promise<Fields> {
  const id = randomUUID();
  const answered = new Promise<Fields>((resolve) => waiting.set(id, resolve));
  emit({ type: "control_request", request_id: id, request });
  const stopped = new Promise<never>((_resolve, reject) => {
    stop.signal.addEventListener("abort", () => {
      if (waiting.delete(id)) emit({ type: "control_cancel_request", request_id: id });
      reject(new Error("stopped"));
    });
  });
  stopped.catch(() => undefined);
  return Promise.race([answered, stopped]);
}

async function callHook(event: string, input: Fields): Promise<Fields> {
  const [matcher] = hooks[event] ?? [];
  const [callbackId] = matcher?.hookCallbackIds ?? [];
  if (callbackId === undefined) return {};
  const answer = await ask({ subtype: "hook_callback", callback_id: callbackId, input });
  return (answer["hookSpecificOutput"] ?? {}) as Fields;
}

function lifecycle(uuid: string, state: string): void {
  emit({ type: "command_lifecycle", command_uuid: uuid, state, session_id: sessionId });
}

function handleUser(record: Fields): void {
  const uuid = String(record["uuid"]);
  const { content } = record["message"] as { content: string | { text: string }[] };
  const text = typeof content === "string" ? content : (content[0]?.text ?? "");
  if (record["text_not_typed"] === true) notTyped.add(uuid);
  lifecycle(uuid, "queued");
  if (running !== null) return void running.queued.push({ uuid, text });
  void work(uuid, text);
}

async function work(uuid: string, text: string): Promise<void> {
  running = { uuid, queued: [] };
  stop = new AbortController();
  lifecycle(uuid, "started");
  if (!text.endsWith("fault:no-hooks")) await callHook("UserPromptSubmit", {});
  emit({ type: "system", subtype: "init", model, permissionMode: "default", ...sessionFields });
  emit({ type: "system", subtype: "status", status: "requesting", ...sessionFields });
  const isTyped = text.startsWith("/") && !notTyped.has(uuid);
  try {
    if (isTyped) await runCommand(text);
    else await perform(text);
    if (!isTyped)
      result({ subtype: "success", is_error: false, terminal_reason: "completed", result: `you said: ${text}` });
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
    result({ subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" });
  }
  lifecycle(uuid, "completed");
  const next = running.queued.shift();
  running = null;
  if (next !== undefined) await work(next.uuid, next.text);
}

/** `/compact`, as the program does it: a boundary, the summary as a message of its own, and a result without words. */
async function runCommand(command: string): Promise<void> {
  const status = (more: Fields): void => emit({ type: "system", subtype: "status", status: null, ...more });
  if (command.startsWith("/compact fail")) {
    status({ compact_result: "failed", compact_error: "too_few_groups" });
    const told = command === "/compact fail silently" ? "" : "Not enough messages to compact.";
    return result({ subtype: "success", is_error: false, terminal_reason: "completed", result: told });
  }
  status({ status: "compacting" });
  if (command === "/compact for ever") await wait(60_000, undefined, { signal: stop.signal });
  status({ compact_result: "success" });
  compact("manual");
  emit({
    type: "user",
    message: { role: "user", content: "<local-command-stdout>Compacted </local-command-stdout>" },
    isReplay: true,
    ...sessionFields,
  });
  result({ subtype: "success", is_error: false, terminal_reason: "completed", result: "", local_command: "compact" });
}

function compact(trigger: string): void {
  emit({
    type: "system",
    subtype: "compact_boundary",
    compact_metadata: { trigger, pre_tokens: 900, post_tokens: 100 },
    ...sessionFields,
  });
  const content = "This session is being continued. The summary: all is well.";
  emit({ type: "user", message: { role: "user", content }, isSynthetic: true, isReplay: false, ...sessionFields });
}

function result(more: Fields): void {
  costUsd += 0.01;
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };
  const modelUsage = { [model]: { contextWindow: 200_000 } };
  emit({ ...more, total_cost_usd: costUsd, usage, modelUsage, session_id: sessionId, type: "result" });
}

async function perform(text: string): Promise<void> {
  const fault = /fault:([a-z-]+)$/.exec(text)?.[1];
  if (fault !== undefined) await FAULTS[fault]?.();
  const said = text.length > 1_000 ? `${text.length} characters` : text;
  await speak(`you said: ${said}`);
  await DEEDS[text]?.();
}

/** One answer of the model, streamed, with its record before the end of its block. */
async function speak(text: string): Promise<void> {
  const id = `msg_${(answers += 1)}`;
  const stream = (event: Fields): void => emit({ type: "stream_event", event, ...sessionFields });
  stream({ type: "message_start", message: { id, model, usage: { input_tokens: 10, output_tokens: 1 } } });
  stream({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (const piece of text.match(/[^]{1,16}/gu) ?? []) {
    stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } });
  }
  emit({ type: "assistant", message: { id, model, content: [{ type: "text", text }] }, ...sessionFields });
  stream({ type: "content_block_stop", index: 0 });
  stream({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: 10, output_tokens: 5 } });
  stream({ type: "message_stop" });
  await wait(1, undefined, { signal: stop.signal });
}

/** Until it is stopped, and takes up what it is told meanwhile. */
async function talkOn(): Promise<void> {
  for (;;) {
    const told = running?.queued.shift();
    if (told !== undefined) {
      lifecycle(told.uuid, "started");
      await speak(`you also said: ${told.text}`);
    }
    await wait(5, undefined, { signal: stop.signal });
  }
}

function toolUse(name: string, input: Fields): string {
  const id = `toolu_${(answers += 1)}`;
  emit({
    type: "assistant",
    message: { id: `msg_${id}`, model, content: [{ type: "tool_use", id, name, input }] },
    ...sessionFields,
  });
  return id;
}

function toolResult(id: string, content: string, more: Fields = {}): void {
  const block = { type: "tool_result", tool_use_id: id, content, ...more };
  emit({ type: "user", message: { role: "user", content: [block] }, ...sessionFields });
}

async function useTool(): Promise<void> {
  toolUse("Bash", { command: "tail -f /dev/null" });
  await wait(60_000, undefined, { signal: stop.signal });
}

async function askQuestion(): Promise<void> {
  const options = [{ label: "Blue", description: "sky" }, { label: "Red" }];
  const input = { questions: [{ question: "Which color?", header: "Color", options, multiSelect: false }] };
  const id = toolUse("AskUserQuestion", input);
  const answer = await ask({ subtype: "can_use_tool", tool_name: "AskUserQuestion", input, tool_use_id: id });
  toolResult(id, JSON.stringify(answer));
  await speak("thank you");
}

async function askApproval(): Promise<void> {
  const input = { command: "rm -f x" };
  const id = toolUse("Bash", input);
  const rules = [{ toolName: "Bash", ruleContent: "rm -f x" }];
  const hook = await callHook("PreToolUse", { tool_name: "Bash", tool_input: input, tool_use_id: id });
  if (hook["permissionDecision"] === "deny") {
    toolResult(id, `PreToolUse:Bash hook error: ${String(hook["permissionDecisionReason"])}`, { is_error: true });
    return speak("so be it");
  }
  const answer = await ask({
    subtype: "can_use_tool",
    tool_name: "Bash",
    display_name: "Bash",
    input,
    tool_use_id: id,
    permission_suggestions: [{ type: "addRules", rules, behavior: "allow", destination: "session" }],
  });
  toolResult(id, JSON.stringify(answer), { is_error: answer["behavior"] !== "allow" });
  await speak("so be it");
}

async function callHostTool(name = "agents_list", args: Fields = {}): Promise<void> {
  const id = toolUse(`mcp__roundtable__${name}`, args);
  const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: args } };
  const answer = await ask({ subtype: "mcp_message", server_name: "roundtable", message });
  toolResult(id, JSON.stringify(answer["mcp_response"]));
}

const DEEDS: Readonly<Record<string, () => Promise<void>>> = {
  "a long one": talkOn,
  tool: useTool,
  ask: askQuestion,
  approve: askApproval,
  "fills its window": async () => {
    compact("auto");
    await speak("after that");
  },
  table: () => callHostTool(),
  inspect: () => callHostTool("inspect", { argv: ["ls"] }),
  "inspect badly": () => callHostTool("inspect", { argv: ["sh", "-c", "id"] }),
};

const FAULTS: Readonly<Record<string, () => unknown>> = {
  split: () => (isSplit = true),
  noise: () => {
    write("plainly not json\n[1,2]\n\n");
    emit({ type: "something_new", subtype: "of_tomorrow" });
    emit({
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: "nobody", content: "?" }] },
      ...sessionFields,
    });
  },
  twice: () => {
    const input = { command: "true" };
    const id = toolUse("Bash", input);
    emit({
      type: "assistant",
      message: { model, content: [{ type: "tool_use", id, name: "Bash", input }] },
      ...sessionFields,
    });
    toolResult(id, "once");
    toolResult(id, "twice");
  },
  crash: () => {
    process.stderr.write("out of luck\u001b[31m\n");
    process.exit(3);
  },
  killed: () => process.kill(process.pid, "SIGKILL"),
  "half-line": () => {
    write('{"type":"assistant","message":{"content":[{"type":"te');
    process.exit(0);
  },
  "shut-stdout": () => {
    process.stdout.end();
    return wait(60_000);
  },
  silent: () => wait(60_000),
  deaf: () => {
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => undefined);
    process.stdin.removeAllListeners("data");
    process.stdin.removeAllListeners("end");
    return speak("I hear nothing").then(() => wait(60_000));
  },
  grandchild: () => {
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { detached: true, stdio: "inherit" }).unref();
    process.exit(1);
  },
  "long-line": () => emit({ type: "system", subtype: "nothing", padding: "x".repeat(33 * 1024 * 1024) }),
  flood: async () => {
    for (let at = 0; at < 2_000; at += 1) {
      emit({
        type: "stream_event",
        event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(512) } },
        ...sessionFields,
      });
      if (at % 100 === 0) await wait(0);
    }
  },
};
