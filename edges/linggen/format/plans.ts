/** Plans as linggen shows them, and which one awaits approval. */
import type { PlanItem } from "../../../src/protocol/index.ts";
import { loadedMessagesBackward, type Head, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";

/** Origins of messages that request only a plan: by prefix, or by the request's mode. */
const PLAN_ORIGIN = "linggen:plan";
const PLAN_MODE_ORIGIN = "linggen:plan-mode";

const PLAN_ONLY =
  "\n\nPlan only: read what you need, but change nothing. Show the steps with plan_update, " +
  "then end your turn and wait until the plan is approved.";

export interface LinggenPlan {
  readonly summary: string;
  readonly items: readonly {
    readonly title: string;
    readonly status: "pending" | "in_progress" | "done" | "skipped";
  }[];
  readonly status: "planned" | "approved" | "executing" | "completed";
}

type HeadPlan = NonNullable<Head["plan"]>;

const STATUS = { pending: "pending", in_progress: "in_progress", completed: "done" } as const;

/** Approval state of a plan: pending, approved or rejected. */
export interface PlanStatus {
  readonly isPending: boolean;
  readonly isApproved?: boolean;
  readonly isRejected?: boolean;
}

/** The format has no rejected state: the plan is completed and open items are skipped. */
export function toLinggenPlan(
  { items, explanation }: Pick<HeadPlan, "items" | "explanation">,
  planStatus: PlanStatus,
): LinggenPlan {
  const [first] = items;
  const isRejected = planStatus.isRejected === true;
  return {
    summary: explanation ?? first?.text ?? "Plan",
    items: items.map(({ text, status }) => ({
      title: text,
      status: isRejected && status !== "completed" ? "skipped" : STATUS[status],
    })),
    status: statusOf(items, planStatus),
  };
}

function statusOf(items: readonly PlanItem[], planStatus: PlanStatus): LinggenPlan["status"] {
  if (planStatus.isRejected === true) return "completed";
  if (planStatus.isPending) return "planned";
  if (planStatus.isApproved === true) return "approved";
  const isDone = items.length > 0 && items.every((item) => item.status === "completed");
  return isDone ? "completed" : "executing";
}

/** Unique key of the last requested plan. */
export function planKey({ head: { sessionId, plan, latestUser } }: Transcript): string {
  return `${sessionId}|${plan?.planId ?? ""}|${latestUser?.messageId ?? ""}`;
}

/** Keys of rejected plans that the log cannot record. */
export type RejectedPlans = Pick<ReadonlySet<string>, "has">;

const NONE: RejectedPlans = new Set();

/** Pending when its agent says so, or when the newest message requested only a plan. */
export function pendingPlan(transcript: Transcript, rejected = NONE): HeadPlan | undefined {
  const { plan } = transcript.head;
  if (plan === undefined || rejected.has(planKey(transcript))) return undefined;
  return plan.needsDecision || isRequested(transcript, plan) ? plan : undefined;
}

/** Current state of the newest plan. */
export function planStatusOf(transcript: Transcript, rejected = NONE): PlanStatus {
  const isRejected = rejected.has(planKey(transcript));
  return { isPending: pendingPlan(transcript, rejected) !== undefined, isRejected };
}

function isRequested(transcript: Transcript, { planId, member }: HeadPlan): boolean {
  const shows = ({ blocks }: TurnMessage) => blocks.some((block) => block.kind === "plan" && block.planId === planId);
  // A plan of an earlier message is not the requested one.
  let isShown = Object.values(transcript.head.openTurns).some(shows);
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn") isShown ||= shows(message);
    if (message.kind !== "user") continue;
    const isForMember = message.toAll || (member !== undefined && message.to.includes(member));
    return isShown && isForMember && isPlanOrigin(message.origin);
  }
  return false;
}

function isPlanOrigin(origin: string | undefined): boolean {
  return origin === PLAN_ORIGIN || origin === PLAN_MODE_ORIGIN;
}

/** Plan mode instructions for the member; undefined for a message that requests no plan. */
export function planRequest(
  message: string,
  mode: string | null | undefined,
): { readonly text: string; readonly origin: string } | undefined {
  const [prefix] = /^\s*\/plan\s+(?=\S)/.exec(message) ?? [];
  if (prefix !== undefined) return { text: `${message.slice(prefix.length)}${PLAN_ONLY}`, origin: PLAN_ORIGIN };
  return mode === "plan" ? { text: `${message}${PLAN_ONLY}`, origin: PLAN_MODE_ORIGIN } : undefined;
}

/** The user's text: clients match their own message by it. */
export function writtenText({ text, origin }: { readonly text: string; readonly origin?: string | undefined }): string {
  if (!isPlanOrigin(origin) || !text.endsWith(PLAN_ONLY)) return text;
  const task = text.slice(0, -PLAN_ONLY.length);
  return origin === PLAN_ORIGIN ? `/plan ${task}` : task;
}
