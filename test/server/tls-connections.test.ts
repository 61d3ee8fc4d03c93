/** Limits of connections behind TLS, where the socket of a request is not the connection that was accepted. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { admit } from "../../src/server/http/admit.ts";
import { createConnectionLimiter, serverLimits, type ConnectionLimiter } from "../../src/server/http/limits.ts";
import { createHttpServer, listen } from "../../src/server/http/listen.ts";
import type { Admitted } from "../../src/server/http/guard.ts";
import { patient } from "../patience.ts";
import { createCertificate } from "../team/team-program.ts";

const { cert, key } = createCertificate();
const tls = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };

let server: ReturnType<typeof createHttpServer>;
let limiter: ConnectionLimiter;
let port: number;

/** Everybody is known. */
beforeEach(async () => {
  server = createHttpServer({ ...serverLimits, headMs: patient(1_000) }, tls);
  limiter = createConnectionLimiter({ unauthenticatedMax: 3, connectionsMax: 6 });
  const sockets = new WebSocketServer({ noServer: true });
  admit(server, {
    judge: () => ({ route: { policy: { access: "token" } } }) as unknown as Admitted,
    limiter,
    answer: async (_request, response) => void response.end("hello"),
    upgrade: (request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}),
  });
  port = await listen(server, 0);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = () => new WebSocket(`wss://127.0.0.1:${port}/`);

async function ask(): Promise<number | undefined> {
  const request = get({ host: "127.0.0.1", port, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "close");
  return response.statusCode;
}

test("a connection that has ended leaves its place to others, however many there were", async () => {
  for (let at = 0; at < 12; at += 1) expect([at, await ask()]).toEqual([at, 200]);
  await expect.poll(() => [limiter.unauthenticated, limiter.authenticated]).toEqual([0, 0]);
  const known = [open(), open(), open()];
  await Promise.all(known.map((one) => once(one, "open")));
  expect(await ask()).toBe(503);
  known[0]?.terminate();
  await expect.poll(() => limiter.authenticated).toBe(2);
  expect(await ask()).toBe(200);
  for (const one of known) one.terminate();
});

test("strangers push out each other, and nobody who is signed in; without a handshake they are sent away", async () => {
  const known = [open(), open()];
  await Promise.all(known.map((one) => once(one, "open")));
  const strangers: Socket[] = [];
  for (let at = 0; at < 12; at += 1) {
    const stranger = connect(port, "127.0.0.1")
      .on("error", () => {})
      .resume();
    strangers.push(stranger);
    await once(stranger, "connect");
  }
  await expect
    .poll(() => strangers.filter(({ closed }) => closed).length, { timeout: patient(5_000) })
    .toBeGreaterThanOrEqual(9);
  expect(known.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  await expect.poll(() => limiter.unauthenticated, { timeout: patient(5_000) }).toBe(0);
  expect(known.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
  for (const one of known) one.terminate();
});
