/** Plans as linggen shows them, and which one waits for the user's yes. */
import type { PlanItem } from "../../../src/protocol/index.ts";
import { loadedMessagesBackward, type Head, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";

/** The origins of messages that ask for a plan and nothing else: by the word before it, or by the request's mode. */
const PLAN_ORIGIN = "linggen:plan";
const PLAN_MODE_ORIGIN = "linggen:plan-mode";

const PLAN_ONLY =
  "\n\nPlan only: look at what you need, change nothing. Show the steps with plan_update, " +
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

/** How the user stands to a plan: asked, or with a yes or a no given. */
export interface PlanStatus {
  readonly isPending: boolean;
  readonly isApproved?: boolean;
  readonly isRejected?: boolean;
}

/** There is no word for a plan that was turned down: it is over, and what was not done is skipped. */
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

/** The plan that was asked for last, by a name that no later one has. */
export function planKey({ head: { sessionId, plan, latestUser } }: Transcript): string {
  return `${sessionId}|${plan?.planId ?? ""}|${latestUser?.messageId ?? ""}`;
}

/** Plans without a place in the log for a no, by their keys. */
export type RejectedPlans = Pick<ReadonlySet<string>, "has">;

const NONE: RejectedPlans = new Set();

/** It waits when its agent said so, or when the newest message asked its member for a plan and nothing else. */
export function pendingPlan(transcript: Transcript, rejected = NONE): HeadPlan | undefined {
  const { plan } = transcript.head;
  if (plan === undefined || rejected.has(planKey(transcript))) return undefined;
  return plan.needsDecision || isRequested(transcript, plan) ? plan : undefined;
}

/** The newest plan as it stands now. */
export function planStatusOf(transcript: Transcript, rejected = NONE): PlanStatus {
  const isRejected = rejected.has(planKey(transcript));
  return { isPending: pendingPlan(transcript, rejected) !== undefined, isRejected };
}

function isRequested(transcript: Transcript, { planId, member }: HeadPlan): boolean {
  const shows = ({ blocks }: TurnMessage) => blocks.some((block) => block.kind === "plan" && block.planId === planId);
  // One of an earlier message is not what this one asked for.
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

/** What the member is told of plan mode, its own tools do the rest; undefined for a message that asks for no plan. */
export function planRequest(
  message: string,
  mode: string | null | undefined,
): { readonly text: string; readonly origin: string } | undefined {
  const [prefix] = /^\s*\/plan\s+(?=\S)/.exec(message) ?? [];
  if (prefix !== undefined) return { text: `${message.slice(prefix.length)}${PLAN_ONLY}`, origin: PLAN_ORIGIN };
  return mode === "plan" ? { text: `${message}${PLAN_ONLY}`, origin: PLAN_MODE_ORIGIN } : undefined;
}

/** What the user wrote: clients find their own message by its words. */
export function writtenText({ text, origin }: { readonly text: string; readonly origin?: string | undefined }): string {
  if (!isPlanOrigin(origin) || !text.endsWith(PLAN_ONLY)) return text;
  const task = text.slice(0, -PLAN_ONLY.length);
  return origin === PLAN_ORIGIN ? `/plan ${task}` : task;
}
