/** The search over all sessions, as a request: `GET /v1/search?q=WORDS`. */
import * as z from "zod";
import { isUlid } from "../../kit/ids.ts";
import { RoundtableError, SEARCH_LIMIT_MAX, SearchAnswer, SearchQuery } from "../../protocol/index.ts";
import { answer } from "../http/answer.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { readPolicy, type ServedHost } from "./policies.ts";

const text = { type: "string" };

export function createSearchRoutes({ host }: { readonly host: Pick<ServedHost, "search"> }): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/search",
      policy: readPolicy,
      api: {
        summary:
          "What was said and done in all sessions, the newest first: all words in one thing, as beginnings of words or in quotes as they stand.",
        query: {
          q: { description: "The words.", schema: text },
          member: { description: "Only what this member said or did.", schema: text },
          since: {
            description: "Only what is not older: milliseconds since 1970, or a date as in ISO 8601.",
            schema: text,
          },
          tool: { description: "Only calls of this tool, and what came of them.", schema: text },
          session: { description: "Only in this session.", schema: text },
          cwd: { description: "Only in sessions of this directory.", schema: text },
          limit: {
            description: "How many at most.",
            schema: { type: "integer", minimum: 1, maximum: SEARCH_LIMIT_MAX },
          },
        },
        answer: SearchAnswer,
      },
      handle: async (c) => answer(200, await host.search(queryOf(c))),
    },
  ];
}

const SessionId = z.string().refine(isUlid);

function queryOf(c: RouteContext): SearchQuery {
  const sessionId = c.req.query("session");
  if (sessionId !== undefined && !SessionId.safeParse(sessionId).success) {
    throw new RoundtableError("bad_command", "session must be the id of a session.");
  }
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
  throw new RoundtableError("bad_command", `${String(issue?.path[0] ?? "q")}: ${issue?.message ?? "not understood"}.`);
}

function sinceOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ts = /^\d{1,15}$/.test(given) ? Number(given) : Date.parse(given);
  if (Number.isFinite(ts) && ts >= 0) return ts;
  throw new RoundtableError("bad_command", "since must be milliseconds since 1970, or a date such as 2026-11-15.");
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
