/**
 * Limits of a discussion, per message and per session. They hold back only what would start by itself: further rounds.
 * A message or retry of the user always runs; when nothing may follow it, the pause is recorded again.
 */
import type { DraftOf, LimitName, LimitScope } from "../../protocol/index.ts";
import { capMeters, type CapMeter, type Head } from "../../transcript/index.ts";

/** The first limit reached; limits of the message before those of the session. */
export function reachedLimit(head: Head): CapMeter | undefined {
  return capMeters(head).find((meter) => meter.isReached);
}

/** Raises every reached limit by its own amount, as often as needed to continue. */
export function raiseReached(head: Head): NonNullable<DraftOf<"council_resumed">["raised"]> {
  return capMeters(head)
    .filter((meter) => meter.isReached)
    .map(({ scope, limit, used, max, step }) => {
      const times = Math.max(1, Math.floor((used - max) / step) + 1);
      const to = rounded(max + times * step);
      // Rounding may fall on the wrong side: the allowance must exceed the use.
      return { scope, limit, to: to > used ? to : rounded(to + step) };
    });
}

export function pausedByLimit({ scope, limit, used, max, step }: CapMeter): string {
  const what = SCOPE_LABELS[scope];
  const reached = `${amount(limit, max)} ${what} ${limit === "turns" ? "are" : "is"} the limit, and ${amount(limit, used)} ${USED_VERBS[limit]} used.`;
  return `The discussion pauses: ${reached} /continue allows ${amount(limit, step)} more.`;
}

const SCOPE_LABELS: Record<LimitScope, string> = { message: "for one message", session: "for the session" };
const USED_VERBS: Record<LimitName, string> = { turns: "are", minutes: "are", tokens: "are", usd: "is" };

function amount(limit: LimitName, value: number): string {
  if (limit === "usd") return `$${rounded(value)}`;
  return `${rounded(value)} ${value === 1 ? limit.replace(/s$/, "") : limit}`;
}

/** Removes floating-point noise from sums of cents. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
