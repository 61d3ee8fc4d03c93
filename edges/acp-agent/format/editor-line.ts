/**
 * Parses one line of an editor as a JSON-RPC message, or rejects it. Pure.
 * Promise: a rejected line is never echoed in the error, so neither its length nor its depth can do harm.
 */
import type { AnyMessage, JsonRpcId } from "@agentclientprotocol/sdk";
import { readCutMessage } from "../../../src/kit/io/cut-message.ts";
import { isTooDeep, TOO_DEEP } from "../../../src/kit/nesting.ts";

export interface RefusedLine {
  /** Null when the request is unknown. */
  readonly id: JsonRpcId;
  readonly code: number;
  readonly message: string;
}

export type EditorLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "message"; readonly message: AnyMessage }
  | { readonly kind: "refused"; readonly refused: RefusedLine };

type Fields = Readonly<Record<string, unknown>>;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export function readEditorLine(line: string): EditorLine {
  const trimmed = line.trim();
  if (trimmed === "") return { kind: "nothing" };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    // The parser's message quotes the line, which may contain secrets.
    const reason = `a line of ${trimmed.length} characters is not JSON. Send each message on its own line`;
    return refuse(null, PARSE_ERROR, `Parse error: ${reason}`);
  }
  if (Array.isArray(value)) return invalid(null, "batches are not supported. Send each message on its own line");
  if (typeof value !== "object" || value === null || !isMessage(value as Fields)) {
    return invalid(requestId(value), 'not a JSON-RPC message: it needs "jsonrpc": "2.0" and a method, result or error');
  }
  if (isTooDeep(value)) return tooDeep(value as Fields);
  return { kind: "message", message: value as AnyMessage };
}

/**
 * An oversized line of which only head and tail were read: answered under its own id if that was found. The response to
 * a request of ours becomes an error, so that the caller does not wait forever.
 */
export function readLeftOutLine({ head, tail }: { head: string; tail: string }, message: string): EditorLine {
  const { kind, id } = readCutMessage(head, tail);
  return kind === "answer" ? failedAnswer(id, message) : invalid(kind === "request" ? id : null, message);
}

function tooDeep({ id, method }: Fields): EditorLine {
  const message = `${TOO_DEEP}. Send it with less nesting, or as text`;
  if (typeof method !== "string") return failedAnswer(id as JsonRpcId, message);
  // Without an id it is a notification, which gets no response.
  return invalid(isId(id) ? id : null, message);
}

function failedAnswer(id: JsonRpcId, message: string): EditorLine {
  const error = { code: INVALID_REQUEST, message: message };
  return { kind: "message", message: { jsonrpc: "2.0", id, error } };
}

function invalid(id: JsonRpcId, message: string): EditorLine {
  return refuse(id, INVALID_REQUEST, `Invalid request: ${message}`);
}

function refuse(id: JsonRpcId, code: number, message: string): EditorLine {
  return { kind: "refused", refused: { id, code, message } };
}

/** A request, notification or response. */
function isMessage(value: Fields): boolean {
  if (value["jsonrpc"] !== "2.0") return false;
  if (typeof value["method"] === "string") return !("id" in value) || isId(value["id"]);
  return !("method" in value) && isId(value["id"]) && ("result" in value || "error" in value);
}

/** Of what was meant as a request. */
function requestId(value: unknown): JsonRpcId {
  if (typeof value !== "object" || value === null || !("method" in value && "id" in value)) return null;
  return isId(value.id) ? value.id : null;
}

function isId(value: unknown): value is JsonRpcId {
  return value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
