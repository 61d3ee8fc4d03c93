/** Usage of a turn, summed over its model responses. */
import type { Usage } from "../../../protocol/index.ts";

const MORE = ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

/** Undefined when nothing was counted. */
export function sumUsage(usages: Iterable<Usage>): Usage | undefined {
  let sum: Usage | undefined;
  for (const one of usages) {
    const next: Usage = {
      inputTokens: (sum?.inputTokens ?? 0) + one.inputTokens,
      outputTokens: (sum?.outputTokens ?? 0) + one.outputTokens,
    };
    for (const key of MORE) {
      if (sum?.[key] !== undefined || one[key] !== undefined) next[key] = (sum?.[key] ?? 0) + (one[key] ?? 0);
    }
    sum = next;
  }
  return sum;
}
