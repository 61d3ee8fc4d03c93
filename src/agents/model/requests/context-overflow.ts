/** Tells a conversation that is too long for its model, which must become shorter, from a rate, which is waited for. */
import type { ReportedError } from "./classify-error.ts";

const CODE = /context_?(length|size|window)|max_prompt_tokens|tokens_limit_reached/i;
const RATE_CODE = /rate.?limit|throttl|quota/i;

const OVERFLOW_PATTERNS = [
  /context.{0,20}(length|window|size)/,
  /maximum (context|prompt|input) ?(length|tokens)?/,
  /too many (input )?tokens|total tokens?.{0,40}exceeds?/,
  /(prompt|input) (is )?too long|(prompt|input|messages?).{0,60}(exceeds?|longer than|too large for) .{0,40}(limit|length|tokens|model)/,
  /exceeds? the (available )?context|n_ctx|exceeds? the maximum number of tokens/,
  /input token count.{0,40}exceeds|exceeded model token limit|range of input length|tokens. ?\+ .?.?max_new_tokens/,
] as const;
const CONTEXT = new RegExp(OVERFLOW_PATTERNS.map(({ source }) => source).join("|"), "i");

/** Of servers that fail with a 500 where they should refuse: not every one that speaks of a context speaks of its end. */
const BEYOND = /exceed|overflow|longer than|larger than|too (long|large|many)/i;
const RATE = /rate.?limit|per.?(minute|min|hour|day)\b|\bTPM\b|throttl|please wait|retry in \d/i;
/** One request above what a whole minute allows: no waiting helps, only a shorter one. */
const ABOVE_THE_RATE = /request (body )?(is )?too large/i;
/** Key, credit, address and time: their words may be about anything. */
const OF_SOMETHING_ELSE = new Set([401, 402, 403, 404, 408, 409, 425]);

export function isTooLong(status: number, { code, message }: ReportedError): boolean {
  if (status === 413 || CODE.test(code)) return true;
  if (ABOVE_THE_RATE.test(message)) return true;
  if (status === 429 || RATE_CODE.test(code) || RATE.test(message) || OF_SOMETHING_ELSE.has(status)) return false;
  return CONTEXT.test(message) && (status < 500 || BEYOND.test(message));
}
