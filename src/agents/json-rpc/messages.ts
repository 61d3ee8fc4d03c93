/**
 * Parsing and serializing of JSON-RPC 2.0 messages, one per line. Pure. Never throws: a line that is no message has
 * kind `unreadable`. The `jsonrpc` field is not required, since some programs omit it.
 */
import type { Json } from "../../protocol/index.ts";

export type RpcId = string | number;

export type RpcMessage =
  /** Expects an answer with this id. */
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: RpcParams }
  | { readonly kind: "notification"; readonly method: string; readonly params: RpcParams }
  /** Answer to one of our calls. */
  | { readonly kind: "result"; readonly id: RpcId; readonly result: unknown }
  /** Error answer to one of our calls; without an id when the other side could not parse the call. */
  | { readonly kind: "error"; readonly id: RpcId | undefined; readonly error: RpcError }
  | { readonly kind: "unreadable" };

/** `params`, or an empty object when there were none or they were no object. */
export type RpcParams = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;

/**
 * Cache of the last parsed line: a router parses it to find the addressee, which parses it again. Long lines are not
 * cached.
 */
const CACHED_CHARS_MAX = 16 * 1024;
let lastRead: { readonly line: string; readonly message: RpcMessage } | undefined;

export function readRpc(line: string): RpcMessage {
  if (lastRead?.line === line) return lastRead.message;
  const message = readLine(line);
  lastRead = line.length <= CACHED_CHARS_MAX ? { line, message } : undefined;
  return message;
}

function readLine(line: string): RpcMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Noise between messages; the caller decides how to report it.
    return { kind: "unreadable" };
  }
  return readRpcValue(value);
}

/** Same for a value that is parsed already. */
export function readRpcValue(value: unknown): RpcMessage {
  return isRecord(value) ? readObject(value) : { kind: "unreadable" };
}

function readObject(value: RpcParams): RpcMessage {
  const { id, method, params, error } = value;
  const isId = typeof id === "string" || typeof id === "number";
  if (typeof method === "string") {
    const given = isRecord(params) ? params : {};
    return isId ? { kind: "request", id, method, params: given } : { kind: "notification", method, params: given };
  }
  if (isRecord(error)) return { kind: "error", id: isId ? id : undefined, error: readError(error) };
  if (isId && "result" in value) return { kind: "result", id, result: value["result"] };
  return { kind: "unreadable" };
}

function readError({ code, message, data }: RpcParams): RpcError {
  return {
    code: typeof code === "number" ? code : INTERNAL_ERROR,
    message: typeof message === "string" ? message : "it gave no reason",
    ...(data === undefined ? {} : { data }),
  };
}

export function writeCall(id: RpcId, method: string, params: object): string {
  return line({ id, method, params });
}

export function writeNotification(method: string, params?: object): string {
  return line(params === undefined ? { method } : { method, params });
}

export function writeResult(id: RpcId, result: Json | object): string {
  return line({ id, result });
}

export function writeError(id: RpcId, error: RpcError): string {
  return line({ id, error });
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function line(body: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...body })}\n`;
}
