/**
 * A second port on 127.0.0.1 for clients of other systems that cannot send a token. Off by default. Host and Origin are
 * checked as everywhere; it serves only the enabled wires, and only marked sessions.
 */
import { getRequestListener } from "@hono/node-server";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { admit } from "../http/admit.ts";
import { createConnectionLimiter, serverLimits, type ServerLimits } from "../http/limits.ts";
import { judge } from "../http/guard.ts";
import { BIND_ADDRESS, createApp, createHttpServer, listen } from "../http/listen.ts";
import { createRouteTable, type RouteTable } from "../http/policy.ts";
import { refuseSocket } from "../http/refuse.ts";
import type { ServedHost } from "../routes/policies.ts";
import type { SessionDefaults } from "../routes/session-defaults.ts";
import { createAnswerGuard, type PeerCheck } from "./answer-guard.ts";
import { openCompatWires, type OpenCompatWire } from "./compat-wire.ts";
import { openMarkedSessions } from "./marked-sessions.ts";
import { readPageDirectory } from "./page-directory.ts";
import { createScopedHost } from "./scoped-host.ts";

export interface CompatPortOptions {
  readonly host: ServedHost;
  readonly dataDir: string;
  readonly defaults: SessionDefaults;
  readonly wires: readonly OpenCompatWire[];
  /** 0 takes any free one. */
  readonly port: number;
  /** Sessions reachable in addition to those created here. */
  readonly sessions: readonly string[];
  /** Other origins whose pages may send requests, such as `http://localhost:5173`. */
  readonly origins: readonly string[];
  /** Directory of the other system's own page, which is then served here too. */
  readonly page?: string;
  readonly version: string;
  /** Absent: nobody can answer approvals here. */
  readonly checkPeer?: PeerCheck;
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
}

export interface CompatPort {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly routes: RouteTable;
  /** Refuses new connections. */
  stop(): void;
  /** Ends every connection. */
  cut(): Promise<void>;
}

/** Rejects with code "busy" when the port is taken. */
export async function startCompatPort(options: CompatPortOptions): Promise<CompatPort> {
  const { dataDir, defaults, wires, sessions, origins, version, clock = systemClock } = options;
  const page = options.page === undefined ? [] : await readPageDirectory(options.page);
  const host = createScopedHost(options.host, await openMarkedSessions(dataDir, sessions));
  const refusalFor = createAnswerGuard(options.checkPeer);
  const wire = openCompatWires(wires, { host, clock, defaults, version, dataDir, isOpenPort: true, refusalFor });
  const wirePaths = new Set(wire.routes.map((route) => route.path));
  const routes = createRouteTable([...wire.routes, ...page.filter((route) => !wirePaths.has(route.path))]);
  const limits = { ...serverLimits, ...options.limits };
  const server = createHttpServer(limits);
  const port = await listen(server, options.port);
  const hosts = [`${BIND_ADDRESS}:${port}`, `localhost:${port}`, ...origins.map((origin) => new URL(origin).host)];
  const guard = {
    routes,
    hosts,
    origins,
    isCompatPort: true,
    // There is no token on this port, so there are no guesses to count.
    principalOf: () => undefined,
    failures: { note: () => true },
  };
  admit(server, {
    judge: (head) => judge(head, guard),
    limiter: createConnectionLimiter(limits),
    answer: getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false }),
    upgrade(request, socket, head, { route }) {
      if (route.upgrade !== undefined) return route.upgrade(request, socket, head);
      refuseSocket(socket, { status: 404, message: "Not found. This path accepts no WebSocket connections." });
    },
  });
  return {
    url: `http://${BIND_ADDRESS}:${port}`,
    routes,
    stop() {
      server.close();
      server.closeIdleConnections();
    },
    async cut() {
      const { promise, resolve } = Promise.withResolvers<void>();
      wire.close();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}
