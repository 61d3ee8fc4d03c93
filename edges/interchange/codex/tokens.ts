/** Token counts of Codex are cumulative for the thread; a turn is the difference between two counts. */
import type { Usage } from "../../../src/protocol/index.ts";
import { amountOf, fieldsOf, type Fields } from "../../../src/kit/fields.ts";

const COUNTS = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_input_tokens",
  reasoningTokens: "reasoning_output_tokens",
} as const;

export type Tokens = Readonly<Record<keyof typeof COUNTS, number>>;

export const NO_TOKENS: Tokens = tokensOf({});

function tokensOf(counts: Fields): Tokens {
  const entries = Object.entries(COUNTS).map(([key, name]) => [key, amountOf(counts[name]) ?? 0]);
  return Object.fromEntries(entries) as Tokens;
}

/** Undefined when the line has none. */
export function totalIn(payload: Fields): Tokens | undefined {
  const counts = fieldsOf(fieldsOf(payload["info"])?.["total_token_usage"]);
  return counts === undefined ? undefined : tokensOf(counts);
}

/** Never below zero, since a thread's count may restart. */
export function usageSince(total: Tokens, before: Tokens): Usage {
  const since = (key: keyof Tokens): number => Math.max(0, total[key] - before[key]);
  return {
    inputTokens: since("inputTokens"),
    outputTokens: since("outputTokens"),
    cacheReadTokens: since("cacheReadTokens"),
    cacheWriteTokens: since("cacheWriteTokens"),
    reasoningTokens: since("reasoningTokens"),
  };
}
