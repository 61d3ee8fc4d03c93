/** The routes of `/v1/sessions` and `/v1/trash`: the frames of a connection as HTTP requests. */
import * as z from "zod";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  Ack,
  Command,
  type Cursor,
  Json,
  RoundtableError,
  SessionSummary,
  SnapshotFrame,
  TrashedSession,
} from "../../protocol/index.ts";
import { CALL_ID, callHost, runCommand, sendCommand } from "../connections/call-host.ts";
import { parseEventId } from "../connections/encoded-events.ts";
import { streamEvents } from "../connections/event-stream.ts";
import type { SessionListFeed } from "../connections/session-list-feed.ts";
import { alreadySent, answer, readBody, statusOf } from "../http/answer.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { createBlobRoutes, createExportRoute } from "./files.ts";
import { clientOf, clientParameter, pathParam, readPolicy, type ServedHost, writePolicy } from "./policies.ts";
import { Archive, CreatedSession, Done, Members, NewSession, OpenRequests, Rename, SessionUsage } from "./schemas.ts";
import type { SessionDefaults } from "./session-defaults.ts";
import type { Configuration } from "./settings.ts";

export interface SessionRouteDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults & { readonly configuration?: Configuration | undefined };
  readonly listFeed: SessionListFeed;
}

export function createSessionRoutes(deps: SessionRouteDeps): Route[] {
  // Exact paths before patterns: the router uses the first match.
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
      api: { summary: "All sessions, newest first.", answer: z.array(SessionSummary) },
      handle: async () => answer(200, await host.listSessions()),
    },
    {
      method: "POST",
      path: "/v1/sessions",
      policy: writePolicy,
      api: {
        summary: "Creates a session. Omitted fields get the values of GET /v1/defaults.",
        headers: clientParameter,
        body: NewSession,
        answer: CreatedSession,
      },
      async handle(c) {
        const body = await readBody(c.req, NewSession);
        const now = (await defaults.configuration?.defaults(defaults.cwd)) ?? defaults;
        const { title = "", cwd = now.cwd, members = now.members, settings } = body;
        const order = members === now.members ? now.settings.order : members.map(({ name }) => name);
        const whole = { ...now.settings, order, ...definedOnly(settings ?? {}) };
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
        summary:
          'Live session list: the full list ("sessions"), then new or changed ("session") and deleted ("gone") sessions.',
        answer: "event-stream",
      },
      handle(c) {
        if (listFeed.add(host, c.env.outgoing)) return alreadySent();
        throw new RoundtableError("closed", "Too many clients follow the session list.");
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
        summary: "Snapshot of the session: head, last pages, and the seq they represent.",
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
      api: { summary: "Current and former members of the session with their state.", answer: Members },
      handle: async (c) => answer(200, (await host.readFacts(pathParam(c, "id"))).members),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/requests",
      policy: readPolicy,
      api: { summary: "Open requests of the session, oldest first.", answer: OpenRequests },
      handle: async (c) => answer(200, (await host.readFacts(pathParam(c, "id"))).requests),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/usage",
      policy: readPolicy,
      api: { summary: "Turns, tokens and cost of the session and of each member.", answer: SessionUsage },
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
      api: { summary: "Renames the session.", headers: clientParameter, body: Rename, answer: Done },
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
        summary: "Archives or unarchives the session. Archived sessions reject messages.",
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
        summary: "Runs a command. Answered when it is in the log or refused.",
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
        summary: "All events after a cursor, then live events. Last-Event-ID takes precedence over the query.",
        query: {
          after: { description: "The last seq received; 0 for all events.", schema: number },
          epoch: { description: "The epoch of that event, if known.", schema: number },
        },
        headers: {
          ...clientParameter,
          "last-event-id": { description: "Id of the last event received.", schema: { type: "string" } },
        },
        answer: "event-stream",
      },
      handle(c) {
        const cursor = cursorOf(c);
        const { outgoing: response } = c.env;
        streamEvents({ host, clock, response, sessionId: pathParam(c, "id"), clientId: clientOf(c), cursor });
        return alreadySent();
      },
    },
  ];
}

const Whole = z.string().regex(/^\d{1,15}$/);

function cursorOf(c: RouteContext): Cursor {
  const lastId = c.req.header("last-event-id") ?? "";
  if (lastId !== "") {
    const cursor = parseEventId(lastId);
    if (cursor !== undefined) return cursor;
    throw new RoundtableError("bad_command", "Last-Event-ID must be the id of an event of this stream, or a seq.");
  }
  const seq = Whole.safeParse(c.req.query("after") ?? "0");
  const epoch = Whole.safeParse(c.req.query("epoch") ?? "0");
  if (seq.success && epoch.success) return { epoch: Number(epoch.data), seq: Number(seq.data) };
  throw new RoundtableError("bad_command", `${seq.success ? "epoch" : "after"} must be a whole number of at least 0.`);
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

const Ok = z.object({ ok: z.literal(true) });
const Nothing = z.strictObject({});

function createTrashRoutes({ host }: { readonly host: ServedHost }): Route[] {
  return [
    {
      method: "DELETE",
      path: "/v1/sessions/:id",
      policy: readPolicy,
      api: { summary: "Moves the session to the trash. Refused while a turn is running.", answer: Ok },
      async handle(c) {
        await host.maintenance.delete(pathParam(c, "id"));
        return answer(200, { ok: true });
      },
    },
    {
      method: "GET",
      path: "/v1/trash",
      policy: readPolicy,
      api: {
        summary: "Deleted sessions that can be restored, latest first.",
        answer: z.array(TrashedSession),
      },
      handle: async () => answer(200, await host.maintenance.trash()),
    },
    {
      method: "POST",
      path: "/v1/trash/:id/restore",
      policy: writePolicy,
      api: { summary: "Restores a deleted session.", body: Nothing, answer: Ok },
      async handle(c) {
        await readBody(c.req, Nothing);
        await host.maintenance.restore(pathParam(c, "id"));
        return answer(200, { ok: true });
      },
    },
  ];
}
