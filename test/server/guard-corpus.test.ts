/** Every route, every method and every hostile head, though not each with each, over raw sockets; and the same heads at guards that each have one hole. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RequestHead } from "../../src/server/http/guard.ts";
import { countBodyBytes, type BodyBytes } from "./body-bytes.ts";
import { createRandom } from "../log/seeded-random.ts";
import { allRoutes, bytesOf, corpusCases, corpusFaults, targetOf, WAIT_MS } from "./guard-corpus.ts";
import { hostileHeads } from "./hostile-heads.ts";
import { createSession, openServer, type OpenServer } from "./open-server.ts";
import { exchangeRaw } from "./raw-exchange.ts";
import { rightHead } from "./raw-head.ts";
import { startHoleyCopy, type HoleyCopyOptions } from "./unguarded-copy.ts";
import { patient } from "../patience.ts";

/** Of the heads with the route's own method, every so many; of those with another, this share. All are for the torture run. */
const OWN_METHOD_STEP = 5;
const OTHER_METHODS_SHARE = 0.005;
const CORPUS_MS = patient(600_000);

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

const target = () => ({ open, sessionId, bodies });

describe("the corpus", () => {
  test(
    "[V2] every hostile head is refused on every fifth route, and every route refuses every fifth, with its own method and others, before the handler, with 0 bytes of body read",
    async () => {
      const seed = Number(process.env["ROUNDTABLE_SEED"] ?? Date.now() % 1_000_000);
      console.log(`guard corpus seed: ${seed}`);
      const random = createRandom(seed);
      const cases = corpusCases(target());
      expect(new Set(hostileHeads.map(({ name }) => name)).size).toBe(hostileHeads.length);
      expect(hostileHeads.length).toBeGreaterThanOrEqual(58);
      expect(cases.length).toBeGreaterThanOrEqual(18 * 7 * 58);
      const first = Math.floor(random() * OWN_METHOD_STEP);
      const own = Map.groupBy(
        cases.filter(({ isOwnMethod }) => isOwnMethod),
        ({ head }) => head,
      );
      const chosen = [
        ...cases.filter(({ isOwnMethod }) => !isOwnMethod && random() < OTHER_METHODS_SHARE),
        ...[...own].flatMap(([head, routes]) => {
          const step = Math.min(OWN_METHOD_STEP, routes.length);
          return routes.filter((_, at) => at % step === (first + head) % step);
        }),
      ];
      expect(new Set(chosen.map(({ head }) => head)).size).toBe(hostileHeads.length);
      expect(new Set(chosen.map(({ route }) => route)).size).toBe(allRoutes(open).length);
      expect(await corpusFaults(target(), chosen)).toEqual([]);
    },
    CORPUS_MS,
  );

  test("the same heads get through each guard with a hole, so a hole in the real guard would be seen", async () => {
    const isShown = (hole: Hole) => (name: string) => hole.shows.includes(name);
    const unseen = await Promise.all(
      Object.entries(holes).map(async ([name, hole]) => {
        const { names } = await responseThrough(hole.blind, isShown(hole));
        return hole.shows.filter((one) => !names.has(one)).map((one) => `${name}: ${one}`);
      }),
    );
    expect(unseen.flat()).toEqual([]);
    const { read } = await responseThrough(everything.blind, isShown(everything));
    expect(read).toBeGreaterThan(0);
  });

  test("a guard without a hole lets none of them through, so what gets through above came by the hole", async () => {
    expect([...(await responseThrough((head) => head)).names]).toEqual([]);
  });
});

/** What a copy with this hole hands to its handlers, of these heads on one route of each sort. */
async function responseThrough(
  blind: HoleyCopyOptions["blind"],
  isSent: (name: string) => boolean = () => true,
): Promise<{ names: Set<string>; read: number }> {
  const { routes, token } = open.server;
  const copy = await startHoleyCopy({ routes, token, blind });
  const names = new Set<string>();
  const before = bodies.read;
  const sorts = new Set(["POST /v1/codes", "POST /v1/sessions/:id/blobs", "GET /v1/agents", "GET /v1/ws", "GET /"]);
  for (const route of allRoutes(open).filter(({ method, path }) => sorts.has(`${method} ${path}`))) {
    const routeTarget = targetOf(target(), route, copy.port);
    for (const hostile of hostileHeads.filter(({ name, isFor }) => isSent(name) && isFor?.(route) !== false)) {
      const { handled } = copy.counts;
      const bytes = bytesOf(rightHead(routeTarget), hostile, routeTarget);
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

const everything: Hole = {
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
};

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
    shows: ['Content-Length is "70000000"', 'Transfer-Encoding is "chunked"', "a body where none belongs"],
  },
  "any number of lines": {
    blind: (head) => ({ ...head, lineCount: 1 }),
    shows: ["150 lines"],
  },
  "any upgrade": {
    blind: (head, { routes }) => ({ ...head, isUpgrade: routes.get(head.target)?.[0]?.policy.carrier === "websocket" }),
    shows: ["an upgrade to TLS/1.2 where none belongs"],
  },
  everything,
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
