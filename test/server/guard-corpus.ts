/** The corpus: every route, every method, every hostile head, as bytes for raw sockets, and what is wrong with an answer. */
import { answerHeaders } from "../../src/server/http/refuse.ts";
import type { Route } from "../../src/server/http/policy.ts";
import { inParallel } from "../in-parallel.ts";
import type { BodyBytes } from "./body-bytes.ts";
import { hostileHeads } from "./hostile-heads.ts";
import type { OpenServer } from "./open-server.ts";
import { exchangeRaw, type RawExchange } from "./raw-exchange.ts";
import { isHttp, rightHead, toBytes, type Head, type Hostile, type Target } from "./raw-head.ts";
import { patient } from "../patience.ts";

const REFUSALS = new Set([400, 401, 403, 404, 405, 411, 413, 414, 415, 417, 426, 429, 431, 505]);
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];
const AT_A_TIME = 24;
export const WAIT_MS = patient(20_000);

export interface CorpusTarget {
  readonly open: OpenServer;
  readonly sessionId: string;
  readonly bodies: BodyBytes;
}

export interface CorpusCase {
  readonly name: string;
  readonly bytes: string;
  /** The method is the route's own. */
  readonly isOwnMethod: boolean;
  /** Places in the lists of routes and of hostile heads. */
  readonly route: number;
  readonly head: number;
}

export function allRoutes({ server }: OpenServer): Route[] {
  return [...server.routes.values()].flat();
}

export function targetOf({ open, sessionId }: CorpusTarget, route: Route, port = open.port): Target {
  return { port, token: open.server.token, route, sessionId };
}

/** The head, and a body where it speaks of one. */
export function bytesOf(base: Head, { change }: Hostile, target: Target): string {
  const changed = change(base, target);
  const bytes = typeof changed === "string" ? changed : toBytes(changed);
  if (/^transfer-encoding/im.test(bytes)) return `${bytes}2\r\n{}\r\n0\r\n\r\n`;
  return /^content-length: *\S/im.test(bytes) ? `${bytes}{}` : bytes;
}

/** Every route times every method times every head: tens of thousands. */
export function corpusCases(target: CorpusTarget): CorpusCase[] {
  const routes = allRoutes(target.open);
  const isTaken = (path: string, method: string) =>
    routes.some((route) => route.path === path && route.method === method);
  const cases = routes.flatMap((route, routeAt) =>
    METHODS.filter((method) => method === route.method || !isTaken(route.path, method)).flatMap((method) => {
      const routeTarget = targetOf(target, route);
      return hostileHeads
        .filter(({ isFor }) => isFor?.(route) !== false)
        .map((hostile) => ({
          name: `${method} ${route.path}: ${hostile.name}`,
          bytes: bytesOf({ ...rightHead(routeTarget), method }, hostile, routeTarget),
          isOwnMethod: method === route.method,
          route: routeAt,
          head: hostileHeads.indexOf(hostile),
        }));
    }),
  );
  // Where a path takes several methods, another method can make, byte by byte, what another of its routes takes.
  const unchanged: Hostile = { name: "nothing", change: (head) => head };
  const right = new Set(
    routes.flatMap((route) => {
      const routeTarget = targetOf(target, route);
      const head = rightHead(routeTarget);
      const heads = route.method === "GET" && isHttp(route) ? [head, { ...head, method: "HEAD" }] : [head];
      return heads.map((one) => bytesOf(one, unchanged, routeTarget));
    }),
  );
  // Some changes make the same bytes of several heads; those need to be sent only once, as the route's own where they are.
  const ownLast = [
    ...cases.filter(({ isOwnMethod }) => !isOwnMethod),
    ...cases.filter(({ isOwnMethod }) => isOwnMethod),
  ];
  return [...new Map(ownLast.map((one) => [one.bytes, one])).values()].filter(({ bytes }) => !right.has(bytes));
}

/** What was answered otherwise than by a refusal, handled, or read. */
export async function corpusFaults(target: CorpusTarget, cases: readonly CorpusCase[]): Promise<string[]> {
  const { open, bodies } = target;
  const before = { handled: open.server.counts.handled, read: bodies.read };
  const wrong: string[] = [];
  await inParallel(cases, AT_A_TIME, async ({ name, bytes }) => {
    const faults = faultsOf(open, await exchangeRaw(open.port, bytes, { until: "close", waitMs: WAIT_MS }));
    if (faults.length > 0) wrong.push(`${name}: ${faults.join(", ")}`);
  });
  const { handled } = open.server.counts;
  if (handled !== before.handled) wrong.push(`${handled - before.handled} requests came to a handler`);
  if (bodies.read !== before.read) wrong.push(`${bodies.read - before.read} bytes of bodies were read`);
  return wrong;
}

/** Made once: thousands of answers are held against them. */
const wantedLines = Object.entries(answerHeaders).map(([name, value]) => ({
  name,
  line: `${name}: ${value}`.toLowerCase(),
}));

function faultsOf({ server }: OpenServer, { status, text, isHungUp }: RawExchange): string[] {
  const [head = ""] = text.split("\r\n\r\n", 1);
  const lines = new Set(head.toLowerCase().split("\r\n"));
  return [
    ...(REFUSALS.has(status) ? [] : [`answered ${status}`]),
    ...(isHungUp ? [] : ["did not hang up"]),
    ...(text.includes(server.token) ? ["told the token"] : []),
    ...(/access-control-/i.test(text) ? ["let another origin read"] : []),
    ...(text.split("HTTP/1.1 ").length > 2 ? ["answered twice"] : []),
    ...wantedLines.filter(({ line }) => !lines.has(line)).map(({ name }) => `answered without ${name}`),
  ];
}
