/**
 * The same routes and the same host with no guard at all: any origin may read, any body that can be understood is taken,
 * the page may be framed. What an attack does to this one shows that the attack is real.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { Host } from "../../src/host/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import type { RouteTable } from "../../src/server/http/policy.ts";
import { createWebSocketConnection } from "../../src/server/connections/web-socket-connection.ts";
import { createApp } from "../../src/server/http/listen.ts";

export interface UnguardedServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startUnguardedServer(routes: RouteTable, host: Host): Promise<UnguardedServer> {
  const app = createApp(routes);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (one) => host.serve(createWebSocketConnection(one, systemClock)));
  const answer = getRequestListener(async (request, env) => await app.fetch(await understood(request), env), {
    overrideGlobalObjects: false,
  });
  server.on("request", (request, response) => {
    response.setHeader("access-control-allow-origin", request.headers.origin ?? "*");
    response.setHeader("access-control-allow-credentials", "true");
    response.setHeader("access-control-allow-headers", "content-type, authorization");
    if (request.method === "OPTIONS") response.end();
    else void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A form is as good as JSON to many a framework. */
async function understood(request: Request): Promise<Request> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^(?:multipart\/form-data|application\/x-www-form-urlencoded)/.test(type)) return request;
  const fields: unknown = Object.fromEntries(await request.formData());
  return new Request(request.url, { method: request.method, body: JSON.stringify(fields) });
}
