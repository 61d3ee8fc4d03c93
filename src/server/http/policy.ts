/** Access policy of a route. There is no default: the server does not start with a route that lacks one. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { isUlid } from "../../kit/ids.ts";
import type { ApiRoute, HostConnection } from "../../protocol/index.ts";
import type { Principal, Scope } from "../sign-in/principal.ts";

export interface Policy {
  /**
   * "token": requires the bearer token, or that of a signed-in device. "bearer": the bearer token only. "public": open to
   * every program on this machine; reveals and changes nothing. "compat": no token on the separate compat port.
   */
  readonly access: "public" | "token" | "bearer" | "compat";
  /** What a device must be allowed; by default "read" for GET, and "use" for everything else. */
  readonly scope?: Scope;
  readonly carrier: "http" | "websocket";
  /** 0 when the route accepts no body. */
  readonly bodyBytesMax: number;
  /** JSON by default; "bytes" is application/octet-stream only. */
  readonly bodyType?: "bytes";
  /** True for the page itself: other sites may link to it. */
  readonly isLandingPage: boolean;
}

export type RouteContext = Context<{ Bindings: HttpBindings }>;

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /**
   * Compared byte by byte without decoding, so that no encoding can bypass it. `:id` matches a ULID, `:n` a number and
   * `:hash` a SHA-256 in hex.
   */
  readonly path: string;
  readonly policy: Policy;
  /** Entry of the OpenAPI document; absent for files of the page. */
  readonly api?: Omit<ApiRoute, "method" | "path" | "access">;
  readonly handle: (context: RouteContext) => Response | Promise<Response>;
  /** Handles an upgrade; by default the connection carries protocol frames. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Takes a connection whose frames are its own. */
  readonly connect?: (connection: HostConnection, principal: Principal) => void;
}

export type RouteTable = ReadonlyMap<string, readonly Route[]>;

/** Throws for a route without a policy and for duplicates. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const table = new Map<string, Route[]>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    if (!isPolicy(route.policy)) throw new Error(`The route ${name} does not declare its policy.`);
    const same = table.get(route.path) ?? [];
    if (same.some((other) => other.method === route.method)) throw new Error(`The route ${name} is declared twice.`);
    table.set(route.path, [...same, route]);
  }
  return table;
}

/** Routes of an undecoded path without its query. Exact paths win over patterns. */
export function routesAt(table: RouteTable, path: string): readonly Route[] | undefined {
  if (!path.includes(":") && table.has(path)) return table.get(path);
  const segments = path.split("/");
  for (const [pattern, routes] of table) {
    const wanted = pattern.split("/");
    if (wanted.length !== segments.length) continue;
    if (wanted.every((want, at) => isPart(want, segments[at] ?? ""))) return routes;
  }
  return undefined;
}

/** Whether the path would be one of these routes if its ids, numbers and hashes had the right form. */
export function isMalformed(routes: RouteTable, path: string): boolean {
  const segments = path.split("/");
  return [...routes.keys()].some((pattern) => {
    const wanted = pattern.split("/");
    if (wanted.length !== segments.length || !pattern.includes(":")) return false;
    return wanted.every((want, at) => (want.startsWith(":") ? segments[at] !== "" : want === segments[at]));
  });
}

const NUMBER = /^(?:0|[1-9]\d{0,8})$/;
const HASH = /^[0-9a-f]{64}$/;

function isPart(wanted: string, given: string): boolean {
  if (wanted === ":id") return isUlid(given);
  if (wanted === ":n") return NUMBER.test(given);
  if (wanted === ":hash") return HASH.test(given);
  return wanted === given;
}

/** Checked at run time too: a cast could hide a missing policy from the compiler. */
const ACCESS: ReadonlySet<unknown> = new Set<Policy["access"]>(["public", "token", "bearer", "compat"]);

const SCOPES: ReadonlySet<unknown> = new Set<Scope>(["read", "use", "manage"]);

function isPolicy(value: unknown): value is Policy {
  if (typeof value !== "object" || value === null) return false;
  const policy = value as Partial<Record<keyof Policy, unknown>>;
  return (
    ACCESS.has(policy.access) &&
    (policy.carrier === "http" || policy.carrier === "websocket") &&
    typeof policy.bodyBytesMax === "number" &&
    typeof policy.isLandingPage === "boolean" &&
    (policy.bodyType === undefined || policy.bodyType === "bytes") &&
    (policy.scope === undefined || SCOPES.has(policy.scope))
  );
}
