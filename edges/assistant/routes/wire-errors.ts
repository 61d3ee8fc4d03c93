/** Our errors in assistant's format, for its WebSocket and HTTP operations. */
import {
  RoundtableError,
  toAnswerError,
  type AnswerError,
  type ErrorCode,
  type Json,
} from "../../../src/protocol/index.ts";
import type * as assistant from "../format/assistant.ts";
import { answer, answerErrorOf } from "../../../src/server/index.ts";

export function errorFrame(
  code: string,
  message: string,
  { retryable, details }: { retryable?: boolean; details?: Json } = {},
): assistant.ErrorFrame {
  return {
    type: "error",
    code,
    message,
    ...(retryable === undefined ? {} : { retryable }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Status and code of a command that the session refused. */
const FRAME_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  bad_command: "invalid_client_message",
  conflict: "invalid_client_message",
  unknown_session: "invalid_session_id",
  unknown_member: "invalid_client_message",
  unknown_message: "queued_message_not_found",
  unsupported: "model_not_supported",
  too_large: "queue_error",
};

export function refusedFrame(error: AnswerError, details: Json): assistant.ErrorFrame {
  const code = FRAME_CODES[error.code];
  const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return code === undefined
    ? errorFrame("internal_error", message, { retryable: true, details })
    : errorFrame(code, message, { details });
}

/** A failed operation: a status, a message, and usually a code. */
export class OperationError extends Error {
  readonly code: string | undefined;

  constructor(code: string | undefined, message: string) {
    super(message);
    this.code = code;
  }
}

const OPERATION_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  bad_command: "invalid_arguments",
  conflict: "invalid_arguments",
  too_large: "invalid_arguments",
  unsupported: "invalid_arguments",
  nobody_to_ask: "invalid_arguments",
  unknown_member: "invalid_arguments",
  unknown_session: "session_not_found",
  busy: "session_busy",
};

export function operationAnswer(thrown: unknown, doing: string): Response {
  if (thrown instanceof OperationError) return failed(thrown.code, thrown.message);
  const known = thrown instanceof RoundtableError ? OPERATION_CODES[thrown.code] : undefined;
  if (known !== undefined) return failed(known, toAnswerError(thrown).message);
  return failed("internal_error", answerErrorOf(thrown, doing).message);
}

function failed(code: string | undefined, error: string): Response {
  return answer(statusOf(code), { error, ...(code === undefined ? {} : { code }) });
}

function statusOf(code: string | undefined): number {
  if (code === undefined || code === "invalid_arguments") return 400;
  if (code === "session_busy") return 409;
  return code.endsWith("not_found") ? 404 : 500;
}
