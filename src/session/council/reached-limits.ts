/**
 * Limits of a discussion, per message and per session. They hold back only automatic starts: further rounds.
 * A message or retry of the user always runs; when nothing may follow it, the pause is recorded again.
 */
import type { DraftOf } from "../../protocol/index.ts";
import { formatCount } from "../../kit/text/format.ts";
import { capMeters, type CapMeter, formatMoney, type Head } from "../../transcript/index.ts";

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

/** "The discussion pauses: $5.02 of $5.00 spent. /continue allows $5.00 more." */
export function pausedByLimit({ scope, limit, used, max, step }: CapMeter): string {
  const where = scope === "message" ? " for this message" : "";
  const reached =
    limit === "usd"
      ? `${formatMoney(used)} of ${formatMoney(max)} spent${where}.`
      : `${count(used)} of ${count(max)} ${limit} used${where}.`;
  const more = limit === "usd" ? formatMoney(step) : `${count(step)} ${limit}`;
  return `The discussion pauses: ${reached} /continue allows ${more} more.`;
}

function count(value: number): string {
  return formatCount(Math.round(value * 10) / 10);
}

/** Removes floating-point noise from sums of cents. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
