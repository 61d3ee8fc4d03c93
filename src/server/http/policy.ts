/** What a route says about who may reach it and with what. There is no default: a route without a policy does not start. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { isUlid } from "../../kit/ids.ts";
import type { ApiRoute } from "../../protocol/index.ts";

export interface Policy {
  /**
   * "token": only with the bearer token. "public": for anybody on this machine; nothing secret, nothing done.
   * "compat": without the token on the separate port for other programs' clients, with the token anywhere else.
   */
  readonly access: "public" | "token" | "compat";
  readonly carrier: "http" | "websocket";
  /** The longest body; 0 when the route takes none. */
  readonly bodyBytesMax: number;
  /** JSON unless it says otherwise; "bytes" are application/octet-stream and nothing else. */
  readonly bodyType?: "bytes";
  /** True for the page itself: a link on another site may lead there. */
  readonly isLandingPage: boolean;
}

export type RouteContext = Context<{ Bindings: HttpBindings }>;

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /**
   * Compared byte by byte: nothing is decoded, so nothing can be smuggled past by encoding. A part `:id` stands for a
   * ULID, `:n` for a number and `:hash` for a SHA-256 in hex, and for nothing else.
   */
  readonly path: string;
  readonly policy: Policy;
  /** What the OpenAPI document says of it; files of the page are not in there. */
  readonly api?: Omit<ApiRoute, "method" | "path" | "access">;
  readonly handle: (context: RouteContext) => Response | Promise<Response>;
  /** What takes an upgrade of this path; the frames of a Connection when absent. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export type RouteTable = ReadonlyMap<string, readonly Route[]>;

/** By path. Throws for a route that does not say its policy, or says the same thing twice. */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const table = new Map<string, Route[]>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    if (!isPolicy(route.policy)) throw new Error(`The route ${name} does not declare its policy.`);
    const same = table.get(route.path) ?? [];
    if (same.some((other) => other.method === route.method)) throw new Error(`The route ${name} is there twice.`);
    table.set(route.path, [...same, route]);
  }
  return table;
}

/** The routes of a path as it came, without its query. A path that is spelled out comes before one with parts to fill. */
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

const NUMBER = /^(?:0|[1-9]\d{0,8})$/;
const HASH = /^[0-9a-f]{64}$/;

function isPart(wanted: string, given: string): boolean {
  if (wanted === ":id") return isUlid(given);
  if (wanted === ":n") return NUMBER.test(given);
  if (wanted === ":hash") return HASH.test(given);
  return wanted === given;
}

/** Looked at while running too: a cast can hide from the compiler what a stranger would find. */
function isPolicy(value: unknown): value is Policy {
  if (typeof value !== "object" || value === null) return false;
  const policy = value as Partial<Record<keyof Policy, unknown>>;
  return (
    (policy.access === "public" || policy.access === "token" || policy.access === "compat") &&
    (policy.carrier === "http" || policy.carrier === "websocket") &&
    typeof policy.bodyBytesMax === "number" &&
    typeof policy.isLandingPage === "boolean" &&
    (policy.bodyType === undefined || policy.bodyType === "bytes")
  );
}
