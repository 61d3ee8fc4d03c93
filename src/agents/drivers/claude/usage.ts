/** Tokens and cost as Claude Code counts them. */
import type { Usage } from "../../../protocol/index.ts";
import { fieldsOf, numberOf, type Fields } from "../../../kit/fields.ts";
import { NO_USAGE } from "./state.ts";

/** Format shared by the model's answers and a turn's result. */
export function readUsage(value: unknown): Usage {
  const usage = fieldsOf(value);
  if (usage === undefined) return NO_USAGE;
  const reasoningTokens = numberOf(fieldsOf(usage["output_tokens_details"])?.["thinking_tokens"]) ?? 0;
  return {
    inputTokens: count(usage["input_tokens"]),
    outputTokens: count(usage["output_tokens"]),
    cacheReadTokens: count(usage["cache_read_input_tokens"]),
    cacheWriteTokens: count(usage["cache_creation_input_tokens"]),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
  for (const key of ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const) {
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  }
  return sum;
}

/** Cost since the last result. After a resume the total is unusable: it includes the earlier cost of the session. */
export function readCost(result: Fields, totalBefore: number | undefined): { costUsd?: number } {
  const byModel = fieldsOf(result["model_usage_since_last_result"]);
  if (byModel !== undefined) {
    return { costUsd: Object.values(byModel).reduce<number>((sum, one) => sum + count(fieldsOf(one)?.["costUSD"]), 0) };
  }
  const total = numberOf(result["total_cost_usd"]);
  return total === undefined || totalBefore === undefined ? {} : { costUsd: Math.max(0, total - totalBefore) };
}

/** Tokens of the prompt and of the answer itself. */
export function contextTokens({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

export function contextWindow(result: Fields, model: string | undefined): number | undefined {
  const byModel = fieldsOf(result["modelUsage"]) ?? {};
  const used = fieldsOf(byModel[model ?? ""] ?? Object.values(byModel)[0]);
  const window = numberOf(used?.["contextWindow"]);
  return window !== undefined && window > 0 ? window : undefined;
}

function count(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}
