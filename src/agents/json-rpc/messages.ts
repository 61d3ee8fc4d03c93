/**
 * JSON-RPC 2.0 messages, one a line, read and written. Pure.
 * Promise: reading never throws; what is no message at all is said to be unreadable. The `jsonrpc` field is not asked
 * for, since some programs leave it out.
 */
import type { Json } from "../../protocol/index.ts";

export type RpcId = string | number;

export type RpcMessage =
  /** The other side asks and waits for an answer under this id. */
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: RpcParams }
  | { readonly kind: "notification"; readonly method: string; readonly params: RpcParams }
  /** The answer to a call of ours. */
  | { readonly kind: "result"; readonly id: RpcId; readonly result: unknown }
  /** The refusal of a call of ours; without an id, of something that could not even be read. */
  | { readonly kind: "error"; readonly id: RpcId | null; readonly error: RpcError }
  | { readonly kind: "unreadable" };

/** Whatever was sent as `params`; an empty object when there was none or it was no object. */
export type RpcParams = Readonly<Record<string, unknown>>;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;

/** Who hands a line on has read it to know whose it is; a long one is not kept for that. */
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
    // Noise between the lines; whoever reads decides what to show of it.
    return { kind: "unreadable" };
  }
  return readRpcValue(value);
}

/** What was parsed already. */
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
  if (isRecord(error)) return { kind: "error", id: isId ? id : null, error: readError(error) };
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
