/** When clients are sent the newest plan of a session, and its state. */
import type { EventOf } from "../../../src/protocol/index.ts";
import type { Transcript } from "../../../src/transcript/index.ts";
import { planFrame, syncFrame } from "./frames.ts";
import { pendingPlan, planStatusOf, toLinggenPlan, type LinggenPlan, type RejectedPlans } from "./plans.ts";
import type { UiDraft } from "./ui-message.ts";

export interface PlanFrames {
  changed(transcript: Transcript, event: EventOf<"plan_update" | "plan_decision">): UiDraft[];
  /** Current state; nothing without a plan. */
  current(transcript: Transcript, tsMs: number): UiDraft[];
  /** Whether clients show it as pending. */
  isOffered(transcript: Transcript): boolean;
  /** The pending plan, if it is this member's. */
  pendingOf(transcript: Transcript, member: string): LinggenPlan | undefined;
}

export function createPlanFrames(rejected: RejectedPlans): PlanFrames {
  function current(transcript: Transcript, tsMs: number, decided: { isApproved?: boolean; isRejected?: boolean } = {}) {
    const { plan } = transcript.head;
    if (plan === undefined) return [];
    const of = { tsMs, agent: plan.member ?? "system", parent: undefined };
    return [planFrame(of, toLinggenPlan(plan, { ...planStatusOf(transcript, rejected), ...decided }))];
  }

  /** A requested plan is shown when its turn ends; one that the member waits for, at once. */
  function isHeld(transcript: Transcript): boolean {
    const plan = pendingPlan(transcript, rejected);
    if (plan === undefined || plan.needsDecision) return false;
    const { openTurns } = transcript.head;
    return Object.values(openTurns).some((turn) => turn.depth === 0 && turn.member === plan.member);
  }

  return {
    current: (transcript, tsMs) => current(transcript, tsMs),
    changed(transcript, event) {
      if (transcript.head.plan === undefined) return [syncFrame(event.ts)];
      if (isHeld(transcript)) return [];
      if (event.type === "plan_update") return current(transcript, event.ts);
      const isRejected = event.decision === "reject";
      return current(transcript, event.ts, { isRejected, isApproved: !isRejected });
    },
    isOffered: (transcript) => pendingPlan(transcript, rejected) !== undefined && !isHeld(transcript),
    pendingOf(transcript, member) {
      const plan = pendingPlan(transcript, rejected);
      return plan?.member === member ? toLinggenPlan(plan, { isPending: true }) : undefined;
    },
  };
}
