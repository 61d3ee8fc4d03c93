import { expect, test } from "vitest";
import { isTooLong } from "./classify-error.ts";

type Case = readonly [number, string, string?];

const TOO_LONG: readonly Case[] = [
  [400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"],
  [400, "Your input exceeds the context window of this model.", "context_length_exceeded"],
  [400, "prompt is too long: 210000 tokens > 200000 maximum"],
  [400, "Input is too long for requested model."],
  [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  [400, "the request exceeds the available context size, try increasing it", "exceed_context_size_error"],
  [500, "the request exceeds the available context size. try increasing the context size"],
  [500, "input length exceeds maximum context length"],
  [0, "Trying to keep the first 5000 tokens when context the overflows. It is loaded with a context length of 4096"],
  [400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
  [400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  [400, "Your request exceeded model token limit: 8192"],
  [400, "Prompt exceeds max length"],
  [400, "Range of input length should be [1, 30720]"],
  [422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"],
  [400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
  [400, "prompt token count of 100000 exceeds the limit of 64000", "model_max_prompt_tokens_exceeded"],
  [413, "Request body too large for gpt-4o model. Max size: 8000 tokens.", "tokens_limit_reached"],
  [
    413,
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000",
    "rate_limit_exceeded",
  ],
  [
    429,
    "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41000. The input must be reduced",
  ],
];

const NOT_TOO_LONG: readonly Case[] = [
  [429, "Too many tokens, please wait before trying again."],
  [429, "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000."],
  [429, "Tokens per minute limit reached for requests with a context length above 200000; try again later."],
  [429, "This request would exceed your organization's rate limit of 40,000 input tokens per minute"],
  [0, "Too many tokens per minute for this context window", "rate_limit_exceeded"],
  [400, "You have sent too many tokens per minute"],
  [403, "Your plan does not have the long context window"],
  [404, "no model with such a context window"],
  [500, "failed to allocate memory for a context of size 4096"],
  [503, "the context window service is starting"],
  [500, "internal error"],
];

const whole = ([status, message, code = ""]: Case) => [status, message, code] as const;

test.each(TOO_LONG.map(whole))("%i %s is a context overflow", (status, message, code) => {
  expect(isTooLong(status, { message, code })).toBe(true);
});

test.each(NOT_TOO_LONG.map(whole))("%i %s is not a context overflow", (status, message, code) => {
  expect(isTooLong(status, { message, code })).toBe(false);
});
