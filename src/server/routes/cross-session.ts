/** The routes that look across sessions: what runs, and what agents ask. */
import * as z from "zod";
import type { Clock } from "../../kit/clock.ts";
import { isUlid, newId } from "../../kit/ids.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { answer, readBody } from "../http/answer.ts";
import { Done, RequestAnswer, RequestsOfAll, Run, Runs } from "./schemas.ts";
import { runCommand } from "../connections/call-host.ts";
import type { Route, RouteContext } from "../http/policy.ts";
import { clientOf, clientParameter, pathParam, readPolicy, writePolicy, type ServedHost } from "./policies.ts";

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
        summary:
          "The runs in flight of all sessions, the oldest first. A run is one message with the turns it started.",
        answer: Runs,
      },
      handle: async () => answer(200, Runs.parse(await host.readRuns())),
    },
    {
      method: "GET",
      path: "/v1/sessions/:id/runs",
      policy: readPolicy,
      api: { summary: "The runs in flight of a session, messages that wait in its queue at the end.", answer: Runs },
      handle: async (c) => answer(200, Runs.parse(await host.readRuns(pathParam(c, "id")))),
    },
    {
      method: "GET",
      path: "/v1/runs/:id",
      policy: readPolicy,
      api: {
        summary: "One run, in flight or ended: who was asked, each turn's state, and what it said so far.",
        query: {
          session: { description: "The session it is in; found faster so.", schema: { type: "string" } },
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
      api: { summary: "What agents of all sessions wait to be answered, the oldest first.", answer: RequestsOfAll },
      handle: async () => answer(200, await host.readRequests()),
    },
    {
      method: "POST",
      path: "/v1/requests/:id",
      policy: writePolicy,
      api: {
        summary: "Answers a request. The first answer counts; a later one gets 409 and hears who was first.",
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
  throw new RoundtableError("unknown_request", `No agent waits for an answer to request ${requestId}.`, {
    hint: "It is settled, or was never there; with its sessionId in the body the answer says which.",
  });
}

const SessionId = z.string().refine(isUlid);

function sessionOf(c: RouteContext): string | undefined {
  const parsed = SessionId.optional().safeParse(c.req.query("session"));
  if (parsed.success) return parsed.data;
  throw new RoundtableError("bad_command", "session must be the id of a session.");
}
