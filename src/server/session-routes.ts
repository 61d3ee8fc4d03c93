/** The routes of `/v1/sessions`: what the frames of a Connection do, one question a request. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import * as z from "zod";
import type { Host } from "../host/index.ts";
import type { Clock } from "../kit/clock.ts";
import { Ack, Command, Json, RoundtableError, SessionSummary, SnapshotFrame, type Cursor } from "../protocol/index.ts";
import { answer, readBody, statusOf } from "./answer.ts";
import { CreatedSession, NewSession, OpenRequests, SessionUsage } from "./api-shapes.ts";
import { askHost, commandHost, QUESTION_ID } from "./ask-host.ts";
import { streamEvents } from "./event-stream.ts";
import type { Policy, Route, RouteContext } from "./policy.ts";
import type { SessionDefaults } from "./session-defaults.ts";
import type { SessionListFeed } from "./session-list-feed.ts";

export interface SessionRouteParts {
  readonly host: Pick<Host, "serve" | "listSessions" | "readFacts">;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  readonly listFeed: SessionListFeed;
}

/** A message of this length is a file; attachments are for those. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Who speaks when the request does not say. */
const CLIENT_ID = "http";
const CLIENT_HEADER = "x-roundtable-client";

const reading: Policy = { access: "token", carrier: "http", bodyBytesMax: 0, isLandingPage: false };
const writing: Policy = { ...reading, bodyBytesMax: BODY_BYTES_MAX };

export function createSessionRoutes(parts: SessionRouteParts): Route[] {
  // A path that is spelled out stands before one with parts to fill: the router takes the first that fits.
  return [...listRoutes(parts), ...readRoutes(parts), ...liveRoutes(parts)];
}

function listRoutes({ host, clock, defaults, listFeed }: SessionRouteParts): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions",
      policy: reading,
      api: { summary: "All sessions, the newest first.", answer: z.array(SessionSummary) },
      handle: async () => answer(200, await host.listSessions()),
    },
    {
      method: "POST",
      path: "/v1/sessions",
      policy: writing,
      api: {
        summary: "Creates a session; what is left out is as GET /v1/defaults says.",
        body: NewSession,
        answer: CreatedSession,
      },
      async handle(c) {
        const {
          title = "",
          cwd = defaults.cwd,
          members = defaults.members,
          settings,
        } = await readBody(c.req, NewSession);
        const order = members === defaults.members ? defaults.settings.order : members.map(({ name }) => name);
        const whole = { ...defaults.settings, order, ...definedOnly(settings ?? {}) };
        const said = { title, cwd, members: [...members], settings: whole };
        const frame = { frame: "create" as const, id: QUESTION_ID, ...said };
        return answer(200, await askHost({ host, clock }, clientOf(c), frame));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/events",
      policy: reading,
      api: { summary: "The list of sessions, then each that is new, changed or gone.", answer: "event-stream" },
      handle(c) {
        if (listFeed.add(c.env.outgoing)) return RESPONSE_ALREADY_SENT;
        throw new RoundtableError("closed", "Too many programs follow the list of sessions.");
      },
    },
  ];
}

function readRoutes({ host, clock }: SessionRouteParts): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id",
      policy: reading,
      api: {
        summary: "The session as it is now: head, last pages, and the seq they stand for.",
        answer: SnapshotFrame,
      },
      async handle(c) {
        const frame = { frame: "snapshot", id: QUESTION_ID, sessionId: partOf(c, "id") } as const;
        return answer(200, await askHost({ host, clock }, clientOf(c), frame));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/pages/:n",
      policy: reading,
      api: { summary: "One page of older messages.", answer: Json },
      async handle(c) {
        const page = Number(partOf(c, "n"));
        const frame = { frame: "page", id: QUESTION_ID, sessionId: partOf(c, "id"), page } as const;
        return answer(200, await askHost({ host, clock }, clientOf(c), frame));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/requests",
      policy: reading,
      api: { summary: "What agents wait to be answered, the oldest first.", answer: OpenRequests },
      handle: async (c) => answer(200, (await host.readFacts(partOf(c, "id"))).requests),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/usage",
      policy: reading,
      api: { summary: "Turns, tokens and cost, of the session and of each member.", answer: SessionUsage },
      handle: async (c) => answer(200, (await host.readFacts(partOf(c, "id"))).usage),
    },
  ];
}

function liveRoutes({ host, clock }: SessionRouteParts): Route[] {
  return [
    {
      method: "POST",
      path: "/v1/sessions/:id/commands",
      policy: writing,
      api: { summary: "One command; answered when it has become a fact, or was refused.", body: Command, answer: Ack },
      async handle(c) {
        const command = await readBody(c.req, Command);
        const frame = { frame: "command", sessionId: partOf(c, "id"), command } as const;
        const ack = await commandHost({ host, clock }, clientOf(c), frame);
        return answer(ack.ok ? 200 : statusOf(ack.error.code), ack);
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/events",
      policy: reading,
      api: {
        summary: "Every event after a seq, then live. Last-Event-ID is taken too, and wins.",
        query: {
          after: "The last seq the reader has; 0 for all.",
          epoch: "The epoch of that event, where it is known.",
        },
        answer: "event-stream",
      },
      handle(c) {
        const cursor = cursorOf(c);
        const { outgoing: response } = c.env;
        streamEvents({ host, clock, response, sessionId: partOf(c, "id"), clientId: clientOf(c), cursor });
        return RESPONSE_ALREADY_SENT;
      },
    },
  ];
}

/** The guard has let only whole ids and numbers through. */
function partOf(c: RouteContext, name: "id" | "n"): string {
  const part = c.req.param(name);
  if (part === undefined) throw new Error(`the route ${c.req.path} has no part :${name}`);
  return part;
}

const ClientId = z.string().regex(/^[\w.-]{1,64}$/);

function clientOf(c: RouteContext): string {
  const given = c.req.header(CLIENT_HEADER);
  if (given === undefined) return CLIENT_ID;
  const parsed = ClientId.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RoundtableError(
    "bad_command",
    `The header ${CLIENT_HEADER} takes up to 64 letters, digits, ".", "_" and "-".`,
  );
}

const Whole = z.string().regex(/^\d{1,15}$/);

function cursorOf(c: RouteContext): Cursor {
  const lastId = c.req.header("last-event-id");
  const seq = Whole.safeParse(lastId ?? c.req.query("after") ?? "0");
  const epoch = Whole.safeParse(c.req.query("epoch") ?? "0");
  if (!seq.success || !epoch.success) {
    const name = !epoch.success ? "epoch" : lastId === undefined ? "after" : "Last-Event-ID";
    throw new RoundtableError("bad_command", `${name} must be a whole number.`);
  }
  // The epoch in the address belongs to the seq in the address.
  return { epoch: lastId === undefined ? Number(epoch.data) : 0, seq: Number(seq.data) };
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
