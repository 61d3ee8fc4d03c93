/** Runs, requests and changes of sessions over the routes, and what is said when something cannot be. */
import { afterEach, describe, expect, test } from "vitest";
import { ApiError, type SessionEvent } from "../../src/protocol/index.ts";
import { openSource, type Source } from "./event-source.ts";
import { ask, authorized, createSession, openServer, type OpenServer } from "./open-server.ts";

const NOBODY = "01JN0000000000000000000001";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serverFor(): Promise<OpenServer> {
  const open = await openServer();
  closing.push(() => open.close());
  return open;
}

async function follow(open: OpenServer, path: string, headers: Record<string, string> = {}): Promise<Source> {
  const source = await openSource(`${open.server.url}${path}`, { ...authorized(open), ...headers });
  closing.push(() => source.close());
  return source;
}

const isEvent =
  (fits: (event: SessionEvent) => boolean) =>
  ({ id, data }: { id: string | undefined; data: unknown }) =>
    id !== undefined && fits(data as SessionEvent);

/** The id of the message, once an event came that fits. */
async function send(open: OpenServer, sessionId: string, text: string, fits: (event: SessionEvent) => boolean) {
  const source = await follow(open, `/v1/sessions/${sessionId}/events`);
  const id = `m-${text}`;
  const command = { type: "send", commandId: id, clientMessageId: id, text };
  const sent = await ask(open, `/v1/sessions/${sessionId}/commands`, command);
  await source.next(isEvent(fits));
  return ((await sent.json()) as { result: { messageId: string } }).result.messageId;
}

const hasAnswered = (event: SessionEvent) => event.type === "message_delivery" && event.state === "answered";
const isSpeaking = (event: SessionEvent) => event.type === "text_delta";
const isAsking = (event: SessionEvent) => event.type === "ui_request";

async function read<T>(open: OpenServer, path: string): Promise<T> {
  return (await (await ask(open, path)).json()) as T;
}

interface Refused {
  path: string;
  body?: unknown;
  status: number;
  code: string;
  says: RegExp;
}

async function expectRefused(open: OpenServer, { path, body, status, code, says }: Refused): Promise<void> {
  const answer = await ask(open, path, body);
  const { error } = ApiError.parse(await answer.json());
  expect([path, answer.status, error.code, error.message]).toEqual([path, status, code, expect.stringMatching(says)]);
}

describe("runs", () => {
  test("a run is a message with its turns: in flight it is listed, of its session and of all, and ended it is still read by its id", async () => {
    const open = await serverFor();
    const [one, two] = [await createSession(open), await createSession(open)];
    const done = await send(open, one, "/try short", hasAnswered);
    const going = await send(open, two, "/try hang", isSpeaking);
    const queued = await ask(open, `/v1/sessions/${two}/commands`, {
      type: "queue_add",
      commandId: "q",
      clientMessageId: "q",
      text: "later",
    });
    const { messageId: waiting } = ((await queued.json()) as { result: { messageId: string } }).result;
    const running = {
      runId: going,
      sessionId: two,
      state: "running",
      text: "/try hang",
      clientId: "http",
      startedTs: expect.any(Number),
      members: [{ name: "scout", state: "answering" }],
    };
    const turn = {
      turnId: expect.any(String),
      member: "scout",
      cause: "user",
      round: 1,
      state: "running",
      startedTs: expect.any(Number),
    };
    const inQueue = {
      runId: waiting,
      sessionId: two,
      state: "waiting",
      text: "later",
      clientId: "http",
      startedTs: expect.any(Number),
      members: [],
      turns: [],
    };
    const inFlight = [{ ...running, turns: [turn] }, inQueue];
    expect(await read(open, `/v1/sessions/${two}/runs`)).toEqual(inFlight);
    expect(await read(open, "/v1/runs")).toEqual(inFlight);
    expect(await read(open, `/v1/sessions/${one}/runs`)).toEqual([]);
    expect(await read(open, `/v1/runs/${going}`)).toEqual({
      ...running,
      turns: [{ ...turn, text: expect.stringContaining("I hang now."), isCut: false }],
    });
    const ended = await read<{ turns: { text: string }[] }>(open, `/v1/runs/${done}`);
    expect(ended).toMatchObject({
      runId: done,
      sessionId: one,
      state: "ended",
      outcome: "completed",
      endedTs: expect.any(Number),
      members: [{ name: "scout", state: "answered" }],
      turns: [{ member: "scout", state: "completed", isCut: false, usage: { outputTokens: expect.any(Number) } }],
    });
    expect(ended.turns[0]?.text.length).toBeGreaterThan(0);
    expect(await read(open, `/v1/runs/${done}?session=${one}`)).toEqual(ended);
    await ask(open, `/v1/sessions/${two}/commands`, { type: "interrupt", commandId: "i", scope: "all" });
    const stopped = await follow(open, `/v1/sessions/${two}/events`);
    await stopped.next(isEvent((event) => event.type === "turn_end"));
    expect(await read(open, `/v1/runs/${going}`)).toMatchObject({ state: "ended", outcome: "failed" });
    expect(await read(open, "/v1/runs")).toEqual([inQueue]);
    await expectRefused(open, {
      path: `/v1/runs/${NOBODY}`,
      status: 404,
      code: "unknown_message",
      says: /^No session/,
    });
    await expectRefused(open, {
      path: `/v1/runs/${going}?session=${one}`,
      status: 404,
      code: "unknown_message",
      says: new RegExp(`^Session ${one} has no run`),
    });
    await expectRefused(open, {
      path: `/v1/runs/${going}?session=x`,
      status: 400,
      code: "bad_command",
      says: /^session/,
    });
  });
});

describe("requests", () => {
  test("requests of all sessions are one list; an answer needs only the request's id, and a second one is told who was first", async () => {
    const open = await serverFor();
    const [one, two] = [await createSession(open), await createSession(open)];
    await send(open, one, "/try confirm", isAsking);
    await send(open, two, "/try confirm", isAsking);
    const requests = await read<{ sessionId: string; requestId: string }[]>(open, "/v1/requests");
    expect(requests.map((request) => request.sessionId)).toEqual([one, two]);
    const { requestId = "" } = requests[0] ?? {};
    const path = `/v1/requests/${requestId}`;
    await expectRefused(open, { path, body: { result: "maybe" }, status: 400, code: "bad_command", says: /./ });
    const answered = await ask(open, path, { result: true });
    expect([answered.status, await answered.json()]).toEqual([200, { seq: expect.any(Number) }]);
    expect(await read<{ sessionId: string }[]>(open, "/v1/requests")).toEqual([
      expect.objectContaining({ sessionId: two }),
    ]);
    const late = { path, body: { result: false, sessionId: one }, status: 409, code: "conflict", says: /http/ };
    await expectRefused(open, late);
    await expectRefused(open, {
      path,
      body: { result: false },
      status: 404,
      code: "unknown_request",
      says: /^There is no open request/,
    });
  });
});

describe("changes", () => {
  test("renames and archives a session; archived it rejects messages with a hint, and can be unarchived", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const path = `/v1/sessions/${sessionId}`;
    expect((await ask(open, `${path}/rename`, { title: "named" })).status).toBe(200);
    expect((await ask(open, `${path}/archive`, { archived: true })).status).toBe(200);
    expect(await read(open, "/v1/sessions")).toEqual([expect.objectContaining({ title: "named", archived: true })]);
    const command = { type: "send", commandId: "c", clientMessageId: "m", text: "/try short" };
    const refused = await ask(open, `${path}/commands`, command);
    expect([refused.status, await refused.json()]).toEqual([
      409,
      {
        commandId: "c",
        ok: false,
        error: {
          code: "conflict",
          message: "This session is archived.",
          hint: expect.stringContaining(`roundtable sessions unarchive ${sessionId.slice(-6).toLowerCase()}`),
        },
      },
    ]);
    expect((await ask(open, `${path}/archive`, { archived: false })).status).toBe(200);
    expect((await ask(open, `${path}/commands`, command)).status).toBe(200);
  });

  test("a refusal names the invalid field or position", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const path = `/v1/sessions/${sessionId}`;
    const bad = { status: 400, code: "bad_command" };
    const refusals: Refused[] = [
      { ...bad, path: `${path}/rename`, body: { title: "" }, says: /at title/ },
      { ...bad, path: `${path}/rename`, body: { name: "x" }, says: /title/ },
      { ...bad, path: `${path}/archive`, body: { archived: "yes" }, says: /at archived/ },
      { ...bad, path: "/v1/sessions", body: { settings: { timeout: -1 } }, says: /at settings\.timeout/ },
      {
        ...bad,
        path: "/v1/sessions",
        body: { members: [{ name: "Ada", kind: "embedded" }] },
        says: /at members\.0\.name/,
      },
      { ...bad, path: "/v1/sessions", body: { zebra: 1 }, says: /zebra/ },
      { ...bad, path: `${path}/commands`, body: { type: "send", commandId: "c" }, says: /at (text|clientMessageId)/ },
      { ...bad, path: `${path}/events?after=-1`, says: /^after/ },
      { ...bad, path: `${path}/events?after=1&epoch=1.5`, says: /^epoch/ },
      { path: `/v1/sessions/${NOBODY}/runs`, status: 404, code: "unknown_session", says: new RegExp(NOBODY) },
      {
        path: `/v1/sessions/${NOBODY}/rename`,
        body: { title: "x" },
        status: 404,
        code: "unknown_session",
        says: new RegExp(NOBODY),
      },
    ];
    for (const refusal of refusals) await expectRefused(open, refusal);
    const long = await ask(open, `${path}/rename`, { title: "x".repeat(1024 * 1024) });
    expect(long.status).toBe(413);
  });
});

describe("coming back to a stream", () => {
  test("Last-Event-ID carries the epoch: a known id continues after it, one of another epoch or of the future gets a resync, anything else 400", async () => {
    const open = await serverFor();
    const sessionId = await createSession(open);
    const path = `/v1/sessions/${sessionId}/events`;
    await send(open, sessionId, "/try short", hasAnswered);
    const all = await follow(open, path);
    await all.next(isEvent(hasAnswered));
    const count = all.received.filter((one) => one.id !== undefined).length;
    const again = await follow(open, path, { "last-event-id": `1.${count - 2}` });
    await again.next(isEvent(hasAnswered));
    expect(again.received.filter((one) => one.id !== undefined).length).toBe(2);
    for (const lastId of [`2.${count - 2}`, "1.9999", "9999"]) {
      const lost = await follow(open, path, { "last-event-id": lastId });
      await lost.ended;
      expect([lastId, lost.received.map((one) => one.name)]).toEqual([lastId, ["heartbeat", "resync"]]);
    }
    const wrong = await fetch(`${open.server.url}${path}`, {
      headers: { ...authorized(open), "last-event-id": "-1.2" },
    });
    const { error } = ApiError.parse(await wrong.json());
    expect([wrong.status, error.code, error.message]).toEqual([
      400,
      "bad_command",
      expect.stringMatching(/^Last-Event-ID/),
    ]);
  });
});
