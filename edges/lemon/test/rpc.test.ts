/** The real program, driven through its stdin by a client that knows only the format. */
import { describe, expect, test as base } from "vitest";
import { createHome, threeScouts, type Home } from "../../../test/cli/program.ts";
import { conversationOf, type ReadSession } from "./line-reader.ts";
import type { WireAssistant } from "./line-schemas.ts";
import { RpcClient } from "./rpc-client.ts";
import { patient } from "../../../test/patience.ts";

/** Tests run in parallel: each opens its own. */
const test = base.extend<{ open: (args?: readonly string[], home?: Home) => RpcClient }>({
  open: async ({ task: _task }, use) => {
    const clients: RpcClient[] = [];
    await use((args = [], home = createHome()) => {
      const client = new RpcClient(home, args);
      clients.push(client);
      return client;
    });
    for (const client of clients) {
      if (client.child.exitCode === null) client.child.kill("SIGKILL");
      await client.exit;
    }
    for (const client of clients) {
      expect(client.wrong).toStrictEqual([]);
      for (const session of client.sessions.values()) expect(session.faults).toStrictEqual([]);
    }
  },
});

function homeWith(config: object): Home {
  const home = createHome();
  home.configure(config);
  return home;
}

function assistants(session: ReadSession): WireAssistant[] {
  return session.messages.filter((message) => message.role === "assistant");
}

function textOf(message: WireAssistant | undefined): string {
  return (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}

const notHeaded = (): boolean => false;

test.concurrent("a prompt without a session starts one, streams, and ends with the full answer; save, stats and quit answer", async ({
  open,
}) => {
  const client = open();
  const ready = await client.next("ready");
  expect(ready).toMatchObject({ ui: true, debug: false, primary_session_id: null, active_session_id: null });
  expect(ready.model).toStrictEqual({ provider: "roundtable", id: "scout" });
  client.send({ type: "ping" });
  await client.next("pong");
  await client.prompt("/try long 3000");
  const session = client.session();
  const [user, answer] = session.messages;
  expect(user).toMatchObject({ role: "user", content: "/try long 3000" });
  expect(answer).toMatchObject({ role: "assistant", provider: "scout", stop_reason: "stop", error_message: null });
  expect(
    client.lines.filter((line) => line.type === "event" && line.event.type === "message_update").length,
  ).toBeGreaterThan(1);
  const order = client.lines
    .map((line) => line.type)
    .filter((type) => /^(?:session_started|active_session)$/.test(type));
  expect(order).toStrictEqual(["session_started", "active_session"]);
  client.send({ type: "stats" });
  const { stats } = await client.next("stats");
  expect(stats).toMatchObject({ message_count: 2, turn_count: 1, is_streaming: false, thinking_level: null });
  client.send({ type: "save" });
  const saved = await client.next("save_result");
  expect(saved.path.endsWith(`${stats.session_id}.jsonl`)).toBe(true);
  client.send({ type: "list_sessions" });
  const { sessions } = await client.next("sessions_list");
  expect(sessions).toMatchObject([{ path: saved.path, id: stats.session_id }]);
  expect(await client.quit()).toBe(0);
  expect(client.lines.at(-1)).toStrictEqual({ type: "event", event: { type: "quit" } });
});

test.concurrent("parallel tools, one failing, are each started, ended and reported, and thinking has its own blocks", async ({
  open,
}) => {
  const client = open();
  await client.prompt("/try tools");
  const session = client.session();
  expect([...session.tools.values()].map((tool) => tool.isError)).toStrictEqual([false, false, true, false]);
  const results = session.messages.filter((message) => message.role === "tool_result");
  expect(results.map((result) => result.tool_name)).toStrictEqual(["wait", "wait", "wait", "wait"]);
  await client.prompt("/try thinking");
  const thought = conversationOf(session.messages, notHeaded).members.get("scout") ?? [];
  expect(thought.filter((one) => one.startsWith("thinking ")).length).toBe(2);
});

describe.concurrent("overlays", () => {
  test("the four overlays open with their parameters, and each answer reaches the member", async ({ open }) => {
    const client = open();
    const ask = async (name: string) => {
      client.send({ type: "prompt", text: `/try ${name}` });
      return await client.next("ui_request");
    };
    const answered = async (id: string, result: unknown) => {
      client.send({ type: "ui_response", id, result, error: null });
      await client.event("agent_end");
      return textOf(assistants(client.session()).at(-1));
    };
    const select = await ask("select");
    expect(select.params).toStrictEqual({
      title: "Which colour?",
      options: [
        { label: "Red", value: "red", description: "the first of three" },
        { label: "Green", value: "green", description: null },
        { label: "Blue", value: "blue", description: null },
      ],
      opts: {},
    });
    expect(await answered(select.id, "green")).toContain('"green"');
    const confirm = await ask("confirm");
    expect(confirm.params).toStrictEqual({ title: "Go on?", message: "Nothing happens either way.", opts: {} });
    expect(await answered(confirm.id, true)).toContain("true");
    const input = await ask("input");
    expect(input.params).toStrictEqual({ title: "Your name?", placeholder: "any word", opts: {} });
    expect(await answered(input.id, "Ada")).toContain('"Ada"');
    const editor = await ask("editor");
    expect(editor.params).toStrictEqual({ title: "Edit this note", prefill: "First line\nSecond line\n", opts: {} });
    expect(await answered(editor.id, null)).toContain("null");
  });

  test("an approval shows the exact call, questions are shown one after another, and an invalid answer leaves them open", async ({
    open,
  }) => {
    const client = open();
    client.send({ type: "prompt", text: "/try approval" });
    const approval = await client.next("ui_request");
    expect(approval.method).toBe("select");
    expect(approval.params.title).toContain("rm -rf build && npm run build");
    client.send({ type: "ui_response", id: approval.id, result: "perhaps", error: null });
    expect((await client.next("error")).message).toContain("the answer must be one of");
    client.send({ type: "ui_response", id: approval.id, result: "deny", error: null });
    await client.event("agent_end");
    expect(textOf(assistants(client.session()).at(-1))).toContain("`false`");
    client.send({ type: "prompt", text: "/try question" });
    const first = await client.next("ui_request");
    client.send({ type: "ui_response", id: first.id, result: "red" });
    const second = await client.next("ui_request");
    client.send({ type: "ui_response", id: second.id, result: "__done__" });
    const third = await client.next("ui_request", ({ method }) => method === "input");
    client.send({ type: "ui_response", id: third.id, result: "because", error: null });
    await client.event("agent_end");
    expect(textOf(assistants(client.session()).at(-1))).toContain('{"colours":["red"],"why":"because"}');
  });

  test("an error wins over a result, a cancelled confirmation stays cancelled, and an abort takes the overlay away", async ({
    open,
  }) => {
    const client = open();
    client.send({ type: "prompt", text: "/try input" });
    const input = await client.next("ui_request");
    client.send({ type: "ui_response", id: input.id });
    expect((await client.next("error")).message).toContain("invalid response");
    client.send({ type: "ui_response", id: input.id, result: "x", error: "the window was closed" });
    await client.event("agent_end");
    expect(textOf(assistants(client.session()).at(-1))).toContain("the window was closed");
    client.send({ type: "prompt", text: "/try confirm" });
    client.send({ type: "ui_response", id: (await client.next("ui_request")).id, result: null, error: null });
    await client.event("agent_end");
    expect(textOf(assistants(client.session()).at(-1))).toContain("You answered `null`.");
    client.send({ type: "prompt", text: "/try select" });
    const select = await client.next("ui_request");
    client.send({ type: "abort" });
    expect(await client.next("ui_cancel")).toMatchObject({ id: select.id, reason: "cancelled" });
    client.send({ type: "ui_response", id: select.id, result: "red", error: null });
    expect((await client.next("error")).message).toContain("no request");
  });

  test("without a screen nothing is asked: requests get their safe default and signals are not sent", async ({
    open,
  }) => {
    const client = open(["--no-ui"]);
    expect((await client.next("ready")).ui).toBe(false);
    await client.prompt("/try approval");
    expect(textOf(assistants(client.session()).at(-1))).toContain("false");
    await client.prompt("/try notify");
    expect(client.lines.filter((line) => line.type.startsWith("ui_"))).toStrictEqual([]);
  });
});

test.concurrent("the six signals have their own lines", async ({ open, expect }) => {
  const client = open();
  for (const name of ["notify", "status", "widget", "working", "title", "editor-text"]) {
    client.send({ type: "start_session" });
    client.send({
      type: "prompt",
      text: `/try ${name}`,
      session_id: (await client.next("session_started")).session_id,
    });
  }
  const signals = () => client.lines.filter((line) => line.type.startsWith("ui_"));
  const wanted = ["ui_notify", "ui_status", "ui_widget", "ui_working", "ui_set_title", "ui_set_editor_text"];
  await expect
    .poll(() => new Set(signals().map((line) => line.type)), { timeout: patient(20_000) })
    .toStrictEqual(new Set(wanted));
  const notices = () => signals().flatMap((line) => (line.type === "ui_notify" ? [line.params.notify_type] : []));
  await expect.poll(notices, { timeout: patient(20_000) }).toContain("warning");
});

test.concurrent("abort keeps the text so far and ends a running tool; an error has its reason", async ({ open }) => {
  const client = open();
  client.send({ type: "prompt", text: "/try hang" });
  await client.event("message_update");
  client.send({ type: "abort" });
  await client.event("agent_end");
  expect(assistants(client.session()).at(-1)).toMatchObject({ stop_reason: "aborted" });
  expect(textOf(assistants(client.session()).at(-1))).toContain("I hang now");
  client.send({ type: "prompt", text: "/try tools" });
  await client.event("tool_execution_start");
  client.send({ type: "abort" });
  await client.event("agent_end");
  const results = client.session().messages.filter((message) => message.role === "tool_result");
  expect(results.map((result) => result.details["error_code"])).toContain("tool_interrupted");
  await client.prompt("/try error");
  expect(assistants(client.session()).at(-1)).toMatchObject({ stop_reason: "error" });
  expect(client.lines.some((line) => line.type === "event" && line.event.type === "error")).toBe(true);
});

test.concurrent("several members alternate in one stream, each message under its member's name", async ({ open }) => {
  const client = open([], homeWith(threeScouts));
  await client.prompt("/try long 4000");
  const said = assistants(client.session());
  const first = said.filter((message) => message.content.length > 0);
  expect(new Set(first.map((message) => message.provider))).toStrictEqual(new Set(["ada", "bob", "cyd"]));
  for (const message of first)
    expect(message.content[0]).toMatchObject({ type: "text", text: `**${message.provider}**\n\n` });
});

test.concurrent("sessions are started, switched and closed by id, and a file restores one with its conversation", async ({
  open,
}) => {
  const home = createHome();
  const client = open([], home);
  client.send({ type: "start_session", cwd: home.project, model: "roundtable:scout" });
  const first = await client.next("session_started");
  expect((await client.next("active_session")).session_id).toBe(first.session_id);
  client.send({ type: "start_session" });
  const second = await client.next("session_started");
  await client.prompt("/try silence", second.session_id);
  await client.prompt("/try thinking", second.session_id);
  client.send({ type: "set_active_session", session_id: second.session_id });
  expect((await client.next("active_session")).session_id).toBe(second.session_id);
  client.send({ type: "list_running_sessions" });
  expect((await client.next("running_sessions")).sessions.map((one) => one.session_id)).toStrictEqual([
    first.session_id,
    second.session_id,
  ]);
  client.send({ type: "save" });
  const { path } = await client.next("save_result");
  client.send({ type: "close_session", session_id: second.session_id });
  expect(await client.next("session_closed")).toMatchObject({ session_id: second.session_id, reason: "normal" });
  expect((await client.next("active_session")).session_id).toBeNull();
  client.send({ type: "close_session", session_id: "nobody" });
  expect(await client.next("session_closed")).toMatchObject({ session_id: "nobody", reason: "not_found" });
  const said = client.sessions.get(second.session_id)?.messages ?? [];
  expect(await client.quit()).toBe(0);

  const again = open(["--session-file", path], home);
  expect((await again.next("ready")).active_session_id).toBe(second.session_id);
  again.send({ type: "stats" });
  await again.next("stats");
  expect(again.session().messages).toStrictEqual(said);
  again.send({ type: "start_session", session_file: path });
  await again.next("session_started");
  again.send({ type: "stats" });
  await again.next("stats");
  expect(again.sessions.get(second.session_id)?.messages).toStrictEqual(said);
});

test.concurrent("reset stops running turns and starts the session with an empty context", async ({ open }) => {
  const client = open();
  client.send({ type: "prompt", text: "/try hang" });
  await client.event("message_update");
  client.send({ type: "reset" });
  await client.event("agent_end");
  await client.prompt("/try silence");
  client.send({ type: "save" });
  const { path } = await client.next("save_result");
  client.send({ type: "start_session", session_file: path });
  await client.next("session_started");
  client.send({ type: "stats" });
  await client.next("stats");
  const users = client.session().messages.filter((message) => message.role === "user");
  expect(users.map((message) => message.content)).toStrictEqual(["/try silence"]);
});

test.concurrent("a prompt during a turn is not lost: it steers the turn or is queued", async ({ open }) => {
  const client = open();
  client.send({ type: "prompt", text: "/try slow" });
  await client.event("message_update");
  client.send({ type: "prompt", text: "and this" });
  await client.next(
    "event",
    ({ event }) =>
      event.type === "message_start" && event.data[0].role === "user" && event.data[0].content === "and this",
  );
  client.send({ type: "abort" });
  await client.event("agent_end");
});

test.concurrent("the end of stdin gives open requests their safe default, settles the turns and ends", async ({
  open,
}) => {
  const client = open();
  client.send({ type: "prompt", text: "/try approval" });
  await client.next("ui_request");
  client.child.stdin.end();
  expect(await client.exit).toBe(0);
  expect(textOf(assistants(client.session()).at(-1))).toContain("false");
  expect(client.session().isBusy).toBe(false);
  expect(client.lines.at(-1)).toStrictEqual({ type: "error", message: "stdin closed" });
  const hanging = open();
  hanging.send({ type: "prompt", text: "/try hang" });
  await hanging.event("message_update");
  hanging.child.stdin.end();
  expect(await hanging.exit).toBe(0);
  expect(assistants(hanging.session()).at(-1)).toMatchObject({ stop_reason: "aborted" });
});

test.concurrent("whatever a line holds, it is answered in this protocol and the next one is read", async ({ open }) => {
  const client = open();
  await client.next("ready");
  const hostile = [
    "42",
    "null",
    "[]",
    '{"type":"frob"}',
    '{"type":"prompt"}',
    '{"type":"prompt","text":7}',
    '{"type":"stats","session_id":{"a":1}}',
    '{"type":"stats","session_id":"../../etc/passwd"}',
    '{"type":"abort","session_id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}',
    '{"type":"start_session","cwd":"/no/such/place"}',
    '{"type":"start_session","session_file":"../../../../etc/passwd"}',
    '{"type":"start_session","model":"nobody:nothing"}',
    '{"type":"start_session","model":"shapeless"}',
    '{"type":"set_active_session"}',
    '{"type":"set_active_session","session_id":"__proto__"}',
    '{"type":"close_session"}',
    '{"type":"ui_response","id":"__proto__","result":1}',
    '{"type":"ui_response"}',
    `{"type":"goal","action":"set","objective":"x"}`,
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  ];
  for (const line of hostile) {
    client.write(`${line}\n`);
    expect((await client.next("error")).message).not.toBe("");
  }
  client.write(`{"type":"prompt","text":"${"x".repeat(9 * 1024 * 1024)}"}\n`);
  expect((await client.next("error")).message).toContain("bytes was left out");
  client.send({ type: "set_config", key: "claude_skip_permissions", value: true });
  expect((await client.next("config_state")).config.claude_skip_permissions).toBe(false);
  client.write("\n  \n/try silence\n");
  await client.event("agent_end");
  expect(client.session().messages[0]).toMatchObject({ role: "user", content: "/try silence" });
});

test.concurrent("rpc accepts the options of the format in both spellings and after dashes", async ({ open }) => {
  const home = createHome();
  const client = open(["--", "--cwd", `${home.project}/src`, "--system_prompt", "Be brief.", "--debug"], home);
  const ready = await client.next("ready");
  expect(ready).toMatchObject({ cwd: `${home.project}/src`, debug: true });
  expect((await client.next("debug")).argv).toContain("--system_prompt");
  const other = open(["--base-url", "http://127.0.0.1:1/v1", "--model", "openai:some-model"], home);
  expect((await other.next("ready")).model).toStrictEqual({ provider: "roundtable", id: "openai" });
  const unknown = open(["--model", "nobody:knows"], home);
  expect((await unknown.next("ready")).model).toStrictEqual({ provider: "roundtable", id: "scout" });
  await unknown.quit();
  expect(unknown.stderr).toContain('unknown model "knows"');
});
