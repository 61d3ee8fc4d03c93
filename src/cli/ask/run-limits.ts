/**
 * Limits of one run from the command line. The session stops further rounds at them, as at any limit; since nobody
 * watches a run, it also stops running turns and asks no more members than the turn limit.
 */
import type { LimitName } from "../../protocol/index.ts";
import {
  loadedMessages,
  type Transcript,
  type UserMessage,
  belongsTo,
  isLeftToOthers,
} from "../../transcript/index.ts";
import type { Setting } from "../config/environment.ts";

export interface RunLimit {
  readonly limit: LimitName;
  readonly max: number;
  /** The option that gave it. */
  readonly origin: string;
}

const OF_A_MESSAGE = /^council\.limits\.(turns|minutes|tokens|usd)$/;

export function runLimits(overridden: readonly Setting[]): RunLimit[] {
  return overridden.flatMap(({ path, value, origin }) => {
    const limit = OF_A_MESSAGE.exec(path)?.[1] as LimitName | undefined;
    return limit === undefined ? [] : [{ limit, max: value as number, origin }];
  });
}

/** Message when the reported cost has reached a limit and running turns must stop. */
export function costLimitMessage(
  limits: readonly RunLimit[],
  transcript: Transcript,
  question: UserMessage,
): string | undefined {
  const ofCost = limits.filter(({ limit }) => limit === "usd" || limit === "tokens");
  if (ofCost.length === 0 || isLeftToOthers(transcript, question)) return undefined;
  const used = spentOn(transcript, question);
  const reached = ofCost.find(({ limit, max }) => used[limit as keyof typeof used] >= max);
  if (reached === undefined) return undefined;
  const spent = amount(reached.limit, used[reached.limit as keyof typeof used]);
  return `${formatLimit(reached)}, and ${spent} ${isOrAre(spent)} used: ${STOPPED}`;
}

export function timeLimitMessage(limit: RunLimit): string {
  return `${formatLimit(limit)}: ${STOPPED}`;
}

export function heldBackMessage(limit: RunLimit, names: readonly string[]): string {
  return `${formatLimit(limit)}, so ${names.join(" and ")} ${names.length === 1 ? "was" : "were"} not asked`;
}

const STOPPED = "running turns were stopped";

function formatLimit({ limit, max, origin }: RunLimit): string {
  const amountText = amount(limit, max);
  return `${amountText} ${isOrAre(amountText)} the limit of this run (${origin})`;
}

function isOrAre(text: string): string {
  return /^(?:\$|1 )/.test(text) ? "is" : "are";
}

function amount(limit: LimitName, value: number): string {
  if (limit === "usd") return `$${rounded(value)}`;
  const [number, unit] = limit === "minutes" && value < 1 ? [value * 60, "seconds"] : [value, limit];
  return `${rounded(number)} ${rounded(number) === 1 ? unit.replace(/s$/, "") : unit}`;
}

/** Rounds off floating-point noise. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function spentOn(transcript: Transcript, question: UserMessage): { usd: number; tokens: number } {
  const turns = [...loadedMessages(transcript)].filter((message) => belongsTo(question, message));
  const usd = turns.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
  const tokens = turns.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0), 0);
  return { usd, tokens };
}
