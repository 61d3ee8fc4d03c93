/** Plans as linggen shows them, and which one waits for the user's yes. */
import type { PlanItem } from "../../protocol/index.ts";
import { loadedMessagesBackward, type Head, type Transcript } from "../../transcript/index.ts";

/** The origin of a message that asks for a plan and nothing else. */
export const PLAN_ORIGIN = "linggen:plan";

export interface LinggenPlan {
  readonly summary: string;
  readonly items: readonly {
    readonly title: string;
    readonly status: "pending" | "in_progress" | "done" | "skipped";
  }[];
  readonly status: "planned" | "approved" | "executing" | "completed";
  readonly plan_text?: string;
}

type HeadPlan = NonNullable<Head["plan"]>;

const STATUS = { pending: "pending", in_progress: "in_progress", completed: "done" } as const;

export function toLinggenPlan(
  { items, explanation }: Pick<HeadPlan, "items" | "explanation">,
  how: { isPending: boolean; isApproved?: boolean; text?: string | undefined },
): LinggenPlan {
  const [first] = items;
  return {
    summary: explanation ?? first?.text ?? "Plan",
    items: items.map((item) => ({ title: item.text, status: STATUS[item.status] })),
    status: how.isPending ? "planned" : how.isApproved === true ? "approved" : progressOf(items),
    ...(how.text === undefined ? {} : { plan_text: how.text }),
  };
}

function progressOf(items: readonly PlanItem[]): LinggenPlan["status"] {
  const isDone = items.length > 0 && items.every((item) => item.status === "completed");
  return isDone ? "completed" : "executing";
}

/** It waits when its agent said so, or when the newest message asked its member for a plan and nothing else. */
export function pendingPlan(transcript: Transcript): HeadPlan | undefined {
  const { plan } = transcript.head;
  if (plan === undefined) return undefined;
  return plan.needsDecision || isAskedFor(transcript, plan) ? plan : undefined;
}

function isAskedFor(transcript: Transcript, { member }: HeadPlan): boolean {
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind !== "user") continue;
    return message.origin === PLAN_ORIGIN && (message.toAll || (member !== undefined && message.to.includes(member)));
  }
  return false;
}

/** What the member is told of plan mode: its own tools do the rest. */
export function planTask(text: string): string {
  const task = text.replace(/^\s*\/plan\s+/, "");
  return (
    `${task}\n\nPlan only: look at what you need, change nothing. Show the steps with plan_update, ` +
    "then end your turn and wait until the plan is approved."
  );
}

export function isPlanRequest(message: string, mode: string | null | undefined): boolean {
  return mode === "plan" || /^\s*\/plan\s+\S/.test(message);
}
