/**
 * Speaks Pi's side of `--mode rpc`, byte by byte, without a model: words of the prompt say what it does, and what it does
 * wrong. It stands in for our extension too, with the mark that it finds in the file. What it got is in its --log file.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

type Fields = Record<string, unknown>;

const argv = process.argv.slice(2);
const option = (name: string): string | undefined => {
  const at = argv.indexOf(name);
  return at === -1 ? undefined : argv[at + 1];
};
const logFile = argv.find((one) => one.startsWith("--log="))?.slice(6);
const fault = argv.find((one) => one.startsWith("--fault="))?.slice(8);
const extension = readFileSync(option("--extension") ?? "", "utf8");
const mark = /"mark":"([^"]+)"/.exec(extension)?.[1] ?? "";
const resumed = option("--session-id");
const sessionId = resumed ?? "01a1dcb3-57a4-775c-992d-027482ef0e69";
const models = ["fake-text", "fake-echo"].map((id) => ({ provider: "fake", id, contextWindow: 1000 }));

const USAGE = {
  input: 10,
  output: 5,
  cacheRead: 2,
  cacheWrite: 0,
  reasoning: 1,
  totalTokens: 17,
  cost: { total: 0.5 },
};
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { total: 0 } };

let model = models[0];
let isSplit = false;
let busyChecks = 0;
let stop: AbortController | null = null;
let steered: string[] = [];
const waiting = new Map<string, (response: Fields) => void>();

log({ argv, env: Object.keys(process.env).toSorted() });
if (fault === "dies") {
  process.stderr.write("Error: no such thing\n");
  process.exit(1);
}
if (fault === "deaf") for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
if (fault !== "unguarded") emit(ui({ method: "setStatus", statusKey: mark, statusText: "ready" }));
listen();

function log(value: Fields): void {
  if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify(value)}\n`);
}

function write(text: string): void {
  if (!isSplit) return void process.stdout.write(text);
  for (const byte of Buffer.from(text)) process.stdout.write(Buffer.of(byte));
}

function emit(...records: Fields[]): void {
  for (const record of records) write(`${JSON.stringify(record)}\n`);
}

function ui(request: Fields): Fields {
  return { type: "extension_ui_request", id: randomUUID(), ...request };
}

function listen(): void {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("error", () => process.exit(0));
  process.stdin.on("end", () => fault !== "deaf" && process.exit(0));
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      log({ line });
      void receive(JSON.parse(line) as Fields);
    }
  });
  if (fault === "deaf") setInterval(() => undefined, 1_000);
}

async function receive(command: Fields): Promise<void> {
  const { id, type } = command;
  const done = (data?: Fields): void => emit({ id, type: "response", command: type, success: true, data });
  const fail = (error: string): void => emit({ id, type: "response", command: type, success: false, error });
  switch (type) {
    case "extension_ui_response":
      return waiting.get(String(id))?.(command);
    case "get_state":
      return done({
        model,
        sessionId,
        isStreaming: busyChecks-- > 0,
        messageCount: resumed === undefined || resumed === "forgotten" ? 0 : 4,
      });
    case "get_available_models":
      return done({ models });
    case "set_model":
      model = models.find((one) => one.id === command["modelId"]);
      return done(model);
    case "steer":
      steered.push(String(command["message"]));
      return done({ disposition: "queued" });
    case "clear_queue":
      steered = [];
      return done({ steering: [], followUp: [] });
    case "abort":
      if (fault === "deaf") return;
      stop?.abort();
      await wait(1);
      return done();
    case "compact":
      return compact(command["customInstructions"], done, fail);
    case "prompt":
      return prompt(String(command["message"]), done, fail);
    default:
      return done();
  }
}

async function compact(focus: unknown, done: (data: Fields) => void, fail: (error: string) => void): Promise<void> {
  const failed = (errorMessage: string, aborted = false): void => {
    emit({ type: "compaction_end", reason: "manual", aborted, willRetry: false, ...(aborted ? {} : { errorMessage }) });
    fail(errorMessage);
  };
  emit({ type: "compaction_start", reason: "manual" });
  if (focus === "nothing") return failed("Nothing to compact (session too small)");
  if (focus === "for ever") {
    stop = new AbortController();
    await wait(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
    return failed("Compaction cancelled", true);
  }
  const compacted = { summary: "all is well", tokensBefore: 900, estimatedTokensAfter: 100, usage: USAGE };
  emit({ type: "compaction_end", reason: "manual", result: compacted, aborted: false, willRetry: false });
  done(compacted);
}

async function prompt(message: string, done: (data: Fields) => void, fail: (error: string) => void): Promise<void> {
  const isSaid = message.startsWith(`/${mark} `);
  const text = isSaid ? (JSON.parse(message.slice(mark.length + 2)) as { text: string }).text : message;
  if (text === "no key") return fail('No API key found for "fake"');
  if (!isSaid && text.startsWith("/")) return done({ disposition: "handled" });
  done({ disposition: isSaid ? "handled" : "started" });
  stop = new AbortController();
  emit({ type: "agent_start" }, { type: "turn_start" }, ...userMessage(text));
  await answer(text, stop.signal).catch(() => undefined);
  const aborted = stop.signal.aborted;
  stop = null;
  if (fault === "unsettled") return endUnsettled(text);
  emit({ type: "agent_end", messages: [], willRetry: false }, { type: "agent_settled", aborted });
}

/** Pi 0.73 and older: `agent_end` alone, which a retry may follow; it calls itself busy for a moment longer. */
function endUnsettled(text: string): void {
  busyChecks = 2;
  emit({ type: "agent_end", messages: [] });
  if (text !== "fail once") return;
  emit({ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "overloaded" });
  setTimeout(() => {
    emit({ type: "agent_start" }, { type: "turn_start" });
    speak("At the second try.");
    emit({ type: "agent_end", messages: [] });
  }, 20);
}

function userMessage(text: string): Fields[] {
  const message = { role: "user", content: [{ type: "text", text }] };
  return [
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}

function update(event: Fields): Fields {
  return { type: "message_update", usage: NOTHING, assistantMessageEvent: event };
}

function begin(): void {
  emit({ type: "message_start", message: { role: "assistant", content: [], stopReason: "pending", usage: NOTHING } });
  emit(update({ type: "text_start", contentIndex: 0 }));
}

function end(text: string, more: Fields = {}): void {
  const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop", usage: USAGE, ...more };
  emit({ type: "message_end", message });
}

function speak(text: string): void {
  begin();
  for (const piece of text.match(/[^ ]* ?/g) ?? []) {
    if (piece !== "") emit(update({ type: "text_delta", contentIndex: 0, delta: piece }));
  }
  emit(update({ type: "text_end", contentIndex: 0, content: text }));
  end(text);
}

async function answer(text: string, signal: AbortSignal): Promise<void> {
  const [word = "", ...rest] = text.split(" ");
  switch (word) {
    case "endless":
      return endless(signal);
    case "tool":
      return tool(signal);
    case "ask":
      return ask(rest.join(" "), signal);
    case "fail":
      begin();
      return end("", { stopReason: "error", errorMessage: "overloaded" });
    case "fault":
      return misbehave(rest.join(" "), signal);
    default:
      return speak(`You said: ${text.slice(0, 40)}`);
  }
}

/** Streams until it is stopped; a steer ends the message, and another one begins. */
async function endless(signal: AbortSignal): Promise<void> {
  let said = "";
  begin();
  while (!signal.aborted) {
    said += "word ";
    emit(update({ type: "text_delta", contentIndex: 0, delta: "word " }));
    await wait(5);
    const next = signal.aborted ? undefined : steered.shift();
    if (next === undefined) continue;
    end(said);
    emit(...userMessage(next));
    said = "";
    begin();
  }
  end(said, { stopReason: "aborted", errorMessage: "Request was aborted." });
}

function call(id: string, name: string, args: Fields): void {
  begin();
  const toolCall = { type: "toolCall", id, name, arguments: args };
  emit(update({ type: "toolcall_start", contentIndex: 0, id, toolName: name }));
  emit(update({ type: "toolcall_end", contentIndex: 0, toolCall }));
  emit({
    type: "message_end",
    message: { role: "assistant", content: [toolCall], stopReason: "toolUse", usage: USAGE },
  });
  emit({ type: "tool_execution_start", toolCallId: id, toolName: name, args });
}

function result(text: string): Fields {
  return { content: [{ type: "text", text }], details: {} };
}

async function tool(signal: AbortSignal): Promise<void> {
  call("call-1", "bash", { command: "sleep 60" });
  let output = "";
  while (!signal.aborted) {
    output += "tick\n";
    emit({ type: "tool_execution_update", toolCallId: "call-1", toolName: "bash", partialResult: result(output) });
    await wait(20);
  }
  const aborted = result(`${output}Command aborted`);
  emit({ type: "tool_execution_end", toolCallId: "call-1", toolName: "bash", result: aborted, isError: true });
}

/** As our extension asks, or as another one does when a method is named. */
async function ask(method: string, signal: AbortSignal): Promise<void> {
  call("call-1", "bash", { command: "echo hi" });
  const args = { command: "echo hi" };
  const ours = JSON.stringify({ kind: "approval", callId: "call-1", tool: "bash", args });
  const own = { method, title: "Which?", message: "Really?", options: ["a", "b"], placeholder: "p", prefill: "q" };
  const request = ui(method === "" ? { method: "input", title: mark, placeholder: ours } : own);
  const asked = Promise.withResolvers<Fields>();
  waiting.set(String(request["id"]), asked.resolve);
  signal.addEventListener("abort", () => asked.reject(new Error("stopped")));
  emit(request);
  const { type: _type, id: _id, ...reply } = await asked.promise;
  const isError = method === "" && !String(reply["value"]).includes('"isAllowed":true');
  const told = result(JSON.stringify(reply));
  emit({ type: "tool_execution_end", toolCallId: "call-1", toolName: "bash", result: told, isError });
  speak("thank you");
}

async function misbehave(how: string, signal: AbortSignal): Promise<void> {
  switch (how) {
    case "dies":
      begin();
      process.stderr.write("out of memory\n");
      await wait(5);
      return process.kill(process.pid, "SIGKILL") as unknown as void;
    case "half a line":
      return void process.stdout.write('{"type":"message_update","assis', () => process.exit(0));
    case "noise":
      write("Debugger attached.\n\n\u0000\u001b[31m\n[1,2]\n");
      emit({ type: "a_new_thing", of: "tomorrow" }, { type: "message_update" }, { type: "tool_execution_end" });
      return speak("in between");
    case "split":
      isSplit = true;
      speak("é 中 👩‍👩‍👧‍👦 \u2028 \u2029 ende");
      isSplit = false;
      return;
    case "double":
      call("call-1", "bash", {});
      emit({ type: "tool_execution_start", toolCallId: "call-1", toolName: "bash", args: {} });
      for (const text of ["one", "two"]) {
        emit({
          type: "tool_execution_end",
          toolCallId: "call-1",
          toolName: "bash",
          result: result(text),
          isError: false,
        });
      }
      return speak("twice");
    case "huge":
      write(`{"type":"message_update","x":"${"x".repeat(40 * 1024 * 1024)}"}\n`);
      return speak("after it");
    case "retry":
      begin();
      emit(update({ type: "text_delta", contentIndex: 0, delta: "half an ans" }));
      end("half an ans", { stopReason: "error", errorMessage: "terminated", usage: NOTHING });
      emit({ type: "agent_end", messages: [], willRetry: true });
      emit({ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "terminated" });
      emit({ type: "agent_start" });
      speak("a whole answer");
      return emit({ type: "auto_retry_end", success: true, attempt: 1 });
    case "error":
      begin();
      return end("", { stopReason: "error", errorMessage: "401: bad key" });
    case "compaction": {
      emit({ type: "compaction_start", reason: "threshold" });
      const compacted = { summary: "s", tokensBefore: 900, estimatedTokensAfter: 100, usage: USAGE };
      emit({ type: "compaction_end", reason: "threshold", result: compacted, aborted: false, willRetry: false });
      return speak("compacted");
    }
    case "deaf":
      begin();
      emit(update({ type: "text_delta", contentIndex: 0, delta: "hm" }));
      return wait(600_000, undefined, { signal });
    default:
      return speak(`no fault "${how}"`);
  }
}
