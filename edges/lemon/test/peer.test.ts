/** Behaviour that needs a fake clock or a slow reader: overlay timeouts and backpressure. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { MISSED_BYTES_MAX } from "../../../src/client/missed-events.ts";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { REQUEST_TIMEOUT_MS } from "../../../test/wires/wire-session.ts";
import { openPeer, type PeerSetup } from "./open-peer.ts";

let opened: Awaited<ReturnType<typeof openPeer>>;
let cwd: string;

async function open(setup: Omit<PeerSetup, "cwd">) {
  cwd = mkdtempSync(join(tmpdir(), "rt-rpc-"));
  opened = await openPeer({ cwd, ...setup });
  return opened;
}

afterEach(async () => {
  await opened.close();
  expect(opened.hearer.wrong).toEqual([]);
  for (const session of opened.hearer.sessions.values()) expect(session.faults).toEqual([]);
  rmSync(cwd, { recursive: true, force: true });
});

test("an overlay has a time limit; when it expires the client is notified, and a later answer is refused", async () => {
  const clock = createManualClock();
  const { hearer, say } = await open({ clock });
  say({ type: "prompt", text: "ask" });
  const asked = await hearer.next("ui_request");
  expect(asked).toMatchObject({ method: "select", timeout_ms: REQUEST_TIMEOUT_MS });
  clock.advance(REQUEST_TIMEOUT_MS);
  expect(await hearer.next("ui_cancel")).toMatchObject({ id: asked.id, reason: "expired" });
  await hearer.event("agent_end");
  say({ type: "ui_response", id: asked.id, result: "red", error: null });
  expect((await hearer.next("error")).message).toContain("no request");
  const [last] = hearer.session().messages.slice(-1);
  expect(JSON.stringify(last)).toContain("Nobody said: expired.");
});

test("an answer that the session refuses opens its overlay again, and the next answer counts", async () => {
  const { hearer, say } = await open({});
  say({ type: "prompt", text: "ask" });
  const { id } = await hearer.next("ui_request");
  say({ type: "ui_response", id, result: "__other__", error: null });
  const input = await hearer.next("ui_request");
  say({ type: "ui_response", id: input.id, result: "x".repeat(256 * 1024), error: null });
  expect((await hearer.next("error")).message).toContain("the limit is");
  expect(await hearer.next("ui_request")).toMatchObject({ id, method: "select" });
  say({ type: "ui_response", id, result: "blue", error: null });
  await hearer.event("agent_end");
  expect(JSON.stringify(hearer.session().messages.at(-1))).toContain("blue");
});

test("an overlay of a session that is closed is cancelled because of that, not answered elsewhere", async () => {
  const { hearer, say } = await open({});
  say({ type: "prompt", text: "ask" });
  const { id, session_id } = await hearer.next("ui_request");
  say({ type: "close_session", session_id });
  expect(await hearer.next("ui_cancel")).toMatchObject({ id, reason: "session_closed" });
  expect(await hearer.next("session_closed")).toMatchObject({ session_id, reason: "normal" });
});

test("a client of wire 003 that stops reading loses no lines, and gets everything when it resumes", async () => {
  let room: PromiseWithResolvers<void> | undefined;
  const { hearer, say } = await open({ room: () => room?.promise });
  say({ type: "prompt", text: "say first" });
  await hearer.event("agent_end");
  room = Promise.withResolvers();
  const before = hearer.lines.length;
  for (const text of ["tools", "think", "fail"]) say({ type: "prompt", text });
  say({ type: "stats" });
  await hearer.next("stats", ({ stats }) => stats.message_count >= 5);
  expect(hearer.lines.slice(before).filter((line) => line.type === "event")).toEqual([]);
  room.resolve();
  room = undefined;
  await hearer.next("event", ({ event }) => event.type === "agent_end" && JSON.stringify(event).includes("Half of "));
  const said = hearer.session().messages;
  expect(said.flatMap((one) => (one.role === "user" ? [one.content] : []))).toEqual([
    "say first",
    "tools",
    "think",
    "fail",
  ]);
  expect(said.filter((one) => one.role === "tool_result").map((one) => one.is_error)).toEqual([false, true]);
});

test("a client of wire 003 that misses more than the buffer holds gets a notice, and then the whole conversation", async () => {
  let room: PromiseWithResolvers<void> | undefined;
  const { hearer, say } = await open({ room: () => room?.promise });
  say({ type: "prompt", text: "say first" });
  await hearer.event("agent_end");
  room = Promise.withResolvers();
  const texts = Array.from({ length: 32 }, (_, at) => `say ${at} ${"x".repeat(MISSED_BYTES_MAX / 30)}`);
  for (const text of texts) say({ type: "prompt", text });
  say({ type: "stats" });
  await hearer.next("stats", ({ stats }) => stats.message_count >= 2 + 2 * texts.length);
  const before = hearer.lines.length;
  room.resolve();
  room = undefined;
  const { params } = await hearer.next("ui_notify");
  expect(params).toMatchObject({
    message: expect.stringMatching(/^The client stopped reading, so \d+ events were skipped\./) as string,
  });
  await hearer.event("agent_end");
  expect(hearer.lines[before]).toMatchObject({ type: "ui_notify" });
  const said = hearer.session().messages;
  expect(said.flatMap((one) => (one.role === "user" ? [one.content] : []))).toEqual(["say first", ...texts]);
});

test("every command of the format has its own answer, and those of a session name it", async () => {
  const { hearer, say } = await open({});
  expect(await hearer.next("ready")).toMatchObject({ protocol_version: 1, ui: true, active_session_id: null });
  const ask = async (command: object, type: (typeof hearer.lines)[number]["type"]) => {
    say(command);
    return await hearer.next(type);
  };
  await ask({ type: "ping" }, "pong");
  expect(await ask({ type: "debug" }, "debug")).toMatchObject({ message: "debug command received" });
  expect(await ask({ type: "list_models" }, "models_list")).toMatchObject({
    providers: expect.arrayContaining([
      {
        id: "roundtable",
        models: expect.arrayContaining([{ id: "ling", name: expect.any(String) as string }]) as object,
      },
    ]) as object,
  });
  const config = { claude_skip_permissions: false, codex_auto_approve: false };
  expect(await ask({ type: "get_config" }, "config_state")).toEqual({ type: "config_state", config });
  say({ type: "set_config", key: "codex_auto_approve", value: true });
  expect(await hearer.next("error")).toMatchObject({
    message: expect.stringContaining("codex_auto_approve") as string,
  });
  expect(await hearer.next("config_state")).toEqual({ type: "config_state", config });
  expect(await ask({ type: "goal", action: "status" }, "error")).toMatchObject({ message: "goals are not supported" });
  say({ type: "start_session", cwd, model: "roundtable:ling", system_prompt: "Be brief.", parent_session: "x" });
  const { session_id } = await hearer.next("session_started");
  expect(await hearer.next("active_session")).toEqual({ type: "active_session", session_id });
  expect(await ask({ type: "stats", session_id }, "stats")).toMatchObject({ session_id, stats: { session_id, cwd } });
  expect(await ask({ type: "save", session_id }, "save_result")).toMatchObject({ session_id, ok: true });
  expect(await ask({ type: "list_sessions" }, "sessions_list")).toMatchObject({ sessions: [{ id: session_id, cwd }] });
  expect(await ask({ type: "list_running_sessions" }, "running_sessions")).toMatchObject({
    sessions: [{ session_id, cwd, is_streaming: false }],
    error: null,
  });
  expect(await ask({ type: "abort", session_id: "nobody" }, "error")).toMatchObject({ session_id: "nobody" });
  expect(await ask({ type: "close_session", session_id }, "session_closed")).toMatchObject({ reason: "normal" });
  expect(await ask({ type: "what" }, "error")).toMatchObject({ message: "unknown command" });
});

test("stats count a message for every part of an answer and every tool result, and are sent after a reset", async () => {
  const { hearer, say } = await open({});
  say({ type: "prompt", text: "tools" });
  await hearer.event("agent_end");
  say({ type: "stats" });
  const { stats } = await hearer.next("stats");
  expect(stats).toMatchObject({ message_count: hearer.session().messages.length, turn_count: 1 });
  expect(hearer.session().messages.map((one) => one.role)).toEqual([
    "user",
    "assistant",
    "tool_result",
    "assistant",
    "tool_result",
    "assistant",
  ]);
  say({ type: "reset" });
  const after = await hearer.next("stats");
  expect(after.stats).toMatchObject({ message_count: 0, turn_count: 0 });
});

test("a session that cannot start is reported with what to do", async () => {
  const { hearer, say } = await open({ project: "/no/such/place" });
  say({ type: "start_session" });
  expect(await hearer.next("error")).toMatchObject({
    message:
      'failed to start session: "/no/such/place" is not a directory. Use the absolute path of an existing directory.',
  });
});
