/** Runs, their context and the queue, for clients that connect late or look back. */
import * as z from "zod";
import { newId } from "../../../src/kit/ids.ts";
import { fromAnswerError, RoundtableError } from "../../../src/protocol/index.ts";
import { turnById } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { answer, readBody, sendCommand, type Route } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { OptionalText, queryOf, reads, Text, writes } from "./linggen-route.ts";
import { CLIENT_ID } from "./session-reading.ts";

/** For one session and for a whole project. */
const MESSAGES_MAX = 2_048;
const SESSIONS_MAX = 50;
const RUNS_MAX = 1_000;

const QueueClear = z.object({ project_root: Text, session_id: OptionalText, agent_id: OptionalText, id: OptionalText });

export function createRunRoutes(deps: LinggenDeps): Route[] {
  return [...runRoutes(deps), ...waitingRoutes(deps)];
}

function runRoutes(deps: LinggenDeps): Route[] {
  const { reading } = deps;
  return [
    reads("/api/agent-runs", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const runs = await runsIn(deps, root, c.req.query("session_id"));
      // Newest first, also within a second: clients use the first of an agent as its run.
      const newest = runs.toReversed().toSorted((a, b) => b.started_at - a.started_at);
      return answer(200, newest.slice(0, RUNS_MAX));
    }),
    reads("/api/agent-children", async (c) => {
      const runId = queryOf(c, "run_id");
      const { head, messages } = await sessionOfRun(deps, runId);
      return answer(
        200,
        linggen.runsOf(head, messages).filter((run) => run.parent_run_id === runId),
      );
    }),
    reads("/api/agent-context", async (c) => {
      const runId = queryOf(c, "run_id");
      const view = c.req.query("view") ?? "summary";
      if (view !== "summary" && view !== "raw")
        throw new RoundtableError("bad_command", "view must be summary or raw.");
      const { head, messages } = await sessionOfRun(deps, runId);
      const context = linggen.runContext(head, messages, { runId, isRaw: view === "raw" });
      // In the session, before its last clear.
      if (context === undefined) throw new RoundtableError("unknown_turn", "Unknown run_id");
      return answer(200, context);
    }),
  ];
}

async function runsIn(
  { reading, bus }: LinggenDeps,
  root: string,
  sessionId: string | undefined,
): Promise<linggen.RunRecord[]> {
  const named = await reading.named(sessionId, root);
  if (named !== undefined) await bus.follow(named);
  if (named === undefined && sessionId !== undefined && sessionId !== "") return [];
  const ids = named === undefined ? (await reading.sessions(root)).map((one) => one.sessionId) : [named];
  const runsBySession = await Promise.all(
    ids.slice(0, SESSIONS_MAX).map(async (id) => {
      const { transcript, messages } = await reading.shown(id, MESSAGES_MAX);
      return linggen.runsOf(transcript.head, messages);
    }),
  );
  return runsBySession.flat();
}

async function sessionOfRun({ reading }: LinggenDeps, runId: string) {
  const match = await reading.find(
    (one) => Object.hasOwn(one.head.openTurns, runId) || turnById(one, runId) !== undefined,
  );
  if (match === undefined) throw new RoundtableError("unknown_turn", "Unknown run_id");
  const { transcript, messages } = await reading.shown(match.head.sessionId, MESSAGES_MAX);
  return { head: transcript.head, messages };
}

function waitingRoutes(deps: LinggenDeps): Route[] {
  const { reading, host } = deps;
  return [
    reads("/api/queue", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const sessionId = await reading.named(c.req.query("session_id") ?? "default", root);
      if (sessionId === undefined) return answer(200, { items: [] });
      const transcript = await reading.transcript(sessionId);
      return answer(200, { items: linggen.queuedChats(transcript.head, linggen.waitingIn(transcript)) });
    }),
    writes("POST", "/api/queue/clear", async (c) => {
      const { project_root, session_id, agent_id, id } = await readBody(c.req, QueueClear);
      const sessionId = await reading.named(session_id ?? "default", project_root);
      if (sessionId === undefined) throw new RoundtableError("unknown_session", "Unknown session_id");
      const { head } = await reading.transcript(sessionId);
      const meant = linggen
        .queuedChats(head, head.queue)
        .filter((item) => (id ?? item.id) === item.id && (agent_id ?? item.agent_id) === item.agent_id);
      let cleared = 0;
      for (const messageId of new Set(meant.map((item) => item.id))) {
        const command = { type: "queue_remove", commandId: newId(), messageId } as const;
        const ack = await sendCommand(deps, CLIENT_ID, { frame: "command", sessionId, command });
        // One that was sent meanwhile must not keep the others in the queue.
        if (!ack.ok && ack.error.code !== "unknown_message") throw fromAnswerError(ack.error);
        if (ack.ok) cleared += 1;
      }
      return answer(200, { ok: true, cleared });
    }),
    reads("/api/pending-ask-user", async () => {
      const requests = await host.readRequests();
      const pending = requests.map(({ requestId, sessionId, member, request }) => ({
        question_id: requestId,
        agent_id: member,
        session_id: sessionId,
        questions: linggen.questionsOf(request),
      }));
      return answer(200, pending);
    }),
  ];
}
