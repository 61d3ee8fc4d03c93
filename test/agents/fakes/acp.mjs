/**
 * Speaks the Agent Client Protocol and does what the words of the prompt say. Flags make it a program with a trap:
 *   --auth METHOD   opens no session before it was logged in by that method; "never" lets nobody in
 *   --no-load       cannot take up sessions          --forgets   does not know the session it is to take up
 *   --late-history  goes on reading history after the session is loaded
 *   --version N     speaks another version           --split     writes byte by byte
 *   --as NAME       says that it is this agent
 *   --lists-late    starts its tool server after the session is open
 *   --thinks        lets its effort be chosen: low, medium or high
 *   --sees          takes images, and says which it was shown
 *   --commands      offers a command that compacts, and one that does not; --commands-late tells them a moment later
 *   --compacts-for-ever  never comes to the end of it
 *   --log FILE      writes down every prompt
 *   --deaf          heeds neither cancel nor signals --mute      never answers the handshake
 */
import { createHash } from "node:crypto";
import { appendFileSync, writeFileSync, writeSync } from "node:fs";
import { startToolServer } from "./tool-client.mjs";

const args = process.argv.slice(2);
const has = (flag) => args.includes(flag);
const after = (flag) => (has(flag) ? args[args.indexOf(flag) + 1] : undefined);
const SESSION = "fake-session-1";
let isLoggedIn = !has("--auth");
let model = "small";
let effort = "medium";
let mode = has("--yolo") ? "yolo" : "default";
let nextId = 0;
let running = null;
let takenBack = 0;
const waiting = new Map();

if (has("--deaf")) for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});

function write(text) {
  if (!has("--split")) process.stdout.write(text);
  else for (const byte of Buffer.from(text)) writeSync(1, Buffer.from([byte]));
}
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const result = (id, value) => send({ id, result: value });
const refuse = (id, code, message, data) => send({ id, error: { code, message, data } });
const update = (value, sessionId = SESSION) => send({ method: "session/update", params: { sessionId, update: value } });
const say = (text, messageId) =>
  update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
const think = (text) => update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });

function ask(method, params) {
  const id = nextId;
  nextId += 1;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** Stderr and stdout are read in no fixed order; a client that answers this has read all that was written before. */
const readBefore = () => ask("fake/unknown", {});

const methods = {
  initialize: (id) => {
    if (has("--mute")) return;
    result(id, {
      protocolVersion: Number(after("--version") ?? 1),
      agentInfo: { name: after("--as") ?? "fake-acp", version: "1" },
      agentCapabilities: {
        loadSession: !has("--no-load"),
        ...(has("--sees") ? { promptCapabilities: { image: true } } : {}),
        mcpCapabilities: { http: has("--http") },
        ...(has("--resume") ? { sessionCapabilities: { resume: {} } } : {}),
      },
      authMethods: [
        { id: "fake_login", name: "Log in", description: "Run `fake login`" },
        { id: "cursor_login", name: "Cursor" },
        { id: "gemini-api-key", name: "Key" },
      ],
    });
  },
  authenticate: (id, { methodId }) => {
    isLoggedIn = methodId === after("--auth");
    if (isLoggedIn) result(id, {});
    else refuse(id, -32000, "No such login");
  },
  "session/new": (id, params) => open(id, params),
  "session/load": (id, params) => open(id, params),
  "session/resume": (id, params) => open(id, params),
  "session/set_mode": (id, { modeId }) => {
    mode = modeId;
    result(id, {});
  },
  "session/set_config_option": (id, { configId, value }) => {
    if (configId === "thinking") effort = value;
    result(id, {});
  },
  "session/set_model": (id, { modelId }) => {
    if (modelId !== "broken") model = modelId;
    if (modelId === "broken") refuse(id, -32602, "model is out of order");
    else result(id, {});
  },
  "session/prompt": (id, { prompt }) => {
    if (has("--log")) appendFileSync(after("--log"), `${JSON.stringify(prompt[0].text)}\n`);
    if (prompt.length > 1) say(`shown ${JSON.stringify(prompt.slice(1))} `);
    take(id, prompt[0].text);
  },
};

let opening = "";
let given = [];
let tools = null;
/** What the tool server said since it was last told. */
let heard = [];

let hasListed = false;
async function listTools() {
  tools = await startToolServer(given.at(-1));
  await tools.request("tools/list", {});
  hasListed = true;
}

/** Does one step after the other with the last tool server that it was given. */
async function useTools(steps) {
  const open = new Map();
  for (const step of steps) {
    tools ??= await startToolServer(given.at(-1));
    if (step.list) heard.push((await tools.request("tools/list", {})).result.tools.map(({ name }) => name));
    if (step.raw !== undefined) tools.write(step.raw);
    if (step.over) done();
    if (step.sign) update({ sessionUpdate: "usage_update", used: 1, size: 2 });
    if (step.cancel) tools.cancel(step.cancel);
    if (step.kill) {
      heard.push(await tools.kill());
      tools = null;
    }
    if (step.wait) heard.push(await open.get(step.wait));
    if (step.call === undefined) continue;
    if (step.permission) heard.push((await permission(step.permission)).result);
    const params = { name: step.call, arguments: step.args ?? {}, ...(step.meta ? { _meta: step.meta } : {}) };
    const answer = tools.request("tools/call", params, step.as);
    if (step.as === undefined) heard.push(await answer);
    else open.set(step.as, answer);
  }
  if (running === null) return;
  say(JSON.stringify(heard));
  heard = [];
  done();
}
function open(id, { sessionId, mcpServers, cwd }) {
  const details = `Invalid session identifier "${sessionId}".`;
  if (!isLoggedIn) refuse(id, -32000, "Authentication required");
  else if (sessionId !== undefined && has("--forgets")) refuse(id, -32603, "Internal error", { details });
  else {
    given = mcpServers;
    opening = JSON.stringify({ how: sessionId === undefined ? "new" : "again", mcpServers, cwd });
    if (sessionId !== undefined && !has("--resume")) history("before");
    result(id, { ...(sessionId === undefined ? { sessionId: SESSION } : {}), ...choices() });
    if (has("--lists-late")) void listTools();
    if (has("--commands")) tellCommands();
    if (has("--commands-late")) setTimeout(tellCommands, 100);
    if (sessionId !== undefined && has("--late-history")) history("after");
  }
}

function tellCommands() {
  const compact = {
    name: "compact",
    description: "Compacts",
    input: has("--wordless") ? null : { hint: "what to keep" },
  };
  const availableCommands = [{ name: "init", description: "Begins" }, ...(has("--no-compact") ? [] : [compact])];
  update({ sessionUpdate: "available_commands_update", availableCommands });
}

function choices() {
  const availableModels = [{ modelId: "small" }, { modelId: "large" }, { modelId: "broken" }];
  return {
    modes: { currentModeId: mode, availableModes: [{ id: "default" }, { id: "yolo" }, { id: "ask" }] },
    models: { currentModelId: model, availableModels },
    ...(has("--thinks") ? { configOptions: [efforts()] } : {}),
  };
}

function efforts() {
  const options = ["low", "medium", "high"].map((value) => ({ value, name: value }));
  return { id: "thinking", category: "thought_level", type: "select", currentValue: effort, options };
}

function history(when) {
  update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "an old question" } });
  say(`an old answer, read ${when}`);
  update({ sessionUpdate: "tool_call", toolCallId: "old-1", title: "ls", kind: "execute", status: "completed" });
}

function take(id, text) {
  if (running === null) {
    running = { id, steers: [], text };
    act(text);
  } else {
    running.steers.push(id);
    say(`steered: ${text}`);
  }
}

function finish(value) {
  const { id, steers } = running;
  running = null;
  for (const one of [id, ...steers]) {
    if (value instanceof Error) refuse(one, 500, value.message);
    else result(one, { usage: { inputTokens: 10, outputTokens: 2 }, ...value });
  }
}
const done = (stopReason = "end_turn") => finish({ stopReason });

const permission = (toolCall) =>
  ask("session/request_permission", {
    sessionId: SESSION,
    toolCall,
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  });

const deeds = {
  async ask() {
    const toolCall = { toolCallId: "t1", title: "touch owned", kind: "execute", rawInput: { command: "touch owned" } };
    const answer = await permission(toolCall);
    const isAllowed = /once|always/.test(answer.result?.outcome?.optionId ?? "");
    update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: isAllowed ? "completed" : "failed" });
    say(`answer: ${JSON.stringify(answer.result ?? answer.error)}`);
    done();
  },
  async fetch() {
    const answer = await permission({ toolCallId: "t2", title: "example.org", kind: "fetch" });
    say(`answer: ${JSON.stringify(answer.result)}`);
    done();
  },
  async question() {
    const questions = [
      {
        id: "q1",
        prompt: "Which?",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
        allowMultiple: true,
      },
    ];
    const answer = await ask("cursor/ask_question", { toolCallId: "t3", title: "Choose", questions });
    say(`answer: ${JSON.stringify(answer.result)}`);
    done();
  },
  async blueprint() {
    const todos = [
      { id: "1", content: "Look", status: "pending" },
      { id: "2", content: "Do", status: "pending" },
    ];
    const answer = await ask("cursor/create_plan", {
      toolCallId: "t4",
      name: "P",
      overview: "O",
      plan: "# Plan",
      todos,
    });
    const merged = { toolCallId: "t4", todos: [{ id: "1", content: "Look", status: "completed" }], merge: true };
    const acknowledged = await ask("cursor/update_todos", merged);
    say(`answer: ${JSON.stringify([answer.result, acknowledged.result])}`);
    done();
  },
  async files() {
    const codes = [];
    for (const method of ["fs/read_text_file", "fs/write_text_file", "terminal/create", "vendor/unknown"]) {
      const answer = await ask(method, { sessionId: SESSION, path: "/etc/passwd" });
      codes.push(answer.error?.code);
    }
    say(`codes: ${codes.join(",")}`);
    done();
  },
  tool() {
    say("working");
    update({ sessionUpdate: "tool_call", toolCallId: "t5", title: "sleep 60", kind: "execute", status: "in_progress" });
  },
  long() {
    say("this goes on and on");
  },
  thoughts() {
    think("Let me ");
    think("think.");
    say("First.", "m1");
    say("Second.", "m2");
    think("Hm.");
    update({
      sessionUpdate: "plan",
      entries: [
        { content: "Look", status: "completed" },
        { content: "Do", status: "odd" },
      ],
    });
    update({ sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } });
    update({ sessionUpdate: "never_heard_of", stuff: [1] });
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a subagent" } }, "another-session");
    update({ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } });
    done();
  },
  writes() {
    const diff = { type: "diff", path: "/x/a.txt", oldText: "one\ntwo\nthree\n", newText: "one\n2\nthree\n" };
    update({ sessionUpdate: "tool_call", toolCallId: "t6", title: "Edit a.txt", kind: "edit", content: [diff] });
    update({ sessionUpdate: "tool_call_update", toolCallId: "t6", status: "completed" });
    say("written");
    done();
  },
  noise() {
    write("Loading…\n\n\u001b[31mred\u001b[0m\n[1,2]\n");
    say("through the noise");
    write('{"jsonrpc":"2.0","id":99,"result":{}}\n');
    done();
  },
  order() {
    update({ sessionUpdate: "tool_call_update", toolCallId: "t7", status: "completed", content: [] });
    update({ sessionUpdate: "tool_call", toolCallId: "t7", title: "late", status: "pending" });
    update({ sessionUpdate: "tool_call_update", toolCallId: "t7", status: "failed" });
    say("in some order");
    const { id } = running;
    done();
    result(id, { stopReason: "end_turn" });
  },
  crash() {
    say("about to");
    writeSync(2, "out of memory\n");
    writeSync(1, '{"jsonrpc":"2.0","method":"session/upd');
    process.exit(3);
  },
  silent: () => done(),
  async retries() {
    writeSync(
      2,
      "Attempt 1 failed with status 429. Retrying with backoff... ApiError: quota exceeded\n    at x.js:1\n",
    );
    await readBefore();
    say("At last.");
    done();
  },
  async mumbling() {
    writeSync(2, "upstream said no\n");
    await readBefore();
    done();
  },
  murmuring() {
    update({ sessionUpdate: "usage_update", used: 10, size: 100 });
    writeSync(2, "upstream said no\n");
    done();
    writeFileSync("murmured", "");
  },
  refusal: () => done("refusal"),
  exhausted() {
    say("half of ");
    done("max_tokens");
  },
  failure: () => finish(new Error('{"error":{"message":"the model is gone"}}')),
  digest(text) {
    const digest = createHash("sha256").update(text).digest("hex");
    say(JSON.stringify({ digest, bytes: Buffer.byteLength(text), argv: process.argv.slice(2) }));
    done();
  },
  facts() {
    const env = Object.keys(process.env).filter((name) => /^(GEMINI|OPENCODE|FAKE)/.test(name));
    say(
      JSON.stringify({
        model,
        mode,
        effort,
        takenBack,
        hasListed,
        opening: JSON.parse(opening),
        env,
        permission: process.env.OPENCODE_PERMISSION,
      }),
    );
    done();
  },
};

function act(text) {
  const deed = has("--digest") ? "digest" : Object.keys(deeds).find((word) => text.includes(word));
  if (text.startsWith("tools ")) void useTools(JSON.parse(text.slice("tools ".length)));
  else if (text.startsWith("/compact") && !has("--digest")) compact(text);
  else if (deed !== undefined) void deeds[deed](text);
  else {
    say(`you said: ${text}`);
    setTimeout(() => running !== null && done(), 5);
  }
}

function compact(text) {
  if (has("--compacts-for-ever")) return;
  say(text.endsWith("too early") ? "Nothing to compact yet." : `Compacted by ${text}.`);
  if (!text.endsWith("too early")) update({ sessionUpdate: "usage_update", used: 4, size: 100 });
  done();
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("error", () => {});
process.stdin.on("end", () => has("--deaf") || process.exit(0));
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) hear(JSON.parse(line));
});
setInterval(() => {}, 60_000);

function hear(message) {
  if (message.method === "session/cancel") {
    if (!has("--deaf") && running !== null) done("cancelled");
  } else if (message.method === undefined) {
    if (message.result?.outcome?.outcome === "cancelled") takenBack += 1;
    if (running !== null) waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  } else if (methods[message.method] === undefined) refuse(message.id, -32601, "unknown");
  else methods[message.method](message.id, message.params);
}
