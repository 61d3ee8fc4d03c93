/** The routes under /v1 over a running server: what they answer, and how they refuse. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { Ack, ApiError, errorCodes, type SessionEvent } from "../../src/protocol/index.ts";
import { statusOf } from "../../src/server/http/answer.ts";
import { createManualClock } from "../host/manual-clock.ts";
import { openSource, type Received, type Source } from "./event-source.ts";
import { hostileIds } from "./hostile-ids.ts";
import { ask, authorized, createSession, openServer, sendRaw, type OpenServer } from "./open-server.ts";
import { bodyTypeOf } from "./raw-head.ts";

const NOBODY = "01JN0000000000000000000001";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serverFor(options: Parameters<typeof openServer>[0] = {}): Promise<OpenServer> {
  const open = await openServer(options);
  closing.push(() => open.close());
  return open;
}

async function follow(open: OpenServer, path: string, headers: Record<string, string> = {}): Promise<Source> {
  const source = await openSource(`${open.server.url}${path}`, { ...authorized(open), ...headers });
  closing.push(() => source.close());
  return source;
}

function send(open: OpenServer, sessionId: string, text: string, id = "m1"): Promise<Response> {
  const command = { type: "send", commandId: id, text, clientMessageId: id };
  return ask(open, `/v1/sessions/${sessionId}/commands`, command);
}

const isAnswered = ({ data }: Received) => {
  const event = data as SessionEvent;
  return event.type === "message_delivery" && event.state === "answered";
};

const eventsOf = (source: Source) => source.received.filter((one) => one.id !== undefined);

describe("questions", () => {
  test("a session is created with the defaults or what is given, and read as list, snapshot, page, requests and usage", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open, { title: "named", settings: { mode: "sequential" } });
    const source = await follow(open, `/v1/sessions/${sessionId}/events`);
    const sent = await send(open, sessionId, "/try long 100");
    const ack = Ack.parse(await sent.json());
    expect([sent.status, ack]).toEqual([200, expect.objectContaining({ commandId: "m1", ok: true })]);
    await source.next(isAnswered);
    const read = async (path: string) => (await ask(open, path)).json();
    expect(await read("/v1/sessions")).toEqual([
      expect.objectContaining({ sessionId, title: "named", cwd: open.newSession.cwd, turns: 1 }),
    ]);
    const page = await read(`/v1/sessions/${sessionId}/pages/0`);
    expect(JSON.stringify(page)).toContain("/try long 100");
    expect(await read(`/v1/sessions/${sessionId}`)).toMatchObject({ seq: eventsOf(source).length, frozenPages: 0 });
    expect(await read(`/v1/sessions/${sessionId}/requests`)).toEqual([]);
    const usage = (await read(`/v1/sessions/${sessionId}/usage`)) as { totals: object };
    expect(usage).toMatchObject({ totals: { turns: 1 }, members: [{ name: "scout", totals: usage.totals }] });
    expect(await read("/v1/agents")).toEqual([expect.objectContaining({ name: "scout", kind: "embedded" })]);
  });

  test("GET /v1/files names files of the directory that a new session gets; what cannot be asked is refused with what can", async () => {
    const open = await serverFor();
    writeFileSync(join(open.newSession.cwd, "my notes.md"), "");
    const read = async (query: string) => (await ask(open, `/v1/files?${query}`)).json();
    expect(await read("query=MY%20NOTES&limit=5")).toEqual({ files: ["my notes.md"] });
    expect(await read("query=no%20such%20file")).toEqual({ files: [] });
    for (const query of ["limit=0", "limit=1001", "limit=many", "limit=1.5"])
      expect(await read(query)).toMatchObject({ error: { message: expect.stringContaining("from 1 to 1000") } });
  });

  test("a session whose beginning is too large for a log is refused, and there is none", async () => {
    const open = await serverFor();
    const settings = { preamble: "x".repeat(300_000) };
    for (const members of [undefined, []]) {
      const answer = await ask(open, "/v1/sessions", { settings, members });
      expect(await answer.json()).toMatchObject({ error: { code: "too_large" } });
    }
    expect(await (await ask(open, "/v1/sessions")).json()).toEqual([]);
  });

  test("[S300] refuses a command whose event is too large for the log, and the session continues", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const path = `/v1/sessions/${sessionId}/commands`;
    const huge = { commandId: "c1", type: "switch_model", member: "scout", model: "x".repeat(300_000) };
    expect(await (await ask(open, path, huge)).json()).toMatchObject({ error: { code: "too_large" } });
    const rename = await ask(open, path, { commandId: "c2", type: "rename", title: "still here" });
    expect(await rename.json()).toMatchObject({ commandId: "c2", ok: true });
  });

  test("what an agent asks is listed while it is open, and the first answer over any way in settles it", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const source = await follow(open, `/v1/sessions/${sessionId}/events`);
    await send(open, sessionId, "/try confirm");
    await source.next(({ data }) => (data as SessionEvent).type === "ui_request");
    const requests = (await (await ask(open, `/v1/sessions/${sessionId}/requests`)).json()) as { requestId: string }[];
    expect(requests.length).toBe(1);
    const answer = (id: string) => ({ type: "answer", commandId: id, requestId: requests[0]?.requestId, result: true });
    const answers = await Promise.all(
      ["a1", "a2"].map((id) => ask(open, `/v1/sessions/${sessionId}/commands`, answer(id))),
    );
    expect(answers.map((one) => one.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await (await ask(open, `/v1/sessions/${sessionId}/requests`)).json()).toEqual([]);
  });

  test("every error code has its status, and a refusal has code and reason", async () => {
    expect(Object.fromEntries(errorCodes.map((code) => [code, statusOf(code)]))).toEqual({
      bad_command: 400,
      unknown_session: 404,
      unknown_member: 404,
      unknown_message: 404,
      unknown_request: 404,
      unknown_turn: 404,
      conflict: 409,
      busy: 409,
      nobody_to_ask: 409,
      unsupported: 422,
      too_large: 413,
      store_unavailable: 503,
      locked: 503,
      version_mismatch: 409,
      closed: 503,
      internal: 500,
    });
    const open = await serverFor();
    const sessionId = await createSession(open);
    const commands = `/v1/sessions/${sessionId}/commands`;
    const cases: [path: string, body: unknown, status: number, code: string][] = [
      ["/v1/sessions", "{", 400, "bad_command"],
      ["/v1/sessions", { cwd: "/nowhere/at/all" }, 400, "bad_command"],
      ["/v1/sessions", { color: "red" }, 400, "bad_command"],
      [commands, { type: "dance", commandId: "c" }, 400, "bad_command"],
      [commands, { type: "send", text: "x", clientMessageId: "m" }, 400, "bad_command"],
      [commands, { type: "mute", commandId: "c", member: "nobody" }, 404, "unknown_member"],
      [`/v1/sessions/${NOBODY}/commands`, { type: "continue", commandId: "c" }, 404, "unknown_session"],
      [`/v1/sessions/${NOBODY}`, undefined, 404, "unknown_session"],
      [`/v1/sessions/${NOBODY}/pages/0`, undefined, 404, "unknown_session"],
      [`/v1/sessions/${NOBODY}/events`, undefined, 404, "unknown_session"],
      [`/v1/sessions/${NOBODY}/requests`, undefined, 404, "unknown_session"],
      [`/v1/sessions/${NOBODY}/usage`, undefined, 404, "unknown_session"],
      [`/v1/sessions/${sessionId}/pages/7`, undefined, 404, "unknown_message"],
      [`/v1/sessions/${sessionId}/blobs/${"0".repeat(64)}`, undefined, 404, "unknown_message"],
      [`/v1/sessions/${sessionId.slice(-6)}`, undefined, 400, "bad_command"],
      [`/v1/sessions/${sessionId.toLowerCase()}/commands`, { type: "continue", commandId: "c" }, 400, "bad_command"],
      [`/v1/sessions/${sessionId}/pages/first`, undefined, 400, "bad_command"],
      [`/v1/sessions/${sessionId}/events?after=-1`, undefined, 400, "bad_command"],
      [`/v1/sessions/${sessionId}/events?after=1&epoch=x`, undefined, 400, "bad_command"],
    ];
    for (const [path, body, status, code] of cases) {
      const answer = await ask(open, path, body);
      const said = ApiError.parse(await answer.json());
      expect([path, answer.status, said.error.code]).toEqual([path, status, code]);
    }
  });

  test("a hostile id is refused on every route that has one, before any lookup", async () => {
    const open = await serverFor();
    const routes = [...open.server.routes.values()].flat().filter((route) => route.path.includes(":id"));
    expect(routes.length).toBeGreaterThanOrEqual(6);
    const letThrough: string[] = [];
    for (const route of routes) {
      const { method, path } = route;
      for (const id of hostileIds) {
        const before = open.server.counts.handled;
        const target = path
          .replace(":id", () => id)
          .replace(":n", "0")
          .replace(":hash", "0".repeat(64));
        const body = method === "POST" ? `Content-Type: ${bodyTypeOf(route)}\r\nContent-Length: 2\r\n` : "";
        const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\n`;
        const answer = await sendRaw(
          open.port,
          Buffer.from(`${head}Authorization: Bearer ${open.server.token}\r\n${body}\r\n`).toString("latin1"),
        );
        const isRefused = answer.status === 400 || answer.status === 404 || answer.status === 405;
        if (!isRefused || open.server.counts.handled !== before) letThrough.push(`${method} ${target}: ${answer.text}`);
      }
    }
    expect(letThrough).toEqual([]);
  });
});

describe("streams", () => {
  test("[V35] a stream gives every event after its seq once, live and again, the same as a WebSocket; what is no event has no id", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const path = `/v1/sessions/${sessionId}/events`;
    const live = await follow(open, path);
    await send(open, sessionId, "/try long 20000");
    await live.next(isAnswered);
    const all = eventsOf(live);
    expect(all.map((one) => one.id)).toEqual(all.map((_, at) => `1.${at + 1}`));
    expect(live.received.find((one) => one.id === undefined)).toEqual({
      id: undefined,
      name: "heartbeat",
      data: { epoch: 1, seq: expect.any(Number) },
    });
    const last = (all.length - 3).toString();
    for (const source of [
      await follow(open, `${path}?after=${last}`),
      await follow(open, `${path}?after=${last}&epoch=1`),
      await follow(open, `${path}?after=0`, { "last-event-id": last }),
    ]) {
      await source.next(isAnswered);
      expect(eventsOf(source)).toEqual(all.slice(-3));
    }
    const client = await createClient(() => connectWebSocket(open.server.url, open.server.token));
    closing.push(() => client.close());
    const framed: SessionEvent[] = [];
    const done = Promise.withResolvers<void>();
    await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
      framed.push(...events);
      if (framed.length >= all.length) done.resolve();
    });
    await done.promise;
    expect(framed).toEqual(all.map((one) => one.data));
  });

  test("a seq or an epoch the log never had gets a resync and the end of the stream", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    for (const query of ["after=999", "after=1&epoch=7"]) {
      const source = await follow(open, `/v1/sessions/${sessionId}/events?${query}`);
      await source.ended;
      expect(source.received.map((one) => one.name)).toEqual(["heartbeat", "resync"]);
    }
  });

  test("a stopping server announces it on every stream", async () => {
    const open = await openServer();
    const sessionId = await createSession(open);
    const sources = [await follow(open, `/v1/sessions/${sessionId}/events`), await follow(open, "/v1/sessions/events")];
    await Promise.all(sources.map((source) => source.next(() => true)));
    await open.close();
    for (const source of sources) {
      await source.ended;
      // Events that are still being read may follow.
      expect(source.received.map(({ name }) => name)).toContain("shutdown");
    }
  });

  test("the live list starts with all sessions and reports each new and changed one", async () => {
    const open = await serverFor();
    const first = await createSession(open, { title: "first" });
    const source = await follow(open, "/v1/sessions/events");
    const whole = await source.next(({ name }) => name === "sessions");
    expect(whole.data).toEqual([expect.objectContaining({ sessionId: first, title: "first" })]);
    const second = await createSession(open, { title: "second" });
    await source.next(({ name, data }) => name === "session" && (data as { sessionId: string }).sessionId === second);
    await ask(open, `/v1/sessions/${first}/commands`, { type: "rename", commandId: "r", title: "renamed" });
    await source.next(({ name, data }) => name === "session" && (data as { title: string }).title === "renamed");
    expect(source.received.every((one) => one.id === undefined)).toBe(true);
  });
});

describe("guessing", () => {
  test("[V40] after 20 wrong tokens in 10 seconds all wrong ones get 429 for 10 seconds, and the right one still passes", async () => {
    const clock = createManualClock();
    const open = await serverFor({ clock });
    const guess = async () =>
      (await fetch(`${open.server.url}/v1/defaults`, { headers: { authorization: "Bearer wrong" } })).status;
    const guesses = async (count: number) => {
      const statuses: number[] = [];
      for (let at = 0; at < count; at += 1) statuses.push(await guess());
      return statuses;
    };
    expect(await guesses(20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(await guesses(3)).toEqual([429, 429, 429]);
    expect((await ask(open, "/v1/defaults")).status).toBe(200);
    expect((await fetch(`${open.server.url}/v1/defaults`)).status).toBe(401);
    const wrongCode = await ask(open, "/v1/exchange", { code: "wrong" });
    expect(wrongCode.status).toBe(429);
    clock.advance(10_000);
    expect(await guess()).toBe(401);
  });
});
