/**
 * HTTP and WebSocket server in front of a host, on 127.0.0.1 unless told otherwise. Every request passes the guard before
 * its route.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
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
import { TOKEN_HOLDER, type Principal } from "./sign-in/principal.ts";
import { createReadOnlyHost } from "./sign-in/read-only-host.ts";
import type { SignIn } from "./sign-in/sign-in.ts";
import {
  createFailedAttempts,
  createOneTimeCodes,
  isSameSecret,
  newSecret,
  type OneTimeCodes,
} from "./sign-in/secrets.ts";
import { judge } from "./http/guard.ts";
import { BIND_ADDRESS, createApp, createHttpServer, listen, type TlsFiles } from "./http/listen.ts";
import { createRouteTable, type Route, type RouteTable } from "./http/policy.ts";
import { refuseSocket } from "./http/refuse.ts";
import type { ServedHost } from "./routes/policies.ts";
import { createRoutes, type PageFile, type RouteDeps } from "./routes/all-routes.ts";
import type { SessionDefaults } from "./routes/session-defaults.ts";
import { SessionListFeed } from "./connections/session-list-feed.ts";
import { createWebSocketConnection, FRAME_BYTES_MAX } from "./connections/web-socket-connection.ts";

const WEBSOCKET_PROTOCOL = "roundtable.v1";

/** Browsers send fragments of 64 KiB; many smaller ones would cost far more than their length. */
const FRAGMENTS_MAX = 1_024;

/** Where a server listens that is reached from other machines. */
export interface ServerAddress {
  readonly address: string;
  readonly tls?: TlsFiles;
  /** What people type, such as `https://team.example.org`; the guard answers to no other name. */
  readonly origin: string;
  /** Whether a connection may come from this address: without TLS only a proxy may. */
  readonly admits?: (remoteAddress: string) => boolean;
}

/** People who sign in, each with a host of their own. */
export interface ServedPeople {
  readonly signIn: SignIn;
  hostFor(principal: Principal): ServedHost;
  /** By default those of the server. */
  defaultsFor?(principal: Principal): SessionDefaults;
  /** Beside those of every server. */
  routesFor(principal: Principal): readonly Route[];
}

export interface ServerOptions {
  readonly host: ServedHost;
  /** By default 127.0.0.1 without TLS. */
  readonly reach?: ServerAddress;
  /** Address of a second server over the same devices, for other machines. */
  readonly outward?: string;
  /** Absent: one person, and programs that have the token. */
  readonly people?: ServedPeople;
  readonly pageFiles: readonly PageFile[];
  readonly defaults: SessionDefaults;
  /** 0 for any free port. */
  readonly port: number;
  /** Token to reuse, which open pages may still have; by default a new one. */
  readonly token?: string;
  readonly clock?: Clock;
  /** By default on standard error. */
  readonly warn?: (sentence: string) => void;
  readonly limits?: Partial<ServerLimits>;
  /** Program version. */
  readonly version?: string;
  /** Beside those of every server. */
  readonly moreRoutes?: readonly Route[];
  /** Wires of other systems; here they ask for the token. */
  readonly wires?: readonly OpenCompatWire[];
  /** Where devices that signed in are kept, and what compat protocols store for their clients. */
  readonly dataDir?: string;
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT`, or the origin that people type, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  readonly routes: RouteTable;
  /** For another server over the same devices. */
  readonly signIn: SignIn;
  /** Requests since the start. */
  readonly counts: AdmissionCounts;
  /** A link that opens the page, valid once for one minute. */
  newLink(): string;
  /** Stops accepting connections. Open ones stay until the host closes them or `cut` is called. */
  stop(): void;
  /** Closes every connection. */
  cut(): Promise<void>;
}

type Routes = RunningServer["routes"];

/** Rejects with code "busy" when the port is in use. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { clock = systemClock, token = newSecret(), reach, people } = options;
  const codes = createOneTimeCodes(clock);
  const failures = createFailedAttempts(clock, options.warn ?? warn);
  const listFeed = new SessionListFeed({ clock });
  const wires = openWires(options, clock);
  const scheme = reach?.origin.startsWith("https:") === true ? "https" : "http";
  const signIn = people?.signIn ?? localSignIn(options, codes, clock);
  const local = people === undefined ? { local: { token, codes } } : {};
  const deps = { clock, signIn, failures, scheme, listFeed, ...local } as const;
  const apps = new Apps(options, (host, principal) => routesOf({ ...deps, host, principal }, options, wires.routes));
  const { routes } = apps.of(undefined);
  const limits = { ...serverLimits, ...options.limits };
  const server = createHttpServer(limits, reach?.tls);
  if (reach?.admits !== undefined) refuseStrangers(server, reach.admits);
  const port = await listen(server, options.port, reach?.address, reach && "Choose another one with --listen.");
  const own = [`${BIND_ADDRESS}:${port}`, `localhost:${port}`];
  const hosts = reach === undefined ? own : [new URL(reach.origin).host, ...own];
  const isToken = (given: string) => people === undefined && isSameSecret(given, token);
  const principalOf = (given: string) => (isToken(given) ? TOKEN_HOLDER : signIn.principalOf(given));
  const guard = { routes, hosts, scheme, principalOf, failures } as const;
  const sockets = createWebSocketServer();
  const counts = admit(server, {
    judge: (head) => judge(head, guard),
    limiter: createConnectionLimiter(limits),
    answer(request, response, { principal }) {
      signIn.endWith(principal, response, () => request.socket.destroy());
      return apps.of(principal).answer(request, response);
    },
    upgrade(request, socket, head, { route, principal = TOKEN_HOLDER }) {
      signIn.endWith(principal, socket, () => socket.destroy());
      if (route.upgrade !== undefined) return route.upgrade(request, socket, head);
      sockets.handleUpgrade(request, socket, head, (one) => {
        const connection = createWebSocketConnection(one, clock);
        if (route.connect === undefined) apps.of(principal).host.serve(connection);
        else route.connect(connection, principal);
      });
    },
  });
  const url = reach?.origin ?? `http://${BIND_ADDRESS}:${port}`;
  return {
    url,
    token,
    routes,
    signIn,
    counts,
    newLink: () => `${url}/#code=${codes.issue()}`,
    stop() {
      listFeed.close();
      server.close();
      server.closeIdleConnections();
    },
    async cut() {
      listFeed.close();
      wires.close();
      await cutAll(server, sockets);
    },
  };
}

function routesOf(
  deps: Omit<RouteDeps, "pageFiles" | "defaults" | "version" | "moreRoutes">,
  { pageFiles, defaults, version = "0", people, moreRoutes: own = [] }: ServerOptions,
  wireRoutes: readonly Route[],
): Routes {
  const moreRoutes = [...wireRoutes, ...own, ...(people?.routesFor(deps.principal) ?? [])];
  const begun = people?.defaultsFor?.(deps.principal) ?? defaults;
  return createRouteTable(createRoutes({ ...deps, pageFiles, defaults: begun, version, moreRoutes }));
}

async function cutAll(server: Server, sockets: WebSocketServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  await promise;
}

function warn(sentence: string): void {
  process.stderr.write(`roundtable: ${sentence}\n`, () => {});
}

function localSignIn({ dataDir, outward }: ServerOptions, codes: OneTimeCodes, clock: Clock): SignIn {
  return new DeviceSignIn(createDeviceStore(dataDir && path.join(dataDir, DEVICES_FILE)), codes, clock, outward);
}

function refuseStrangers(server: Server, admits: (remoteAddress: string) => boolean): void {
  server.prependListener("connection", (socket) => {
    if (!admits(socket.remoteAddress ?? "")) socket.destroy();
  });
}

/** Apps of people are made when they are needed; the least recently used one is dropped. */
const APPS_MAX = 1_000;

interface ServedApp {
  readonly host: ServedHost;
  readonly routes: Routes;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

class Apps {
  readonly #options: ServerOptions;
  readonly #routesOf: (host: ServedHost, principal: Principal) => Routes;
  readonly #apps = new Map<string, ServedApp>();

  constructor(options: ServerOptions, routesOf: (host: ServedHost, principal: Principal) => Routes) {
    this.#options = options;
    this.#routesOf = routesOf;
  }

  /** A request without a principal is for a route that is open to everybody. */
  of(principal: Principal | undefined): ServedApp {
    const { people, host } = this.#options;
    const { device = "", scopes } = principal ?? TOKEN_HOLDER;
    // Without people, one for all devices that may write, and one for those that may not.
    const key = people === undefined ? scopes.join(" ") : device;
    const hostOf = (): ServedHost => {
      if (people === undefined) return scopes.includes("use") ? host : createReadOnlyHost(host);
      return principal === undefined ? host : people.hostFor(principal);
    };
    const app = this.#apps.get(key) ?? this.#create(hostOf(), principal);
    this.#apps.delete(key);
    this.#apps.set(key, app);
    const [oldest] = this.#apps.keys();
    if (this.#apps.size > APPS_MAX && oldest !== undefined) this.#apps.delete(oldest);
    return app;
  }

  #create(host: ServedHost, principal: Principal = TOKEN_HOLDER): ServedApp {
    const routes = this.#routesOf(host, principal);
    const answer = getRequestListener(createApp(routes).fetch, { overrideGlobalObjects: false });
    return { host, routes, answer };
  }
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
