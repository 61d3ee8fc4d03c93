/**
 * What can go wrong between us and a model server, told apart by what there is to do about it.
 * Promise: no message carries the API key, whatever the server or the HTTP client says.
 */
import type { TurnError } from "../../port.ts";

export type ModelErrorKind =
  /** Worth another try. */
  | "transient"
  /** Worth another try, then another model. */
  | "overloaded"
  /** Not of this model. */
  | "model_not_found"
  | "context_length"
  /** The server does not know an option that can be left out. */
  | "no_stream_options"
  | "no_reasoning"
  /** It wants something sent in another way. */
  | "wants_thoughts"
  | "wants_reply_after_tool"
  /** The server has the model, for its other API. */
  | "only_responses"
  | "no_tools"
  | "no_images"
  | "final";

const OF_THE_MODEL: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "overloaded",
  "model_not_found",
  "wants_thoughts",
  "wants_reply_after_tool",
]);

export interface ModelErrorFacts {
  readonly kind: ModelErrorKind;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly detail?: string;
  readonly retryAfterMs?: number;
  /** The one that is refused, where it is named. */
  readonly field?: string;
}

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly code: string;
  readonly hint: string | undefined;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly field: string | undefined;

  constructor(facts: ModelErrorFacts, options: { cause?: unknown } = {}) {
    super(facts.message, options);
    this.name = "ModelError";
    this.kind = facts.kind;
    this.code = facts.code;
    this.hint = facts.hint;
    this.detail = facts.detail;
    this.retryAfterMs = facts.retryAfterMs;
    this.field = facts.field;
  }

  get isRetryable(): boolean {
    return this.kind === "transient" || this.kind === "overloaded";
  }

  /** Where another model may do better. */
  get isOfTheModel(): boolean {
    return OF_THE_MODEL.has(this.kind);
  }

  toTurnError(): TurnError {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.detail === undefined || this.detail === "" ? {} : { detail: this.detail }),
    };
  }
}

// How long to wait before a server is asked again: what it asks for, or twice as long each time, with some chance.
interface RetryLimits {
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
