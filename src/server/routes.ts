/** Every route with its policy, in one table. What is not here does not exist. */
import * as z from "zod";
import type { MemberSpec, SessionSummary, Settings } from "../protocol/index.ts";
import type { Policy, Route } from "./policy.ts";
import type { OneTimeCodes } from "./secrets.ts";

/** A file of the page, whole and in memory: no request ever names a file on disk. */
export interface PageFile {
  /** As the browser asks for it, such as `/app.js`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** What a new session gets when a screen does not say. */
export interface SessionDefaults {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
}

export interface RouteParts {
  readonly token: string;
  readonly codes: OneTimeCodes;
  readonly pageFiles: readonly PageFile[];
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  readonly defaults: SessionDefaults;
}

const WEBSOCKET_PATH = "/v1/ws";
const SMALL_BODY_BYTES_MAX = 1024;

const open: Policy = { access: "public", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
const guarded: Policy = { ...open, access: "token" };

const Exchange = z.strictObject({ code: z.string().max(128) });
const Nothing = z.strictObject({});

export function createRoutes({ token, codes, pageFiles, listSessions, defaults }: RouteParts): Route[] {
  return [
    { method: "GET", path: "/v1/health", policy: open, handle: () => answer(200, { ok: true }) },
    {
      method: "POST",
      path: "/v1/exchange",
      policy: { ...open, bodyBytesMax: SMALL_BODY_BYTES_MAX },
      async handle(c) {
        const body = Exchange.safeParse(await readJson(c.req));
        if (!body.success) return answer(400, { error: { message: "The body must be {code}." } });
        if (!codes.redeem(body.data.code))
          return answer(401, { error: { message: "The code was used, is too old or was never given." } });
        return answer(200, { token });
      },
    },
    {
      method: "POST",
      path: "/v1/codes",
      policy: { ...guarded, bodyBytesMax: SMALL_BODY_BYTES_MAX },
      async handle(c) {
        if (!Nothing.safeParse(await readJson(c.req)).success)
          return answer(400, { error: { message: "The body must be {}." } });
        return answer(200, { code: codes.issue() });
      },
    },
    { method: "GET", path: "/v1/sessions", policy: guarded, handle: async () => answer(200, await listSessions()) },
    { method: "GET", path: "/v1/defaults", policy: guarded, handle: () => answer(200, defaults) },
    {
      method: "GET",
      path: WEBSOCKET_PATH,
      policy: { ...guarded, carrier: "websocket" },
      // The guard lets only upgrades through to this path, and those never come to a handler.
      handle: () => answer(426, { error: { message: "This path takes WebSocket only." } }),
    },
    ...pageFiles.map(pageRoute),
  ];
}

function pageRoute({ path, contentType, body }: PageFile): Route {
  return {
    method: "GET",
    path,
    policy: { ...open, isLandingPage: path === "/" },
    handle: (c) => c.body(new Uint8Array(body), 200, { "content-type": contentType }),
  };
}

async function readJson(request: { json(): Promise<unknown> }): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    // Not JSON: no schema takes undefined, so the caller refuses it with its own words.
    return undefined;
  }
}

function answer(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json; charset=utf-8" } });
}
