/** The ways in over a running server: codes, tokens and WebSocket connections. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket as HeaderSocket } from "ws";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { createManualClock } from "../host/manual-clock.ts";
import { openServer, type OpenServer } from "./open-server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serverFor(options: Parameters<typeof openServer>[0] = {}): Promise<OpenServer> {
  const open = await openServer(options);
  closing.push(() => open.close());
  return open;
}

function exchange(url: string, body: string): Promise<Response> {
  return fetch(`${url}/v1/exchange`, { method: "POST", headers: { "content-type": "application/json" }, body });
}

function codeOf(link: string): string {
  return JSON.stringify({ code: link.slice(link.indexOf("#code=") + "#code=".length) });
}

describe("the one-time code", () => {
  test("[V5] a code gives the token once; used, wrong and malformed ones give nothing", async () => {
    const { server } = await serverFor();
    const code = codeOf(server.newLink());
    const first = await exchange(server.url, code);
    expect([first.status, await first.json()]).toEqual([200, { token: server.token }]);
    for (const [body, status] of [
      [code, 401],
      ['{"code":""}', 401],
      ['{"code":1}', 400],
      ["not json", 400],
      [code.replace("}", ',"more":1}'), 400],
    ] as const) {
      const answer = await exchange(server.url, body);
      expect([answer.status, (await answer.text()).includes(server.token)]).toEqual([status, false]);
    }
  });

  test("a code works for 60 seconds, and many links do not make old ones live longer", async () => {
    const clock = createManualClock();
    const { server } = await serverFor({ clock });
    const [inTime, late] = [codeOf(server.newLink()), codeOf(server.newLink())];
    clock.advance(60_000);
    expect((await exchange(server.url, inTime)).status).toBe(200);
    clock.advance(1);
    expect((await exchange(server.url, late)).status).toBe(401);
    const crowd = Array.from({ length: 17 }, () => codeOf(server.newLink()));
    expect((await exchange(server.url, crowd[0] ?? "")).status).toBe(401);
    expect((await exchange(server.url, crowd[1] ?? "")).status).toBe(200);
  });

  test("a client with the token gets a new code", async () => {
    const { server } = await serverFor();
    const answer = await fetch(`${server.url}/v1/codes`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${server.token}` },
      body: "{}",
    });
    expect((await exchange(server.url, JSON.stringify(await answer.json()))).status).toBe(200);
  });
});

describe("WebSocket", () => {
  test("refuses a wrong token before the upgrade, with a clear error at the client", async () => {
    const { server } = await serverFor();
    await expect(connectWebSocket(server.url, "wrong")).rejects.toMatchObject({ code: "closed" });
    // Node's own WebSocket asks a second time when it is told 401.
    expect([server.counts.handled, server.counts.refused > 0]).toEqual([0, true]);
    const client = await createClient(() => connectWebSocket(server.url, server.token));
    closing.push(() => client.close());
    expect(client.host.version).toBe("0.0.0-test");
  });

  test("two clients of one session see the same events, and routes answer the same as frames", async () => {
    const { server, newSession } = await serverFor();
    const [writer, reader] = await Promise.all([clientOf(server), clientOf(server)]);
    const { sessionId } = await writer.create(newSession);
    const [written, read] = await Promise.all([eventsOf(writer, sessionId), eventsOf(reader, sessionId)]);
    const ack = await writer.command(sessionId, { type: "send", text: "/try long 20000", clientMessageId: "m1" });
    expect(ack).toMatchObject({ ok: true });
    await Promise.all([written.ended, read.ended]);
    expect(read.events).toEqual(written.events);
    expect(read.events.map((event) => event.seq)).toEqual(read.events.map((_, at) => at + 1));
    const answer = await fetch(`${server.url}/v1/sessions`, { headers: { authorization: `Bearer ${server.token}` } });
    expect(await answer.json()).toEqual(await reader.list());
  });

  test("the token is also accepted as a header, and an invalid frame is answered with an error", async () => {
    const { server } = await serverFor();
    const socket = new HeaderSocket(`${server.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    closing.push(() => socket.terminate());
    const received: unknown[] = [];
    const answered = Promise.withResolvers<void>();
    socket.on("message", (data: Buffer) => {
      received.push(JSON.parse(data.toString()));
      if (received.length === 3) answered.resolve();
    });
    socket.on("open", () => {
      socket.send("{");
      socket.send(Buffer.from("{}"), { binary: true });
      socket.send(JSON.stringify({ frame: "hello", protocol: 1, clientId: "c" }));
    });
    await answered.promise;
    const bad = { code: "bad_command", message: "The message is not a frame: it must be JSON text." };
    expect(received).toEqual([
      { frame: "reply", id: "", ok: false, error: bad },
      { frame: "reply", id: "", ok: false, error: bad },
      expect.objectContaining({ frame: "welcome", version: "0.0.0-test" }),
    ]);
  });

  test("a frame beyond 32 MiB ends its own connection and no other", async () => {
    const { server } = await serverFor();
    const other = await clientOf(server);
    const socket = new HeaderSocket(`${server.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("open", () => socket.send(Buffer.alloc(32 * 1024 * 1024 + 1, " "), { binary: false }, () => {}));
    socket.on("error", () => {});
    expect(await closed).toBe(1009);
    expect(await other.list()).toEqual([]);
  });

  test("a peer that answers no ping is cut by the second one, a living one is not", async () => {
    const clock = createManualClock();
    const { server } = await serverFor({ clock });
    const living = await clientOf(server);
    const socket = new HeaderSocket(`${server.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${server.token}` },
      autoPong: false,
    });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    const pinged = new Promise((resolve) => socket.once("ping", resolve));
    socket.on("error", () => {});
    await new Promise((resolve) => socket.on("open", resolve));
    await nextTurn();
    clock.advance(15_000);
    await pinged;
    // An answered question proves that the living one's pong, sent before it, has arrived.
    await living.list();
    clock.advance(15_000);
    expect(await closed).toBe(1006);
    expect(await living.list()).toEqual([]);
  });
});

async function clientOf({ url, token }: { url: string; token: string }): Promise<Client> {
  const client = await createClient(() => connectWebSocket(url, token));
  closing.push(() => client.close());
  return client;
}

async function eventsOf(client: Client, sessionId: string) {
  const events: SessionEvent[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = (fresh: readonly SessionEvent[]) => {
    events.push(...fresh);
    // The delivery is settled by the last event of an answer.
    if (fresh.some((event) => event.type === "message_delivery" && event.state === "answered")) resolve();
  };
  await client.subscribe(sessionId, { epoch: 0, seq: 0 }, take);
  return { events, ended: promise };
}
