/**
 * Tokens and rate limits as Codex reports them. Tokens are counted for the whole thread; a turn is the difference of
 * two counts.
 */
import type { Usage } from "../../../../protocol/index.ts";
import { numberOf, type Fields, recordOf } from "../../../json-rpc/fields.ts";

export interface Tokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export const NO_TOKENS: Tokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };

export function readTokens(counts: Fields): Tokens {
  const count = (key: string): number => Math.max(0, numberOf(counts, key) ?? 0);
  return {
    input: count("inputTokens"),
    cachedInput: count("cachedInputTokens"),
    cacheWrite: count("cacheWriteInputTokens"),
    output: count("outputTokens"),
    reasoning: count("reasoningOutputTokens"),
  };
}

/** Never below zero: a thread whose count was restarted must not subtract tokens. */
export function tokensSince(total: Tokens, before: Tokens): Tokens {
  return {
    input: Math.max(0, total.input - before.input),
    cachedInput: Math.max(0, total.cachedInput - before.cachedInput),
    cacheWrite: Math.max(0, total.cacheWrite - before.cacheWrite),
    output: Math.max(0, total.output - before.output),
    reasoning: Math.max(0, total.reasoning - before.reasoning),
  };
}

/** Start of a turn in the current count: a full context restarts the count in the middle of a turn. */
export function beginningOf(begun: Tokens, previous: Tokens, total: Tokens): Tokens {
  if (total.input >= previous.input && total.output >= previous.output) return begun;
  const used = tokensSince(previous, begun);
  return {
    input: total.input - used.input,
    cachedInput: total.cachedInput - used.cachedInput,
    cacheWrite: total.cacheWrite - used.cacheWrite,
    output: total.output - used.output,
    reasoning: total.reasoning - used.reasoning,
  };
}

export function asUsage(tokens: Tokens): Usage {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cachedInput,
    cacheWriteTokens: tokens.cacheWrite,
    reasoningTokens: tokens.reasoning,
  };
}

/** Remaining rate limits as one short line for a status field. Empty when Codex reports none. */
export function describeLimits(rateLimits: Fields): string {
  return [recordOf(rateLimits, "primary"), recordOf(rateLimits, "secondary")]
    .map(describeWindow)
    .filter((text) => text !== "")
    .join(", ");
}

function describeWindow(window: Fields): string {
  const used = numberOf(window, "usedPercent");
  if (used === undefined) return "";
  const minutes = numberOf(window, "windowDurationMins");
  const name = minutes === undefined ? "limit" : `${durationOf(minutes)} limit`;
  return `${name} ${Math.round(used)} % used${describeReset(numberOf(window, "resetsAt"))}`;
}

function durationOf(minutes: number): string {
  if (minutes >= 1_440) return `${Math.round(minutes / 1_440)} d`;
  return minutes >= 60 ? `${Math.round(minutes / 60)} h` : `${minutes} min`;
}

function describeReset(resetsAtSeconds: number | undefined): string {
  const at = resetsAtSeconds === undefined ? undefined : new Date(resetsAtSeconds * 1_000);
  if (at === undefined || Number.isNaN(at.getTime())) return "";
  return ` until ${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
