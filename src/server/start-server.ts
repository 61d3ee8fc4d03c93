/** HTTP and WebSocket server on 127.0.0.1 in front of a host. Every request passes the guard before its route. */
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer } from "ws";
import { systemClock, type Clock } from "../kit/clock.ts";
import { admit, type AdmissionCounts } from "./http/admit.ts";
import { allowAllAnswers } from "./compat/answer-guard.ts";
import { openCompatWires, type OpenCompatWire } from "./compat/compat-wire.ts";
import { createConnectionLimiter, serverLimits, type ServerLimits } from "./http/limits.ts";
import { DeviceSignIn } from "./sign-in/device-sign-in.ts";
import { createDeviceStore, DEVICES_FILE } from "./sign-in/device-store.ts";
import { TOKEN_HOLDER } from "./sign-in/principal.ts";
import { createFailedAttempts, createOneTimeCodes, isSameSecret, newSecret } from "./sign-in/secrets.ts";
import { judge } from "./http/guard.ts";
import { BIND_ADDRESS, createApp, createHttpServer, listen } from "./http/listen.ts";
import { createRouteTable, type Route, type RouteTable } from "./http/policy.ts";
import { refuseSocket } from "./http/refuse.ts";
import type { ServedHost } from "./routes/policies.ts";
import { createRoutes, type PageFile } from "./routes/all-routes.ts";
import type { SessionDefaults } from "./routes/session-defaults.ts";
import { SessionListFeed } from "./connections/session-list-feed.ts";
import { createWebSocketConnection, FRAME_BYTES_MAX } from "./connections/web-socket-connection.ts";

const WEBSOCKET_PROTOCOL = "roundtable.v1";

/** Browsers send fragments of 64 KiB; many smaller ones would cost far more than their length. */
const FRAGMENTS_MAX = 1_024;

export interface ServerOptions {
  readonly host: ServedHost;
  readonly pageFiles: readonly PageFile[];
  readonly defaults: SessionDefaults;
  /** 0 for any free port. */
  readonly port: number;
  /** Token to reuse, which open pages may still have; by default a new one. */
  readonly token?: string;
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
  /** Program version. */
  readonly version?: string;
  /** Wires of other systems; here they ask for the token. */
  readonly wires?: readonly OpenCompatWire[];
  /** Where devices that signed in are kept, and what compat protocols store for their clients. */
  readonly dataDir?: string;
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly routes: RouteTable;
  /** Requests since the start. */
  readonly counts: AdmissionCounts;
  /** A link that opens the page, valid once for one minute. */
  newLink(): string;
  /** Stops accepting connections. Open ones stay until the host closes them or `cut` is called. */
  stop(): void;
  /** Closes every connection. */
  cut(): Promise<void>;
}

/** Rejects with code "busy" when the port is in use. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, pageFiles, defaults, clock = systemClock, token = newSecret(), version = "0" } = options;
  const codes = createOneTimeCodes(clock);
  const { dataDir } = options;
  const devices = new DeviceSignIn(createDeviceStore(dataDir && path.join(dataDir, DEVICES_FILE)), clock);
  const failures = createFailedAttempts(clock, (sentence) =>
    process.stderr.write(`roundtable: ${sentence}\n`, () => {}),
  );
  const listFeed = new SessionListFeed({ clock });
  const wires = openWires(options, clock);
  const { routes: compatRoutes } = wires;
  const own = { host, clock, token, codes, devices, failures, pageFiles, defaults, listFeed, version };
  const routes = createRouteTable(createRoutes({ ...own, compatRoutes }));
  const limits = { ...serverLimits, ...options.limits };
  const server = createHttpServer(limits);
  const port = await listen(server, options.port);
  const hosts = [`${BIND_ADDRESS}:${port}`, `localhost:${port}`];
  const principalOf = (given: string) => (isSameSecret(given, token) ? TOKEN_HOLDER : devices.principalOf(given));
  const guard = { routes, hosts, principalOf, failures };
  const answer = getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false });
  const sockets = createWebSocketServer();
  const counts = admit(server, {
    judge: (head) => judge(head, guard),
    limiter: createConnectionLimiter(limits),
    answer(request, response, { principal }) {
      devices.endWith(principal, response, () => request.socket.destroy());
      return answer(request, response);
    },
    upgrade(request, socket, head, { route, principal }) {
      devices.endWith(principal, socket, () => socket.destroy());
      if (route.upgrade !== undefined) return route.upgrade(request, socket, head);
      sockets.handleUpgrade(request, socket, head, (one) => host.serve(createWebSocketConnection(one, clock)));
    },
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
      wires.close();
      server.close(() => resolve());
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await promise;
    },
  };
}

/** On this port they require the token; the page does not use them, so they accept no device. */
function openWires({ wires = [], host, defaults, version = "0", dataDir }: ServerOptions, clock: Clock) {
  const open = openCompatWires(wires, {
    host,
    clock,
    defaults,
    version,
    refusalFor: allowAllAnswers,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  const asBearer = (route: Route): Route => ({ ...route, policy: { ...route.policy, access: "bearer" } });
  return { routes: open.routes.map(asBearer), close: () => open.close() };
}

function createWebSocketServer(): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    maxFragments: FRAGMENTS_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(WEBSOCKET_PROTOCOL) ? WEBSOCKET_PROTOCOL : false),
  });
  sockets.on("wsClientError", (error, socket) => refuseSocket(socket, { status: 400, message: `${error.message}.` }));
  return sockets;
}
