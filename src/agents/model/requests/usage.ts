/** Usage of a reply: as counted by the server, or estimated. */
import type { Usage } from "../../../protocol/index.ts";

/** Rule of thumb for text and code; results are marked as estimated. */
const CHARS_PER_TOKEN = 4;

export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Undefined without a count. */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const input = count(value, "prompt_tokens") ?? count(value, "input_tokens");
  const output = count(value, "completion_tokens") ?? count(value, "output_tokens");
  if (input === undefined && output === undefined) return undefined;
  const inputDetails = within(value, "prompt_tokens_details") ?? within(value, "input_tokens_details");
  const outputDetails = within(value, "completion_tokens_details") ?? within(value, "output_tokens_details");
  const cached = inputDetails === undefined ? undefined : count(inputDetails, "cached_tokens");
  const reasoning = outputDetails === undefined ? undefined : count(outputDetails, "reasoning_tokens");
  const cost = count(value, "cost");
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

const OPTIONAL = ["cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "costUsd"] as const;

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
  for (const key of OPTIONAL) {
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  }
  if (one.estimated === true || other.estimated === true) sum.estimated = true;
  return sum;
}

function within(value: object, key: string): object | undefined {
  const inner: unknown = Reflect.get(value, key);
  return typeof inner === "object" && inner !== null ? inner : undefined;
}

function count(value: object, key: string): number | undefined {
  const field: unknown = Reflect.get(value, key);
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : undefined;
}
