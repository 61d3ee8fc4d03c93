/**
 * HTTP and WebSocket on 127.0.0.1, in front of a host. Every head goes through the guard first; what passes goes to
 * the route it named, and to nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { WebSocketServer } from "ws";
import type { Host } from "../host/index.ts";
import { systemClock, type Clock } from "../kit/clock.ts";
import { RoundtableError } from "../protocol/index.ts";
import { answerHeaders } from "./answer-headers.ts";
import { judge, type GuardOptions } from "./guard.ts";
import { createRouteTable, type RouteTable } from "./policy.ts";
import { refuseRequest, refuseSocket } from "./refuse.ts";
import { readHead } from "./request-head.ts";
import { answer, answerErrorOf, statusOf } from "./answer.ts";
import { createFailedAttempts } from "./failed-attempts.ts";
import { createRoutes, type PageFile } from "./routes.ts";
import type { SessionDefaults } from "./session-defaults.ts";
import { SessionListFeed } from "./session-list-feed.ts";
import { createOneTimeCodes, isSameSecret, newSecret } from "./secrets.ts";
import { createSocketConnection, FRAME_BYTES_MAX } from "./socket-connection.ts";

/** The literal address: a name could resolve to another interface, or to a port somebody else holds. */
export const BIND_ADDRESS = "127.0.0.1";
const WEBSOCKET_PROTOCOL = "roundtable.v1";

const CONNECTIONS_MAX = 2_048;
const HEAD_BYTES_MAX = 16 * 1024;
const HEAD_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface ServerOptions {
  readonly host: Pick<Host, "serve" | "listSessions" | "readFacts">;
  readonly pageFiles: readonly PageFile[];
  readonly defaults: SessionDefaults;
  /** 0 takes any free one. */
  readonly port: number;
  readonly clock?: Clock;
  /** Of this program. */
  readonly version?: string;
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly routes: RouteTable;
  /** Heads since the start. */
  readonly counts: { readonly handled: number; readonly refused: number };
  /** A link that opens the page once, within a minute. */
  newLink(): string;
  /** Takes nothing new. Connections that are open stay until the host has closed them or `cut` is called. */
  stop(): void;
  /** Ends every connection. */
  cut(): Promise<void>;
}

/** Rejects with code "busy" when the port is taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, pageFiles, defaults, clock = systemClock } = options;
  const token = newSecret();
  const codes = createOneTimeCodes(clock);
  const failures = createFailedAttempts(clock, (sentence) =>
    process.stderr.write(`roundtable: ${sentence}\n`, () => {}),
  );
  const listFeed = new SessionListFeed({ listSessions: () => host.listSessions(), clock });
  const { version = "0" } = options;
  const routes = createRouteTable(
    createRoutes({ host, clock, token, codes, failures, pageFiles, defaults, listFeed, version }),
  );
  const server = createServer({
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = CONNECTIONS_MAX;
  const port = await listen(server, options.port);
  const hosts = [`${BIND_ADDRESS}:${port}`, `localhost:${port}`];
  const sockets = createWebSocketServer();
  const counts = admit(server, {
    guard: { routes, hosts, isToken: (given) => isSameSecret(given, token), failures },
    answer: getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false }),
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (one) => host.serve(createSocketConnection(one, clock))),
  });
  const url = `http://${BIND_ADDRESS}:${port}`;
  return {
    url,
    token,
    routes,
    counts,
    newLink: () => `${url}/#code=${codes.issue()}`,
    stop() {
      listFeed.close();
      server.close();
      server.closeIdleConnections();
    },
    async cut() {
      const { promise, resolve } = Promise.withResolvers<void>();
      listFeed.close();
      server.close(() => resolve());
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await promise;
    },
  };
}

function createWebSocketServer(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(WEBSOCKET_PROTOCOL) ? WEBSOCKET_PROTOCOL : false),
  });
}

function createApp(routes: RouteTable): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const { method, path, handle } of [...routes.values()].flat()) app.on(method, path, handle);
  app.notFound((c) => c.json({ error: { message: "There is nothing here." } }, 404));
  app.onError((thrown, c) => {
    const error = answerErrorOf(thrown, `${c.req.method} ${c.req.path}`);
    return answer(statusOf(error.code), { error });
  });
  return app;
}

interface Admission {
  readonly guard: GuardOptions;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Every way into the server, each through the guard. */
function admit(server: Server, { guard, answer, upgrade }: Admission): { handled: number; refused: number } {
  const counts = { handled: 0, refused: 0 };

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const verdict = judge(readHead(request, { isUpgrade: false }), guard);
    if ("status" in verdict) {
      counts.refused += 1;
      return refuseRequest(response, verdict);
    }
    counts.handled += 1;
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    void answer(request, response);
  }

  server.on("request", onRequest);
  // Node would invite the body by itself; nobody is invited before the guard has seen the head.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (!("status" in judge(readHead(request, { isUpgrade: false }), guard))) response.writeContinue();
    onRequest(request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const verdict = judge(readHead(request, { isUpgrade: true }), guard);
    if ("status" in verdict) {
      counts.refused += 1;
      return refuseSocket(socket, verdict);
    }
    counts.handled += 1;
    upgrade(request, socket, head);
  });
  server.on("clientError", (_error: Error, socket: Duplex) => {
    counts.refused += 1;
    if (socket.writable) refuseSocket(socket, { status: 400, message: "This is not HTTP as we read it." });
    else socket.destroy();
  });
  return counts;
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host: BIND_ADDRESS, port, exclusive: true }, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === "EADDRINUSE";
    throw new RoundtableError(
      isTaken ? "busy" : "internal",
      isTaken ? `Port ${port} of ${BIND_ADDRESS} is taken.` : `Port ${port} cannot be opened: ${error.message}.`,
      { hint: "Choose another one with --port, or leave it out.", cause: error },
    );
  });
  server.off("error", reject);
  // A failing accept (no file descriptor left) costs that one connection.
  server.on("error", () => {});
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address with a port");
  return address.port;
}
