/** Every route, every method, every hostile head, over raw sockets; and the same heads at guards that each have one hole. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerHeaders } from "../../src/server/answer-headers.ts";
import type { Route } from "../../src/server/policy.ts";
import type { RequestHead } from "../../src/server/request-head.ts";
import { countBodyBytes, type BodyBytes } from "./body-bytes.ts";
import { hostileHeads } from "./hostile-heads.ts";
import { createSession, openServer, type OpenServer } from "./open-server.ts";
import { exchangeRaw, inParallel, type RawExchange } from "./raw-exchange.ts";
import { rightHead, toBytes, type Head, type Hostile, type Target } from "./raw-head.ts";
import { startHoleyCopy, type HoleyCopyOptions } from "./unguarded-copy.ts";

const REFUSALS = new Set([400, 401, 403, 404, 405, 411, 413, 415, 417, 426, 429, 431, 505]);
const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"];
const AT_A_TIME = 24;
const WAIT_MS = 20_000;

let open: OpenServer;
let sessionId: string;
let bodies: BodyBytes;
beforeAll(async () => {
  open = await openServer();
  sessionId = await createSession(open);
  bodies = countBodyBytes();
});
afterAll(async () => {
  bodies.stop();
  await open.close();
});

function allRoutes(): Route[] {
  return [...open.server.routes.values()].flat();
}

function targetOf(route: Route, port = open.port): Target {
  return { port, token: open.server.token, route, sessionId };
}

/** The head, and a body where it speaks of one. */
function bytesOf(base: Head, { change }: Hostile, target: Target): string {
  const changed = change(base, target);
  const bytes = typeof changed === "string" ? changed : toBytes(changed);
  if (/^transfer-encoding/im.test(bytes)) return `${bytes}2\r\n{}\r\n0\r\n\r\n`;
  return /^content-length: *\S/im.test(bytes) ? `${bytes}{}` : bytes;
}

function faultsOf({ status, text, isHungUp }: RawExchange): string[] {
  const [head = ""] = text.split("\r\n\r\n", 1);
  const lines = new Set(head.toLowerCase().split("\r\n"));
  return [
    ...(REFUSALS.has(status) ? [] : [`answered ${status}`]),
    ...(isHungUp ? [] : ["did not hang up"]),
    ...(text.includes(open.server.token) ? ["told the token"] : []),
    ...(/access-control-/i.test(text) ? ["let another origin read"] : []),
    ...(text.split("HTTP/1.1 ").length > 2 ? ["answered twice"] : []),
    ...Object.entries(answerHeaders)
      .filter(([name, value]) => !lines.has(`${name}: ${value}`.toLowerCase()))
      .map(([name]) => `answered without ${name}`),
  ];
}

/** Every route times every method times every head: tens of thousands of connections, however busy the machine is. */
const CORPUS_MS = 600_000;

describe("the corpus", () => {
  test(
    "[V2] every hostile head is refused on every route with every method, before the handler, with 0 bytes of body read",
    async () => {
      const cases = allRoutes().flatMap((route) =>
        METHODS.filter((method) => method === route.method || !isTaken(route.path, method)).flatMap((method) => {
          const target = targetOf(route);
          return hostileHeads
            .filter(({ isFor }) => isFor?.(route) !== false)
            .map((hostile) => ({
              name: `${method} ${route.path}: ${hostile.name}`,
              bytes: bytesOf({ ...rightHead(target), method }, hostile, target),
            }));
        }),
      );
      expect(new Set(hostileHeads.map(({ name }) => name)).size).toBe(hostileHeads.length);
      expect(hostileHeads.length).toBeGreaterThanOrEqual(58);
      expect(cases.length).toBeGreaterThanOrEqual(18 * 7 * 58);
      // Where a path takes several methods, another method can make, byte by byte, what another of its routes takes.
      const unchanged: Hostile = { name: "nothing", change: (head) => head };
      const right = new Set(
        allRoutes().map((route) => bytesOf(rightHead(targetOf(route)), unchanged, targetOf(route))),
      );
      const before = { handled: open.server.counts.handled, read: bodies.read };
      const wrong: string[] = [];
      // Some changes make the same bytes of several heads; those need to be sent only once.
      const different = [...new Map(cases.map((one) => [one.bytes, one])).values()].filter(
        ({ bytes }) => !right.has(bytes),
      );
      await inParallel(different, AT_A_TIME, async ({ name, bytes }) => {
        const faults = faultsOf(await exchangeRaw(open.port, bytes, { until: "close", waitMs: WAIT_MS }));
        if (faults.length > 0) wrong.push(`${name}: ${faults.join(", ")}`);
      });
      expect({ wrong, handled: open.server.counts.handled, read: bodies.read }).toEqual({ wrong: [], ...before });
    },
    CORPUS_MS,
  );

  test("[V80] the same heads get through each guard that has a hole, so a hole in ours would be seen", async () => {
    const got = await Promise.all(Object.values(holes).map(({ blind }) => heardThrough(blind)));
    const named = Object.fromEntries(Object.keys(holes).map((name, at) => [name, got[at]?.names ?? new Set()]));
    const unseen = Object.entries(holes).flatMap(([hole, { shows }]) =>
      shows.filter((name) => named[hole]?.has(name) !== true).map((name) => `${hole}: ${name}`),
    );
    expect(unseen).toEqual([]);
    const { read } = await heardThrough(holes["everything"]?.blind ?? ((head) => head));
    expect(read).toBeGreaterThan(0);
  });

  test("[V80] a guard without a hole lets none of them through, so what gets through above came by the hole", async () => {
    expect([...(await heardThrough((head) => head)).names]).toEqual([]);
  });
});

function isTaken(path: string, method: string): boolean {
  return allRoutes().some((route) => route.path === path && route.method === method);
}

/** What a copy with this hole hands to its handlers, of the corpus on one route of each sort. */
async function heardThrough(blind: HoleyCopyOptions["blind"]): Promise<{ names: Set<string>; read: number }> {
  const { routes, token } = open.server;
  const copy = await startHoleyCopy({ routes, token, blind });
  const names = new Set<string>();
  const before = bodies.read;
  const sorts = new Set(["POST /v1/codes", "POST /v1/sessions/:id/blobs", "GET /v1/agents", "GET /v1/ws", "GET /"]);
  for (const route of allRoutes().filter(({ method, path }) => sorts.has(`${method} ${path}`))) {
    const target = targetOf(route, copy.port);
    for (const hostile of hostileHeads.filter(({ isFor }) => isFor?.(route) !== false)) {
      const { handled } = copy.counts;
      const bytes = bytesOf(rightHead(target), hostile, target);
      // A handler that waits for the rest of a body has not answered.
      const isDone = () => copy.counts.handled > handled;
      await exchangeRaw(copy.port, bytes, { until: "head", waitMs: WAIT_MS, isDone });
      if (copy.counts.handled > handled) names.add(hostile.name);
    }
  }
  await copy.close();
  return { names, read: bodies.read - before };
}

function set(head: RequestHead, changes: Record<string, string | undefined>): RequestHead {
  const headers = new Map(head.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, [value]);
  }
  return { ...head, headers };
}

interface Hole {
  readonly blind: HoleyCopyOptions["blind"];
  /** Some of what must get through it. */
  readonly shows: readonly string[];
}

const holes: Record<string, Hole> = {
  "any Host": {
    blind: (head, { host }) => set(head, { host }),
    shows: ["no Host", "Host is all interfaces", "Host is another name with our port", "two Hosts, ours first"],
  },
  "any Origin": {
    blind: (head) => set(head, { origin: undefined }),
    shows: ["Origin is null", "Origin is another port of this machine", "two Origins"],
  },
  "any site": {
    blind: (head) => set(head, { "sec-fetch-site": undefined }),
    shows: ['Sec-Fetch-Site is "cross-site"', "into an iframe of another site", "a link to what is no page"],
  },
  "any method": {
    blind: (head, { routes }) => ({ ...head, method: routes.get(head.target)?.[0]?.method ?? "GET" }),
    shows: ['method "PUT"', 'method "TRACE"', "the other method"],
  },
  "a method from a header": {
    blind: (head) => set(head, { "x-http-method-override": undefined }),
    shows: ["another method as X-HTTP-Method-Override"],
  },
  "any spelling of a path": {
    blind: (head) => ({ ...head, target: simplest(head.target) }),
    shows: ["the target is two slashes", "the target is a way up", "an encoded letter", "a slash behind"],
  },
  "any token": {
    blind: (head, { token }) => set(head, { authorization: `Bearer ${token}` }),
    shows: ["no token", "the token in the address as token", "the token as Cookie", "the token as a password"],
  },
  "the first of two lines": {
    blind: (head) => ({ ...head, headers: new Map([...head.headers].map(([name, [first = ""]]) => [name, [first]])) }),
    shows: ["two Hosts, ours first", "two Origins", "two types"],
  },
  "any type": {
    blind: (head) => set(head, { "content-type": "application/json" }),
    shows: ['a body of type "text/plain"', "a body of no type", 'a body of type "application/json; charset=utf-16"'],
  },
  "any coding": {
    blind: (head) => set(head, { "content-encoding": undefined }),
    shows: ["a body in gzip"],
  },
  "any length": {
    blind: (head) =>
      set(head, { "content-length": head.method === "POST" ? "2" : undefined, "transfer-encoding": undefined }),
    shows: ['Content-Length is "30000000"', 'Transfer-Encoding is "chunked"', "a body where none belongs"],
  },
  "any number of lines": {
    blind: (head) => ({ ...head, lineCount: 1 }),
    shows: ["150 lines"],
  },
  "any upgrade": {
    blind: (head, { routes }) => ({ ...head, isUpgrade: routes.get(head.target)?.[0]?.policy.carrier === "websocket" }),
    shows: ["an upgrade to h2c where none belongs"],
  },
  everything: {
    blind: (head, { host, token, routes }) => {
      const route = routes.get(simplest(head.target))?.[0];
      const isBody = (route?.policy.bodyBytesMax ?? 0) > 0;
      const headers = new Map([
        ["host", [host]],
        ["authorization", [`Bearer ${token}`]],
        ...(isBody
          ? ([
              ["content-type", ["application/json"]],
              ["content-length", ["2"]],
            ] as [string, string[]][])
          : []),
      ]);
      const line = { method: route?.method ?? "GET", target: route?.path ?? "/", version: "1.1" };
      return { ...line, isUpgrade: false, lineCount: 2, headers };
    },
    shows: ["no Host", "Origin is null", 'method "PUT"', "no token", 'a body of type "text/plain"'],
  },
};

function simplest(target: string): string {
  try {
    const path = decodeURIComponent(new URL(target.replace(/^\/+/, "/"), "http://x").pathname);
    return path === "/" ? path : path.replace(/\/$/, "");
  } catch {
    // Not every spelling has a meaning.
    return target;
  }
}
