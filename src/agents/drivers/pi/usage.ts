/** Tokens and money as Pi counts them: each model call by itself, so a turn is the sum of its calls. */
import type { Usage } from "../../../protocol/index.ts";
import type { DialectEvent } from "../../process/dialect.ts";
import { asFields, asNumber, type Fields } from "../../record-fields.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Undefined when the record holds no figures. What Pi calls reasoning is part of its output already. */
export function readUsage(value: unknown): Usage | undefined {
  const usage = asFields(value);
  if (usage === undefined) return undefined;
  const read = (key: string): number => positive(usage[key]);
  return {
    inputTokens: read("input"),
    outputTokens: read("output"),
    cacheReadTokens: read("cacheRead"),
    cacheWriteTokens: read("cacheWrite"),
    reasoningTokens: read("reasoning"),
    costUsd: positive(asFields(usage["cost"])?.["total"]),
  };
}

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (key: Exclude<keyof Usage, "estimated">): number => (one[key] ?? 0) + (other[key] ?? 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    reasoningTokens: sum("reasoningTokens"),
    costUsd: sum("costUsd"),
  };
}

/** What the last call had in its window; nothing when it failed before the provider counted. */
export function contextUpdate(usage: Fields | undefined, window: number | null): DialectEvent[] {
  if (usage === undefined || window === null) return [];
  const counts = ["input", "output", "cacheRead", "cacheWrite"].map((key) => positive(usage[key]));
  const used = positive(usage["totalTokens"]) || counts.reduce((sum, part) => sum + part, 0);
  return used === 0 ? [] : [{ type: "context_update", used, window, measured: true }];
}

function positive(value: unknown): number {
  return Math.max(0, asNumber(value) ?? 0);
}
