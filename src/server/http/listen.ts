/** An HTTP server on the one address we bind to, its limits, and the routes behind it. */
import { createServer, type Server } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { RoundtableError } from "../../protocol/index.ts";
import { answer, answerErrorOf, statusOf } from "./answer.ts";
import type { RouteTable } from "./policy.ts";
import type { ServerLimits } from "./limits.ts";

/** The literal address: a name could resolve to another interface, or to a port somebody else holds. */
export const BIND_ADDRESS = "127.0.0.1";

const HEAD_BYTES_MAX = 16 * 1024;
/** The kernel asks a peer that is silent this long whether it is still there. */
const PROBE_AFTER_MS = 15_000;

export function createHttpServer(limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
    // Whatever the environment says about leniency.
    insecureHTTPParser: false,
    // The guard says that, with the headers every answer has.
    requireHostHeader: false,
  });
  server.timeout = limits.silentMs;
  // Node would hide the lines after the first 2,000 from the guard.
  server.maxHeadersCount = 0;
  return server;
}

const SCHEME_CHARS = "http://".length;

export function createApp(routes: RouteTable): Hono<{ Bindings: HttpBindings }> {
  // As it came, like in the guard: a router that decodes could find another route than the one that was judged.
  const getPath = ({ url }: Request) => url.slice(url.indexOf("/", SCHEME_CHARS)).split("?", 1)[0] ?? "/";
  const app = new Hono<{ Bindings: HttpBindings }>({ getPath });
  for (const { method, path, handle } of [...routes.values()].flat()) app.on(method, path, handle);
  app.notFound((c) => c.json({ error: { message: "There is nothing here." } }, 404));
  app.onError((thrown, c) => {
    const error = answerErrorOf(thrown, `${c.req.method} ${c.req.path}`);
    return answer(statusOf(error.code), { error });
  });
  return app;
}

export async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host: BIND_ADDRESS, port, exclusive: true }, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    const isInUse = error.code === "EADDRINUSE";
    throw new RoundtableError(
      isInUse ? "busy" : "internal",
      isInUse ? `Port ${port} of ${BIND_ADDRESS} is taken.` : `Port ${port} cannot be opened: ${error.message}.`,
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
