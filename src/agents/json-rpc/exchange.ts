/**
 * Open calls of a JSON-RPC connection in both directions: ours that the program has not answered, and its requests that
 * we have not answered. Immutable, so that it can be part of a dialect's state. `Call` and `Pending` are what the
 * dialect stores with each.
 */
import { writeCall, writeError, writeResult, type RpcError, type RpcId } from "./messages.ts";
import type { Json } from "../../protocol/index.ts";

export interface Exchange<Call, Pending> {
  /** Keeps ids of several clients on one connection apart. */
  readonly prefix: string;
  readonly nextNumber: number;
  readonly calls: ReadonlyMap<string, Call>;
  readonly pending: ReadonlyMap<string, { readonly id: RpcId; readonly what: Pending }>;
}

/** Limit of unanswered requests; further ones are refused. */
export const PENDING_MAX = 1_000;

/** Ids look like `<prefix>1`, `<prefix>2`, … */
export function createExchange<Call, Pending>({ prefix = "" }: { prefix?: string } = {}): Exchange<Call, Pending> {
  return { prefix, nextNumber: 1, calls: new Map(), pending: new Map() };
}

export interface Called<Call, Pending> {
  readonly exchange: Exchange<Call, Pending>;
  readonly line: string;
  readonly id: string;
}

export function call<Call, Pending>(
  exchange: Exchange<Call, Pending>,
  method: string,
  params: object,
  remember: Call,
): Called<Call, Pending> {
  const id = `${exchange.prefix}${exchange.nextNumber}`;
  const calls = new Map(exchange.calls).set(id, remember);
  return {
    exchange: { ...exchange, nextNumber: exchange.nextNumber + 1, calls },
    line: writeCall(id, method, params),
    id,
  };
}

/** Closes a call that was answered. `call` is undefined when no such call is open. */
export function settleCall<Call, Pending>(
  exchange: Exchange<Call, Pending>,
  id: RpcId | undefined,
): { readonly exchange: Exchange<Call, Pending>; readonly call: Call | undefined } {
  const match = id === undefined ? undefined : exchange.calls.get(String(id));
  if (match === undefined) return { exchange, call: undefined };
  const calls = new Map(exchange.calls);
  calls.delete(String(id));
  return { exchange: { ...exchange, calls }, call: match };
}

/**
 * Stores a request of the program until it is answered. Undefined at the limit. `callId` is its id towards the session.
 */
export function hold<Call, Pending>(
  exchange: Exchange<Call, Pending>,
  id: RpcId,
  what: Pending,
): { readonly exchange: Exchange<Call, Pending>; readonly callId: string } | undefined {
  const callId = callIdOf(exchange, id);
  if (exchange.pending.size >= PENDING_MAX && !exchange.pending.has(callId)) return undefined;
  return { exchange: { ...exchange, pending: new Map(exchange.pending).set(callId, { id, what }) }, callId };
}

/** Removes a request that is answered or was withdrawn; undefined when it is not open. */
export function release<Call, Pending>(
  exchange: Exchange<Call, Pending>,
  callId: string,
): { readonly exchange: Exchange<Call, Pending>; readonly id: RpcId; readonly what: Pending } | undefined {
  const entry = exchange.pending.get(callId);
  if (entry === undefined) return undefined;
  const pending = new Map(exchange.pending);
  pending.delete(callId);
  return { exchange: { ...exchange, pending }, ...entry };
}

/** JSON-RPC ids 1 and "1" are different ids. */
export function callIdOf({ prefix }: Pick<Exchange<unknown, unknown>, "prefix">, id: RpcId): string {
  return `${prefix}ask:${JSON.stringify(id)}`;
}

/** Serialized answer to a request of the program. */
export function answerLine(
  id: RpcId,
  answer: { readonly result: Json | object } | { readonly error: RpcError },
): string {
  return "error" in answer ? writeError(id, answer.error) : writeResult(id, answer.result);
}
