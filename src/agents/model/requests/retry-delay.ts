/** How long to wait before a server is asked again: what it asks for, or twice as long each time, with some chance. */
export interface RetryLimits {
  readonly retryBaseMs: number;
  readonly retryMsMax: number;
}

/** `chance` is from 0 to 1: without it, members that failed together would all come back together. */
export function retryDelayMs(attempt: number, chance: number, { retryBaseMs, retryMsMax }: RetryLimits): number {
  const whole = Math.min(retryMsMax, retryBaseMs * 2 ** (attempt - 1));
  return Math.round(whole * (0.75 + chance / 2));
}

/** Null when the server asks for nothing, or for something that is no time. */
export function readRetryAfter(headers: Pick<Headers, "get">, nowMs: number): number | null {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && /^\d{1,9}(\.\d+)?$/.test(ms.trim())) return Number(ms);
  const after = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(after)) return Number(after) * 1000;
  // Only what looks like a date of HTTP: `Date.parse` makes a year of almost anything.
  const date = /^[A-Za-z]{3,9}, /.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
