/** Error messages of failed turns of an ACP agent. Agents wrap their reasons, some in JSON inside JSON. Pure. */
import type { RpcError } from "../../../json-rpc/messages.ts";
import { errored } from "../../../process/turn-errors.ts";
import type { TurnOver } from "../../../process/dialect.ts";
import { fieldsOf, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";

const AUTH_REQUIRED = -32_000;

/** Errors that require a login. */
const AUTH_PATTERN = /\b(auth|authenti\w+|(un)?authori[sz]\w+|log ?in|logged (in|out)|api key|credentials?)\b/i;

export function isAuthError({ code, message, data }: RpcError): boolean {
  if (code === AUTH_REQUIRED || code === 401 || code === 403) return true;
  return AUTH_PATTERN.test(`${message} ${details(data)}`);
}

export function callError(member: string, what: string, error: RpcError): TurnOver {
  const reason = reasonOf(error);
  return errored({
    code: codeOf(error, reason),
    message: `${member} could not ${what}: ${sentence(reason)} (code ${error.code}).`,
    ...(isAuthError(error) ? { hint: `Log ${member} in, or pass its key through "env", and ask again.` } : {}),
    detail: details(error.data),
  });
}

export function loginError(member: string, error: RpcError, hint: string): TurnOver {
  const message = `${member} is not logged in: ${sentence(reasonOf(error))} (code ${error.code}).`;
  return errored({ code: "auth_required", message, hint });
}

/** Messages per stop reason. */
const STOPPED: Readonly<Record<string, string>> = {
  max_tokens: "it had reached its token limit",
  max_turn_requests: "it had reached its limit of model requests",
};

/** The turn ended as if it had succeeded, but an error was reported beside the text, or nothing at all. */
export function unreportedError(member: string, text: string, stopReason = "end_turn"): TurnOver {
  if (text.trim() === "") {
    const why = Object.hasOwn(STOPPED, stopReason)
      ? `: ${STOPPED[stopReason]}`
      : ", which is how some agents end a failed turn";
    const message = `${member} ended its turn without an answer${why}.`;
    return errored({
      code: "no_answer",
      message,
      hint: "Check its login, its model and its own log, then ask again.",
    });
  }
  const reason = readable(text);
  return errored({
    code: codeOf({ code: 0, message: reason }, reason),
    message: `${member} failed: ${sentence(reason)}.`,
  });
}

export function reasonOf({ message, data }: RpcError): string {
  const reason = readable(message);
  const more = details(data);
  return /^internal error$/i.test(reason) && more !== "" ? more : reason.replace(/^internal error: /i, "");
}

function codeOf(error: RpcError, reason: string): string {
  if (/context (window|length)|prompt is too long|context_length_exceeded/i.test(reason)) return "context_overflow";
  if (error.code === 429 || /rate.?limit|quota/i.test(reason)) return "rate_limited";
  return isAuthError(error) ? "auth_required" : "agent_error";
}

/** Unwraps `{"error":{"message":"…"}}`. */
function readable(message: string): string {
  const trimmed = message.trim();
  if (!trimmed.startsWith("{")) return trimmed;
  try {
    const parsed: Fields = fieldsOf(JSON.parse(trimmed));
    return textOf(recordOf(parsed, "error"), "message") ?? textOf(parsed, "message") ?? trimmed;
  } catch {
    // Not JSON after all.
    return trimmed;
  }
}

function details(data: unknown): string {
  if (typeof data === "string") return data;
  const record = fieldsOf(data);
  return textOf(record, "details") ?? textOf(record, "message") ?? textOf(record, "errorKind") ?? "";
}

const REASON_CHARS_MAX = 600;

/** Fits a reason into a sentence. */
function sentence(reason: string): string {
  const line = reason.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  if (line === "") return "it gave no reason";
  return line.length <= REASON_CHARS_MAX ? line : `${line.slice(0, REASON_CHARS_MAX)}…`;
}
