/** Errors that cross a boundary: stable code, message, hint. One class, converted to frames in one place. */
import * as z from "zod";

export const errorCodes = [
  "bad_command",
  "unknown_session",
  "unknown_member",
  "unknown_message",
  "unknown_request",
  "unknown_turn",
  "conflict",
  "busy",
  "nobody_to_ask",
  "unsupported",
  "too_large",
  "store_unavailable",
  "locked",
  "version_mismatch",
  "closed",
  "internal",
] as const;

export const ErrorCode = z.enum(errorCodes);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const AnswerError = z.object({ code: ErrorCode, message: z.string(), hint: z.string().optional() });
export type AnswerError = z.infer<typeof AnswerError>;

export class RoundtableError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "RoundtableError";
    this.code = code;
    this.hint = options.hint;
  }
}

/** The error of a refusal as received from the other end. */
export function fromAnswerError({ code, message, hint }: AnswerError): RoundtableError {
  return new RoundtableError(code, message, hint === undefined ? {} : { hint });
}

export function toAnswerError(thrown: unknown): AnswerError {
  if (thrown instanceof RoundtableError) {
    return { code: thrown.code, message: thrown.message, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
  }
  return { code: "internal", message: thrown instanceof Error ? thrown.message : String(thrown) };
}
