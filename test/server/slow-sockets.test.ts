/** A thousand connections that only cost, and one client beside them that must not notice. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { getRequestListener } from "@hono/node-server";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { admit } from "../../src/server/http/admit.ts";
import { createConnectionLimiter, serverLimits } from "../../src/server/http/limits.ts";
import { judge } from "../../src/server/http/guard.ts";
import { createRouteTable } from "../../src/server/http/policy.ts";
import { createApp, createHttpServer } from "../../src/server/http/listen.ts";
import { quickClock } from "../quick-clock.ts";
import { openSource } from "./event-source.ts";
import { ask, authorized, createSession, openServer, type OpenServer } from "./open-server.ts";
import { openDeafPeer, openSlowPeer, type SlowPeer, type SlowPeerOptions } from "./slow-peers.ts";
import { patient } from "../patience.ts";

/** The pings of WebSockets, as often as the short limits want them. */
const clock = quickClock(8);
/** Short, but longer than a busy machine needs for the head of somebody honest. */
const limits = { headMs: patient(2_000), requestMs: patient(2_500), keepAliveMs: 500, checkMs: 100 };
const EACH = 200;
const ASK_MS = 50;

function kinds({ port, server }: OpenServer): Record<string, SlowPeerOptions> {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const token = `Authorization: Bearer ${server.token}\r\n`;
  const body = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n";
  return {
    silent: { first: "" },
    "slow head": { first: `GET /v1/health HTTP/1.1\r\n${host}`, drip: "X: 1\r\n" },
    "slow body": { first: `POST /v1/sessions HTTP/1.1\r\n${host}${token}${body}`, drip: " " },
    "idle after an answer": { first: `GET /v1/health HTTP/1.1\r\n${host}\r\n` },
    "deaf WebSocket": {
      first:
        `GET /v1/ws HTTP/1.1\r\n${host}${token}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    },
  };
}

const LAST_WORD: Record<string, RegExp> = {
  silent: /^HTTP\/1\.1 408 /,
  "slow head": /^HTTP\/1\.1 408 /,
  "slow body": /^HTTP\/1\.1 408 /,
  "idle after an answer": /^HTTP\/1\.1 200 /,
  "deaf WebSocket": /^HTTP\/1\.1 101 /,
};

test("1,000 silent, slow and half-open sockets are sent away by their limits, and a client beside them is answered every time", async () => {
  const open = await openServer({ clock, limits });
  const sessionId = await createSession(open);
  const beside = new WebSocket(`${open.server.url.replace("http", "ws")}/v1/ws`, { headers: authorized(open) });
  await once(beside, "open");
  const source = await openSource(`${open.server.url}/v1/sessions/${sessionId}/events?after=0`, authorized(open));
  const peers = Object.entries(kinds(open)).flatMap(([kind, options]) =>
    Array.from({ length: EACH }, () => ({ kind, peer: openSlowPeer(open.port, options) })),
  );
  expect(peers.length).toBe(1_000);
  const state = { isOver: false };
  const over = Promise.all(peers.map(async ({ kind, peer }) => ({ kind, said: await peer.ended }))).finally(
    () => (state.isOver = true),
  );
  const statuses: number[] = [];
  while (!state.isOver) {
    statuses.push((await ask(open, `/v1/sessions/${sessionId}`)).status, (await ask(open, "/v1/codes", {})).status);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  const ended = await over;
  expect(ended.filter(({ kind, said }) => LAST_WORD[kind]?.test(said) !== true)).toEqual([]);
  expect(statuses.length).toBeGreaterThan(10);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(beside.readyState).toBe(WebSocket.OPEN);
  await ask(open, `/v1/sessions/${sessionId}/commands`, { type: "rename", commandId: "r", title: "still heard" });
  await source.next(({ data }) => (data as { title?: string }).title === "still heard");
  expect((await open.host.listSessions()).length).toBe(1);
  beside.terminate();
  source.close();
  await open.close();
});

test("[V82] over the cap the oldest without the token gets 503; clients with it are served, up to their own cap", async () => {
  const open = await openServer({ limits: { unauthenticatedMax: 40, connectionsMax: 45 } });
  const sockets = `${open.server.url.replace("http", "ws")}/v1/ws`;
  const known = Array.from({ length: 4 }, () => new WebSocket(sockets, { headers: authorized(open) }));
  await Promise.all(known.map((one) => once(one, "open")));
  const strangers: SlowPeer[] = [];
  for (let at = 0; at < 200; at += 1) {
    const stranger = openSlowPeer(open.port, { first: "" });
    await once(stranger.socket, "connect");
    strangers.push(stranger);
  }
  const one = await ask(open, "/v1/agents");
  expect(one.status).toBe(200);
  const sentAway = await Promise.all(strangers.slice(0, 160).map(({ ended }) => ended));
  expect(sentAway.filter((said) => !/^HTTP\/1\.1 503 [\s\S]*Too many connections/.test(said))).toEqual([]);
  expect(strangers.slice(-38).filter(({ socket }) => socket.destroyed)).toEqual([]);
  expect(known.map((socket) => socket.readyState)).toEqual(known.map(() => WebSocket.OPEN));
  // `one` is kept alive and takes the last place with the token.
  const refused = new WebSocket(sockets, { headers: authorized(open) });
  const [, answer] = (await once(refused, "unexpected-response")) as [unknown, { statusCode: number; headers: object }];
  expect([answer.statusCode, answer.headers]).toEqual([
    503,
    expect.objectContaining({ "retry-after": "1", "cache-control": "no-store" }),
  ]);
  expect((await fetch(`${open.server.url}/v1/health`)).status).toBe(200);
  for (const { socket } of strangers) socket.destroy();
  for (const socket of known) socket.terminate();
  await open.close();
});

test("a message in more than 1,024 fragments ends its own connection and no other", async () => {
  const open = await openServer();
  const url = `${open.server.url.replace("http", "ws")}/v1/ws`;
  const [honest, tiny] = [1, 2].map(() => new WebSocket(url, { headers: authorized(open) }));
  if (honest === undefined || tiny === undefined) throw new Error("two were opened");
  await Promise.all([once(honest, "open"), once(tiny, "open")]);
  const closed = once(tiny, "close");
  for (let piece = 0; piece < 1_025; piece += 1) tiny.send(" ", { fin: false });
  expect((await closed)[0]).toBe(1008);
  const answered = once(honest, "message");
  for (const piece of ['{"frame":"hello",', '"protocol":1,', '"clientId":"honest"}']) {
    honest.send(piece, { fin: piece.endsWith("}") });
  }
  expect(JSON.parse(String((await answered)[0]))).toMatchObject({ frame: "welcome" });
  honest.terminate();
  await open.close();
});

test("disconnects a reader that stops reading while its stream continues, and no other", async () => {
  const streams: ServerResponse[] = [];
  const policy = { access: "public", carrier: "http", bodyBytesMax: 0, isLandingPage: false } as const;
  const routes = createRouteTable([
    {
      method: "GET",
      path: "/stream",
      policy,
      handle(c) {
        streams.push(c.env.outgoing);
        c.env.outgoing.writeHead(200);
        // More than the kernel holds for anybody.
        c.env.outgoing.write(Buffer.alloc(16 * 1024 * 1024));
        return RESPONSE_ALREADY_SENT;
      },
    },
  ]);
  const server = createHttpServer({ ...serverLimits, silentMs: 400 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const hosts = [`127.0.0.1:${port}`];
  admit(server, {
    judge: (head) => judge(head, { routes, hosts, principalOf: () => undefined, failures: { note: () => true } }),
    limiter: createConnectionLimiter(serverLimits),
    answer: getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false }),
    upgrade: (_request, socket) => socket.destroy(),
  });
  const head = `GET /stream HTTP/1.1\r\nHost: ${hosts[0]}\r\n\r\n`;
  const deaf = await openDeafPeer(port, head);
  const hearing = openSlowPeer(port, { first: head });
  await expect.poll(() => streams.length).toBe(2);
  const beats = setInterval(() => streams.forEach((stream) => stream.write("heartbeat")), 50);
  const [gone, live] = streams;
  if (gone === undefined || live === undefined) throw new Error("both streams began");
  await once(gone, "close");
  expect([gone.destroyed, live.destroyed, hearing.socket.destroyed]).toEqual([true, false, false]);
  clearInterval(beats);
  deaf.destroy();
  hearing.socket.destroy();
  server.closeAllConnections();
  server.close();
});
