/** HTTP server on the loopback address with its limits, and the router. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { RoundtableError } from "../../protocol/index.ts";
import { answer, answerErrorOf, statusOf } from "./answer.ts";
import { isWorkerScript, noWorker, WORKER_HEADER } from "./no-service-worker.ts";
import type { RouteTable } from "./policy.ts";
import type { ServerLimits } from "./limits.ts";

/** The literal address: a name could resolve to another interface. */
export const BIND_ADDRESS = "127.0.0.1";

const HEAD_BYTES_MAX = 16 * 1024;
/** TCP keep-alive delay. */
const PROBE_AFTER_MS = 15_000;

/** A certificate with its chain, and its key, as PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export function createHttpServer(limits: ServerLimits, tls?: TlsFiles): Server {
  const options = {
    maxHeaderSize: HEAD_BYTES_MAX,
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
    // Also when NODE_OPTIONS says otherwise.
    insecureHTTPParser: false,
    // The guard checks it and sends our security headers.
    requireHostHeader: false,
    // Clients that would rather speak HTTP/2 (`Upgrade: h2c`) are answered as if they had not asked. Since Node 24.9.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() !== "h2c",
  };
  const server =
    tls === undefined
      ? createServer(options)
      : process.getBuiltinModule("node:https").createServer({ ...options, ...tls, handshakeTimeout: limits.headMs });
  server.timeout = limits.silentMs;
  // Node would hide headers after the first 2,000 from the guard.
  server.maxHeadersCount = 0;
  return server;
}

const SCHEME_CHARS = "https://".length;

export function createApp(routes: RouteTable): Hono<{ Bindings: HttpBindings }> {
  // Undecoded, as in the guard: a decoding router could match another route than the guard has checked.
  const getPath = ({ url }: Request) => url.slice(url.indexOf("/", SCHEME_CHARS)).split("?", 1)[0] ?? "/";
  const app = new Hono<{ Bindings: HttpBindings }>({ getPath });
  app.use(async (c, next) => (isWorkerScript(c.req.header(WORKER_HEADER)) ? noWorker.handle(c) : await next()));
  for (const { method, path, handle } of [...routes.values()].flat()) app.on(method, path, handle);
  app.notFound((c) => c.json({ error: { message: "Not found." } }, 404));
  app.onError((thrown, c) => {
    const error = answerErrorOf(thrown, `${c.req.method} ${c.req.path}`);
    return answer(statusOf(error.code), { error });
  });
  return app;
}

/** Where the port comes from is named in a refusal. */
const PORT_HINT = "Choose another port with --port, or omit it to use any free one.";

export async function listen(server: Server, port: number, host = BIND_ADDRESS, hint = PORT_HINT): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port, exclusive: true }, resolve);
  await promise.catch((error: NodeJS.ErrnoException) => {
    const isInUse = error.code === "EADDRINUSE";
    throw new RoundtableError(
      isInUse ? "busy" : "internal",
      isInUse ? `Port ${port} on ${host} is in use.` : `Cannot listen on port ${port}: ${error.message}.`,
      { hint, cause: error },
    );
  });
  server.off("error", reject);
  // A failed accept (out of file descriptors) affects only that connection.
  server.on("error", () => {});
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address with a port");
  return address.port;
}
