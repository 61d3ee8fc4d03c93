/**
 * Errors of model servers, by what can be done about them.
 * No message contains the API key, whatever the server or HTTP client reports.
 */
import type { TurnError } from "../../port.ts";

export type ModelErrorKind =
  /** Retry. */
  | "transient"
  /** Retry, then try another model. */
  | "overloaded"
  /** This model cannot answer. */
  | "model_not_found"
  | "context_length"
  /** The server rejects an option that can be dropped. */
  | "no_stream_options"
  | "no_reasoning"
  /** It needs the request in another form. */
  | "wants_thoughts"
  | "wants_reply_after_tool"
  /** The model is available through the other API. */
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
  /** The rejected field, where it is named. */
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

  /** Whether another model may help. */
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

interface RetryLimits {
  readonly retryBaseMs: number;
  readonly retryMsMax: number;
}

/**
 * Server's delay, or exponential backoff with jitter. `chance` is from 0 to 1 and keeps members that failed together
 * from retrying together.
 */
export function retryDelayMs(attempt: number, chance: number, { retryBaseMs, retryMsMax }: RetryLimits): number {
  const whole = Math.min(retryMsMax, retryBaseMs * 2 ** (attempt - 1));
  return Math.round(whole * (0.75 + chance / 2));
}

/** Undefined without a valid delay. */
export function readRetryAfter(headers: Pick<Headers, "get">, nowMs: number): number | undefined {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && /^\d{1,9}(\.\d+)?$/.test(ms.trim())) return Number(ms);
  const after = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(after)) return Number(after) * 1000;
  // HTTP dates only: `Date.parse` accepts almost anything as a year.
  const date = /^[A-Za-z]{3,9}, /.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
