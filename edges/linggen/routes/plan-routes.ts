/** Approve, reject or edit a pending plan. The member receives an approval as a message and starts. */
import * as z from "zod";
import { newId } from "../../../src/kit/ids.ts";
import type { CommandOf } from "../../../src/protocol/index.ts";
import type { Transcript } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { answer, readBody, runCommand, type Route } from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { OptionalText, Text, writes } from "./linggen-route.ts";
import { CLIENT_ID } from "./session-reading.ts";

const APPROVED = "The plan is approved. Start working on it.";
/** Plans edited or rejected here. */
const REMEMBERED_MAX = 1_000;

const Action = z.object({
  project_root: Text,
  agent_id: Text,
  session_id: OptionalText,
  clear_context: z.boolean().nullish(),
});
const Edit = z.object({ project_root: Text, agent_id: Text, session_id: OptionalText, text: z.string().max(65_536) });

interface Waiting {
  readonly sessionId: string;
  readonly planId: string;
  readonly needsDecision: boolean;
  readonly member: string;
  readonly key: string;
}

export function createPlanRoutes(deps: LinggenDeps): Route[] {
  const { rejectedPlans } = deps;
  const edits = new Map<string, string>();
  const decide = async (
    { sessionId, planId }: Waiting,
    decision: CommandOf<"plan_decision">["decision"],
    text?: string,
  ) => {
    const edit = text === undefined ? {} : { text };
    await runCommand(deps, CLIENT_ID, sessionId, {
      type: "plan_decision",
      commandId: newId(),
      planId,
      decision,
      ...edit,
    });
  };

  return [
    writes("POST", "/api/plan/approve", async (c) => {
      const body = await readBody(c.req, Action);
      const waiting = await waitingPlan(deps, body);
      if (waiting === undefined) return answer(404, { error: "There is no pending plan" });
      const text = edits.get(waiting.key);
      edits.delete(waiting.key);
      if (waiting.needsDecision) await decide(waiting, text === undefined ? "approve" : "edit", text);
      await runCommand(deps, CLIENT_ID, waiting.sessionId, {
        type: "send",
        commandId: newId(),
        clientMessageId: newId(),
        text: text === undefined ? APPROVED : `${APPROVED}\n\n${text}`,
        to: [waiting.member],
      });
      return answer(200, { status: "approved" });
    }),
    writes("POST", "/api/plan/reject", async (c) => {
      const waiting = await waitingPlan(deps, await readBody(c.req, Action));
      if (waiting === undefined) return answer(404, { error: "There is no pending plan" });
      if (waiting.needsDecision) await decide(waiting, "reject");
      rejectedPlans.add(waiting.key);
      for (const oldest of [...rejectedPlans].slice(0, rejectedPlans.size - REMEMBERED_MAX))
        rejectedPlans.delete(oldest);
      deps.bus.sendPlan(waiting.sessionId);
      deps.bus.sync();
      return answer(200, { status: "rejected" });
    }),
    writes("POST", "/api/plan/edit", async (c) => {
      const { text, ...body } = await readBody(c.req, Edit);
      const waiting = await waitingPlan(deps, body);
      if (waiting === undefined) return answer(404, { error: "There is no pending plan" });
      edits.set(waiting.key, text);
      for (const oldest of [...edits.keys()].slice(0, edits.size - REMEMBERED_MAX)) edits.delete(oldest);
      return answer(200, { ok: true });
    }),
  ];
}

async function waitingPlan(
  { reading, rejectedPlans }: LinggenDeps,
  { project_root, agent_id, session_id }: z.infer<typeof Action>,
): Promise<Waiting | undefined> {
  const root = await reading.directory(project_root);
  const named = await reading.named(session_id, root);
  const isIt = (one: Transcript) => {
    const plan = linggen.pendingPlan(one, rejectedPlans);
    const member = linggen.resolveAgent(agent_id, Object.keys(one.head.members));
    return plan !== undefined && one.head.cwd === root && (plan.member ?? member) === member;
  };
  const transcript = named === undefined ? await reading.find(isIt) : await reading.transcript(named);
  const plan = transcript === undefined || !isIt(transcript) ? undefined : transcript.head.plan;
  if (transcript === undefined || plan === undefined) return undefined;
  const { sessionId } = transcript.head;
  const { planId, needsDecision, member = agent_id } = plan;
  return { sessionId, planId, needsDecision, member, key: linggen.planKey(transcript) };
}
