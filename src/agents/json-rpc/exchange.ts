/**
 * What is open between us and a JSON-RPC program: our calls that it has not answered, and its requests that we have not
 * answered. A value that is never changed, so that it can be part of a dialect's state.
 * `Call` and `Asked` are what the dialect wants to remember of each.
 */
import { writeCall, writeError, writeResult, type RpcError, type RpcId } from "./messages.ts";
import type { Json } from "../../protocol/index.ts";

export interface Exchange<Call, Asked> {
  /** Makes ids of several talkers on one connection differ. */
  readonly prefix: string;
  readonly nextNumber: number;
  readonly calls: ReadonlyMap<string, Call>;
  readonly asked: ReadonlyMap<string, { readonly id: RpcId; readonly what: Asked }>;
}

/** A program that asks more than this at once is refused. */
export const ASKED_MAX = 1_000;

/** Ids look like `<prefix>1`, `<prefix>2`, … */
export function createExchange<Call, Asked>({ prefix = "" }: { prefix?: string } = {}): Exchange<Call, Asked> {
  return { prefix, nextNumber: 1, calls: new Map(), asked: new Map() };
}

export interface Called<Call, Asked> {
  readonly exchange: Exchange<Call, Asked>;
  /** The line to write. */
  readonly line: string;
  readonly id: string;
}

export function call<Call, Asked>(
  exchange: Exchange<Call, Asked>,
  method: string,
  params: object,
  remember: Call,
): Called<Call, Asked> {
  const id = `${exchange.prefix}${exchange.nextNumber}`;
  const calls = new Map(exchange.calls).set(id, remember);
  return {
    exchange: { ...exchange, nextNumber: exchange.nextNumber + 1, calls },
    line: writeCall(id, method, params),
    id,
  };
}

/** An answer came: what we remembered of the call, undefined when no such call is open. */
export function settleCall<Call, Asked>(
  exchange: Exchange<Call, Asked>,
  id: RpcId | null,
): { readonly exchange: Exchange<Call, Asked>; readonly call: Call | undefined } {
  const found = id === null ? undefined : exchange.calls.get(String(id));
  if (found === undefined) return { exchange, call: undefined };
  const calls = new Map(exchange.calls);
  calls.delete(String(id));
  return { exchange: { ...exchange, calls }, call: found };
}

/** Keeps a request of the program until it is answered. `callId` names it towards the session. */
export function hold<Call, Asked>(
  exchange: Exchange<Call, Asked>,
  id: RpcId,
  what: Asked,
): { readonly exchange: Exchange<Call, Asked>; readonly callId: string } | null {
  const callId = callIdOf(exchange, id);
  if (exchange.asked.size >= ASKED_MAX && !exchange.asked.has(callId)) return null;
  return { exchange: { ...exchange, asked: new Map(exchange.asked).set(callId, { id, what }) }, callId };
}

/** Takes a request out, to be answered or because it was withdrawn; undefined when nobody waits for it. */
export function release<Call, Asked>(
  exchange: Exchange<Call, Asked>,
  callId: string,
): { readonly exchange: Exchange<Call, Asked>; readonly id: RpcId; readonly what: Asked } | undefined {
  const found = exchange.asked.get(callId);
  if (found === undefined) return undefined;
  const asked = new Map(exchange.asked);
  asked.delete(callId);
  return { exchange: { ...exchange, asked }, ...found };
}

/** A program tells 1 from "1"; so do we. */
export function callIdOf({ prefix }: Pick<Exchange<unknown, unknown>, "prefix">, id: RpcId): string {
  return `${prefix}ask:${JSON.stringify(id)}`;
}

/** The line that answers a request of the program. */
export function answerLine(
  id: RpcId,
  answer: { readonly result: Json | object } | { readonly error: RpcError },
): string {
  return "error" in answer ? writeError(id, answer.error) : writeResult(id, answer.result);
}
