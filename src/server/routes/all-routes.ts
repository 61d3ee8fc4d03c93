/** All routes with their policies. */
import * as z from "zod";
import { openApiDocument, protocolJsonSchema, type ApiRoute, type MemberSpec } from "../../protocol/index.ts";
import { answer, readBody } from "../http/answer.ts";
import { Agents, type ListedAgent } from "./schemas.ts";
import { type OneTimeCodes, TOO_MANY_FAILURES } from "../sign-in/secrets.ts";
import { areUnlimited, type DeviceLimits } from "../sign-in/principal.ts";
import type { Policy, Route } from "../http/policy.ts";
import { createDeviceRoutes, DeviceScope, type DeviceRouteDeps } from "./devices.ts";
import { createCrossSessionRoutes, createSearchRoutes } from "./cross-session.ts";
import { createFileRoutes } from "./files.ts";
import { createSessionRoutes, type SessionRouteDeps } from "./sessions.ts";
import { createSettingsRoutes } from "./settings.ts";
import { createWorkspaceRoutes } from "./workspace.ts";

/** A file of the page, held in memory: requests never read files from disk. */
export interface PageFile {
  /** URL path, such as `/app.js`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface RouteDeps extends SessionRouteDeps, DeviceRouteDeps {
  /** Of programs of this user, and the codes that give it out; the server of a team has none. */
  readonly local?: { readonly token: string; readonly codes: OneTimeCodes };
  readonly pageFiles: readonly PageFile[];
  /** Program version, for the OpenAPI document. */
  readonly version: string;
  /** Routes of other systems' protocols, which require the token on this port, or those of a team. */
  readonly moreRoutes?: readonly Route[];
}

const WEBSOCKET_PATH = "/v1/ws";
const SMALL_BODY_BYTES_MAX = 1024;

const publicPolicy: Policy = { access: "public", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
const tokenPolicy: Policy = { ...publicPolicy, access: "token" };

const Health = z.object({ ok: z.literal(true) });
const Exchange = z.strictObject({ code: z.string().max(128) });
const Code = z.object({ code: z.string() });
const Token = z.object({ token: z.string() });
const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 3_650;
const CodeOptions = z.strictObject({
  typed: z.boolean().optional(),
  scope: DeviceScope.optional().meta({
    description: "What the device may do: read sessions, also use them, or also manage devices (the default).",
  }),
  days: z.int().min(1).max(DAYS_MAX).optional().meta({
    description: "Days after which the device is signed out; until then it manages no devices.",
  }),
});

export function createRoutes(deps: RouteDeps): readonly Route[] {
  const { host, clock, defaults, listFeed } = deps;
  const routes = [
    ...entryRoutes(deps),
    ...createDeviceRoutes(deps),
    ...createSessionRoutes({ host, clock, defaults, listFeed }),
    ...createCrossSessionRoutes({ host, clock }),
    ...createSearchRoutes({ host }),
    ...createFileRoutes({ host, defaults }),
    ...createSettingsRoutes({ ...defaults, hidesFolders: deps.signIn.offer.isTeam }),
    ...createWorkspaceRoutes({ host }),
    ...aboutRoutes(deps),
    ...(deps.moreRoutes ?? []),
    ...deps.pageFiles.map(pageRoute),
  ];
  const documents: Route[] = [
    documentRoute(
      "/v1/schema.json",
      "JSON schema of all events and commands, and of the frames of GET /v1/ws.",
      protocolJsonSchema,
    ),
    documentRoute("/v1/openapi.json", "This OpenAPI document.", () =>
      openApiDocument({ version: deps.version, routes: all.flatMap(apiOf) }),
    ),
  ];
  const all: readonly Route[] = [...routes, ...documents];
  return all;
}

/** Created on first request. */
function documentRoute(path: string, summary: string, make: () => Record<string, unknown>): Route {
  const document = lazily(make);
  return {
    method: "GET",
    path,
    policy: tokenPolicy,
    api: { summary, answer: z.record(z.string(), z.json()) },
    handle: () => answer(200, document()),
  };
}

function entryRoutes({ local, signIn, principal, failures }: RouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/health",
      policy: publicPolicy,
      api: { summary: "Health check.", answer: Health },
      handle: () => answer(200, { ok: true }),
    },
    {
      method: "POST",
      path: "/v1/exchange",
      policy: { ...publicPolicy, bodyBytesMax: SMALL_BODY_BYTES_MAX },
      api: {
        summary: "Exchanges a one-time code for the token. A code is valid once, for one minute.",
        body: Exchange,
        answer: Token,
      },
      async handle(c) {
        const { code } = await readBody(c.req, Exchange);
        // The token may do everything, so that a code for less does not buy it.
        const limits = local?.codes.redeem(code);
        if (local !== undefined && limits !== undefined && areUnlimited(limits))
          return answer(200, { token: local.token });
        if (!failures.note()) return answer(429, { error: { message: TOO_MANY_FAILURES } });
        return answer(401, { error: { message: "The code is invalid, expired or already used." } });
      },
    },
    {
      method: "POST",
      path: "/v1/codes",
      policy: { ...tokenPolicy, scope: "manage", bodyBytesMax: SMALL_BODY_BYTES_MAX },
      api: {
        summary: "Creates a one-time code for signing in: for a link, or with `typed` one short enough to type.",
        body: CodeOptions,
        answer: Code,
      },
      async handle(c) {
        const { typed = false, scope = "manage", days } = await readBody(c.req, CodeOptions);
        // Managing devices, one that ends could sign in one that stays.
        const limits: DeviceLimits =
          days === undefined ? { scope } : { scope: scope === "manage" ? "use" : scope, lifeMs: days * DAY_MS };
        return answer(200, { code: await signIn.newCode(principal, { typed, limits }) });
      },
    },
    {
      method: "GET",
      path: WEBSOCKET_PATH,
      policy: { ...tokenPolicy, carrier: "websocket" },
      api: {
        summary: "WebSocket with protocol frames in both directions, for any number of sessions.",
        answer: "websocket",
      },
      // Unreachable: the guard admits only upgrades on this path, and they have no handler.
      handle: () => answer(426, { error: { message: "This path accepts only WebSocket connections." } }),
    },
  ];
}

function aboutRoutes({ defaults }: RouteDeps): Route[] {
  const { members, listAgents = async () => members.map(listedDefault) } = defaults;
  return [
    {
      method: "GET",
      path: "/v1/agents",
      policy: tokenPolicy,
      api: { summary: "Agents available on this machine, and which of them join a new session.", answer: Agents },
      handle: async () => answer(200, Agents.parse(await listAgents())),
    },
  ];
}

function listedDefault(spec: MemberSpec): ListedAgent {
  return { ...spec, foundBy: "configuration", where: "the defaults of this server", canBeSeated: true, sitsDown: true };
}

function apiOf({ method, path, policy, api }: Route): ApiRoute[] {
  const { access } = policy;
  if (api === undefined || method === "PATCH" || access === "compat" || access === "bearer") return [];
  return [{ method, path, access, ...api }];
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function pageRoute({ path, contentType, body }: PageFile): Route {
  return {
    method: "GET",
    path,
    policy: { ...publicPolicy, isLandingPage: path === "/" },
    handle: (c) => c.body(new Uint8Array(body), 200, { "content-type": contentType }),
  };
}
