/** The routes of `/v1/sessions`: what the frames of a Connection do, one question a request. */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import * as z from "zod";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  Ack,
  Command,
  Json,
  RoundtableError,
  SessionSummary,
  SnapshotFrame,
  type Cursor,
} from "../../protocol/index.ts";
import { answer, readBody, statusOf } from "../http/answer.ts";
import { Archive, CreatedSession, Done, Members, NewSession, OpenRequests, Rename, SessionUsage } from "./schemas.ts";
import { callHost, sendCommand, CALL_ID, runCommand } from "../connections/call-host.ts";
import { createBlobRoutes } from "./blobs.ts";
import { parseEventId } from "../connections/event-cursor.ts";
import { streamEvents } from "../connections/event-stream.ts";
import { createExportRoute } from "./export.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { clientOf, clientParameter, pathParam, readPolicy, writePolicy, type ServedHost } from "./policies.ts";
import type { SessionDefaults } from "./session-defaults.ts";
import type { SessionListFeed } from "../connections/session-list-feed.ts";
import { createTrashRoutes } from "./trash.ts";

export interface SessionRouteDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  readonly listFeed: SessionListFeed;
}

export function createSessionRoutes(deps: SessionRouteDeps): Route[] {
  // A path that is spelled out stands before one with parts to fill: the router takes the first that fits.
  return [
    ...listRoutes(deps),
    ...readRoutes(deps),
    ...createBlobRoutes(deps),
    createExportRoute(deps),
    ...factRoutes(deps),
    ...changeRoutes(deps),
    ...createTrashRoutes(deps),
    ...liveRoutes(deps),
  ];
}

function listRoutes({ host, clock, defaults, listFeed }: SessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions",
      policy: readPolicy,
      api: { summary: "All sessions, the newest first.", answer: z.array(SessionSummary) },
      handle: async () => answer(200, await host.listSessions()),
    },
    {
      method: "POST",
      path: "/v1/sessions",
      policy: writePolicy,
      api: {
        summary: "Creates a session; what is left out is as GET /v1/defaults says.",
        headers: clientParameter,
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
        const fields = { title, cwd, members: [...members], settings: whole };
        const frame = { frame: "create" as const, id: CALL_ID, ...fields };
        return answer(200, await callHost({ host, clock }, clientOf(c), frame));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/events",
      policy: readPolicy,
      api: {
        summary: 'The list of sessions ("sessions"), then each that is new or changed ("session") or "gone".',
        answer: "event-stream",
      },
      handle(c) {
        if (listFeed.add(host, c.env.outgoing)) return RESPONSE_ALREADY_SENT;
        throw new RoundtableError("closed", "Too many programs follow the list of sessions.");
      },
    },
  ];
}

function readRoutes({ host, clock }: SessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id",
      policy: readPolicy,
      api: {
        summary: "The session as it is now: head, last pages, and the seq they stand for.",
        answer: SnapshotFrame,
      },
      async handle(c) {
        const frame = { frame: "snapshot", id: CALL_ID, sessionId: pathParam(c, "id") } as const;
        return answer(200, await callHost({ host, clock }, clientOf(c), frame));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/pages/:n",
      policy: readPolicy,
      api: { summary: "One page of older messages.", answer: Json },
      async handle(c) {
        const page = Number(pathParam(c, "n"));
        const frame = { frame: "page", id: CALL_ID, sessionId: pathParam(c, "id"), page } as const;
        return answer(200, await callHost({ host, clock }, clientOf(c), frame));
      },
    },
  ];
}

function factRoutes({ host }: SessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/members",
      policy: readPolicy,
      api: { summary: "Who sits at the table, or has, and what each of them does now.", answer: Members },
      handle: async (c) => answer(200, (await host.readFacts(pathParam(c, "id"))).members),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/requests",
      policy: readPolicy,
      api: { summary: "What agents wait to be answered, the oldest first.", answer: OpenRequests },
      handle: async (c) => answer(200, (await host.readFacts(pathParam(c, "id"))).requests),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/usage",
      policy: readPolicy,
      api: { summary: "Turns, tokens and cost, of the session and of each member.", answer: SessionUsage },
      handle: async (c) => answer(200, (await host.readFacts(pathParam(c, "id"))).usage),
    },
  ];
}

function changeRoutes({ host, clock }: SessionRouteDeps): Route[] {
  return [
    {
      method: "POST",
      path: "/v1/sessions/:id/rename",
      policy: writePolicy,
      api: { summary: "Gives the session another title.", headers: clientParameter, body: Rename, answer: Done },
      async handle(c) {
        const { title } = await readBody(c.req, Rename);
        const command = { type: "rename", commandId: newId(), title } as const;
        return answer(200, await runCommand({ host, clock }, clientOf(c), pathParam(c, "id"), command));
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/archive",
      policy: writePolicy,
      api: {
        summary: "Puts the session away, or brings it back; one that is put away takes no messages.",
        headers: clientParameter,
        body: Archive,
        answer: Done,
      },
      async handle(c) {
        const { archived } = await readBody(c.req, Archive);
        const command = { type: "archive", commandId: newId(), archived } as const;
        return answer(200, await runCommand({ host, clock }, clientOf(c), pathParam(c, "id"), command));
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/:id/commands",
      policy: writePolicy,
      api: {
        summary: "One command; answered when it has become a fact, or was refused.",
        headers: clientParameter,
        body: Command,
        answer: Ack,
      },
      async handle(c) {
        const command = await readBody(c.req, Command);
        const frame = { frame: "command", sessionId: pathParam(c, "id"), command } as const;
        const ack = await sendCommand({ host, clock }, clientOf(c), frame);
        return answer(ack.ok ? 200 : statusOf(ack.error.code), ack);
      },
    },
  ];
}

const number = { type: "integer", minimum: 0 };

function liveRoutes({ host, clock }: SessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/sessions/:id/events",
      policy: readPolicy,
      api: {
        summary: "Every event after a place in the log, then live. Last-Event-ID wins over the query.",
        query: {
          after: { description: "The last seq the reader has; 0 for all.", schema: number },
          epoch: { description: "The epoch of that event, where it is known.", schema: number },
        },
        headers: {
          ...clientParameter,
          "last-event-id": { description: "The id of the last event the reader has.", schema: { type: "string" } },
        },
        answer: "event-stream",
      },
      handle(c) {
        const cursor = cursorOf(c);
        const { outgoing: response } = c.env;
        streamEvents({ host, clock, response, sessionId: pathParam(c, "id"), clientId: clientOf(c), cursor });
        return RESPONSE_ALREADY_SENT;
      },
    },
  ];
}

const Whole = z.string().regex(/^\d{1,15}$/);

function cursorOf(c: RouteContext): Cursor {
  const lastId = c.req.header("last-event-id");
  if (lastId !== undefined) {
    const cursor = parseEventId(lastId);
    if (cursor !== undefined) return cursor;
    throw new RoundtableError("bad_command", "Last-Event-ID must be the id of an event of this stream, or a seq.");
  }
  const seq = Whole.safeParse(c.req.query("after") ?? "0");
  const epoch = Whole.safeParse(c.req.query("epoch") ?? "0");
  if (seq.success && epoch.success) return { epoch: Number(epoch.data), seq: Number(seq.data) };
  throw new RoundtableError("bad_command", `${seq.success ? "epoch" : "after"} must be a whole number from 0 on.`);
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
