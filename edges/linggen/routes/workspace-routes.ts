/** A session's history, and the files that running agents work on. */
import * as linggen from "../format/linggen.ts";
import { answer, type Route } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { queryOf, reads, readsOrEmpty } from "./linggen-route.ts";

/** Older messages are in the session and on our own screens. */
const MESSAGES_MAX = 2_048;
const RUNNING_MAX = 50;

export function createWorkspaceRoutes({ reading, bus, rejectedPlans }: LinggenDeps): Route[] {
  return [
    reads("/api/workspace/state", async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const sessionId = await reading.named(c.req.query("session_id") ?? "default", root);
      if (sessionId === undefined) return answer(200, stateOf([]));
      await bus.onSessionShown(sessionId);
      const { transcript, messages } = await reading.shown(sessionId, MESSAGES_MAX);
      const { queue, plan } = transcript.head;
      const planStatus = plan && { planId: plan.planId, ...linggen.planStatusOf(transcript, rejectedPlans) };
      return answer(200, stateOf(linggen.savedMessages(messages, queue, planStatus)));
    }),
    readsOrEmpty("/api/workspace/tree", {}, async (c) => {
      const root = await reading.directory(queryOf(c, "project_root"));
      const running = (await reading.sessions(root)).filter((one) => one.status === "running").slice(0, RUNNING_MAX);
      const transcripts = await Promise.all(running.map((one) => reading.transcript(one.sessionId)));
      return answer(200, linggen.workingTree(root, transcripts));
    }),
  ];
}

function stateOf(saved: readonly linggen.SavedMessage[]): object {
  const messages = saved.map(({ from_id, to_id, timestamp, content }) => [
    { type: "message", id: `msg-${timestamp}`, from: from_id, to: to_id, ts: timestamp, task_id: null },
    content,
  ]);
  return { active_task: null, user_stories: null, tasks: [], messages };
}
