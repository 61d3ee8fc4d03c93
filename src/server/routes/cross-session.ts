/** Routes across all sessions: runs, requests and search. */
import * as z from "zod";
import type { Clock } from "../../kit/clock.ts";
import { isUlid, newId } from "../../kit/ids.ts";
import { RoundtableError, SEARCH_LIMIT_MAX, SearchAnswer, SearchQuery } from "../../protocol/index.ts";
import { runCommand } from "../connections/call-host.ts";
import { answer, readBody } from "../http/answer.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { clientOf, clientParameter, pathParam, readPolicy, type ServedHost, writePolicy } from "./policies.ts";
import { Done, RequestAnswer, RequestsOfAll, Run, Runs } from "./schemas.ts";

export interface CrossSessionRouteDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
}

export function createCrossSessionRoutes(deps: CrossSessionRouteDeps): Route[] {
  return [...runRoutes(deps), ...requestRoutes(deps)];
}

function runRoutes({ host }: CrossSessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/runs",
      policy: readPolicy,
      api: {
        summary: "Runs in flight of all sessions, oldest first. A run is one message with the turns it started.",
        answer: Runs,
      },
      handle: async () => answer(200, Runs.parse(await host.readRuns())),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/runs",
      policy: readPolicy,
      api: { summary: "Runs in flight of a session; queued messages come last.", answer: Runs },
      handle: async (c) => answer(200, Runs.parse(await host.readRuns(pathParam(c, "id")))),
    },
    {
      method: "GET",
      path: "/v1/runs/:id",
      policy: readPolicy,
      api: {
        summary: "One run, in flight or ended: its addressees, and the state and text of each turn.",
        query: {
          session: { description: "The session of the run; speeds up the lookup.", schema: { type: "string" } },
        },
        answer: Run,
      },
      handle: async (c) => answer(200, await host.readRun(pathParam(c, "id"), sessionOf(c))),
    },
  ];
}

function requestRoutes({ host, clock }: CrossSessionRouteDeps): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/requests",
      policy: readPolicy,
      api: { summary: "Open requests of all sessions, oldest first.", answer: RequestsOfAll },
      handle: async () => answer(200, await host.readRequests()),
    },
    {
      method: "POST",
      path: "/v1/requests/:id",
      policy: writePolicy,
      api: {
        summary: "Answers a request. The first answer counts; later ones get 409 with the name of the first answerer.",
        headers: clientParameter,
        body: RequestAnswer,
        answer: Done,
      },
      async handle(c) {
        const requestId = pathParam(c, "id");
        const { sessionId: given, ...body } = await readBody(c.req, RequestAnswer);
        const sessionId = given ?? (await sessionThatAsks(host, requestId));
        const command = { type: "answer", commandId: newId(), requestId, ...body } as const;
        return answer(200, await runCommand({ host, clock }, clientOf(c), sessionId, command));
      },
    },
  ];
}

async function sessionThatAsks(host: ServedHost, requestId: string): Promise<string> {
  const request = (await host.readRequests()).find((one) => one.requestId === requestId);
  if (request !== undefined) return request.sessionId;
  throw new RoundtableError("unknown_request", `There is no open request ${requestId}.`, {
    hint: "It was answered, or it never existed. Include its sessionId in the body to find out which.",
  });
}

const SessionId = z.string().refine(isUlid);

function sessionOf(c: RouteContext): string | undefined {
  const parsed = SessionId.optional().safeParse(c.req.query("session"));
  if (parsed.success) return parsed.data;
  throw new RoundtableError("bad_command", "session must be the id of a session.");
}

const text = { type: "string" };

export function createSearchRoutes({ host }: { readonly host: Pick<ServedHost, "search"> }): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/search",
      policy: readPolicy,
      api: {
        summary:
          "Searches all sessions, newest match first. An item must contain all words; a word matches as a prefix, a quoted phrase literally.",
        query: {
          q: { description: "The query.", schema: text, isRequired: true },
          member: { description: "Only items of this member.", schema: text },
          since: {
            description: "Only items at or after this time: milliseconds since 1970 or an ISO 8601 date.",
            schema: text,
          },
          tool: { description: "Only calls of this tool and their results.", schema: text },
          session: { description: "Only items of this session.", schema: text },
          cwd: { description: "Only items of sessions in this directory.", schema: text },
          limit: {
            description: "Maximum number of items.",
            schema: { type: "integer", minimum: 1, maximum: SEARCH_LIMIT_MAX },
          },
        },
        answer: SearchAnswer,
      },
      handle: async (c) => answer(200, await host.search(queryOf(c))),
    },
  ];
}

function queryOf(c: RouteContext): SearchQuery {
  const sessionId = sessionOf(c);
  const limit = c.req.query("limit");
  const parsed = SearchQuery.safeParse({
    words: c.req.query("q") ?? "",
    ...present("member", c.req.query("member")),
    ...present("tool", c.req.query("tool")),
    ...present("cwd", c.req.query("cwd")),
    ...present("sessionId", sessionId),
    ...present("sinceTs", sinceOf(c.req.query("since"))),
    ...present("limit", limit === undefined ? undefined : Number(limit)),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RoundtableError("bad_command", `${String(issue?.path[0] ?? "q")}: ${issue?.message ?? "invalid"}.`);
}

function sinceOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ts = /^\d{1,15}$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isFinite(ts) && ts >= 0) return ts;
  throw new RoundtableError("bad_command", "since must be milliseconds since 1970 or a date such as 2026-11-15.");
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
