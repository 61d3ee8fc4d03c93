/**
 * Decides which member gets which message, and when. A member runs one turn at a time; messages never overtake each
 * other; pending messages are delivered together when the turn ends; a held member starts nothing until a message
 * addresses it.
 */
import type { EventDraft, QueueItem } from "../../protocol/index.ts";
import { EVERYONE } from "./addressing.ts";
import { startTurn } from "../turn/run-turn.ts";
import { settledDrafts, stepCouncil } from "../council/council.ts";
import { dropExchanges } from "../council/exchanges/exchanges.ts";
import { startExchanges } from "../council/exchanges/start.ts";
import { GIVEN_BYTES_MAX } from "../limits.ts";
import type { Message } from "./mailbox.ts";
import { addresseesOf, queueOf, setQueue } from "./queue.ts";
import { noteResume } from "../recovery/resume.ts";
import { STEERING, WAITING } from "./sends.ts";
import { canSteer, isSteering, steerPending } from "../turn/steer.ts";
import { isAvailable, isSequential, joinedMembers, type SessionState } from "../state.ts";

/** Into a running turn: whenever possible, only when nothing is overtaken, or never. */
export type DeliveryMode = "now" | "usual" | "patient";

export type DeliveryDecision = "ask" | "steer" | "wait";

/** The delivery decision for each addressee. */
export function decideDeliveries(
  state: SessionState,
  message: Pick<QueueItem, "attachments">,
  names: readonly string[],
  deliveryMode: DeliveryMode,
): Map<string, DeliveryDecision> {
  return new Map(names.map((name) => [name, decideDelivery(state, message, name, deliveryMode)]));
}

function decideDelivery(
  state: SessionState,
  message: Pick<QueueItem, "attachments">,
  name: string,
  deliveryMode: DeliveryMode,
): DeliveryDecision {
  if (!state.turns.has(name)) return isSequential(state) && state.turns.size > 0 ? "wait" : "ask";
  if (deliveryMode === "patient" || !canSteer(state, name, message)) return "wait";
  return deliveryMode === "now" || !wouldOvertake(state, name) ? "steer" : "wait";
}

function wouldOvertake(state: SessionState, name: string): boolean {
  const running = state.turns.get(name);
  const pending = state.ledger.memory.mailbox.pendingOf(name);
  const isBehindOthers = pending.some((one) => running === undefined || !isSteering(running, one.messageId));
  return isBehindOthers || queueOf(state).some((item) => addresseesOf(state, item).includes(name));
}

/** Queue items that a message to these members would overtake, in order: they are released first. */
export function aheadOf(state: SessionState, names: readonly string[], queue = queueOf(state)): QueueItem[] {
  const touched = new Set(names);
  const ahead: QueueItem[] = [];
  for (const item of queue.toReversed()) {
    const addressees = addresseesOf(state, item);
    if (!addressees.some((name) => touched.has(name))) continue;
    for (const name of addressees) touched.add(name);
    ahead.unshift(item);
  }
  return ahead;
}

/** Turns queue items, including a new one, into user messages, in order. */
export function release(state: SessionState, items: readonly QueueItem[], deliveryMode: DeliveryMode): void {
  const left = queueOf(state).filter((item) => !items.some((one) => one.messageId === item.messageId));
  const hadQueued = left.length < queueOf(state).length;
  if (items.length > 0) noteResume(state);
  for (const item of items) state.ledger.append(messageDrafts(state, item, deliveryMode));
  if (hadQueued) setQueue(state, left);
}

/** The message and its first delivery state per addressee. */
function messageDrafts(state: SessionState, item: QueueItem, deliveryMode: DeliveryMode): EventDraft[] {
  const { ts: _, to, ...rest } = item;
  const names = addresseesOf(state, item);
  const decisions = decideDeliveries(state, item, names, deliveryMode);
  const toAll = to.includes(EVERYONE);
  return [
    ...(toAll ? settledDrafts(state.ledger.transcript.head, "superseded") : []),
    { type: "user_message", ...rest, to: names, toAll },
    ...names.map((member) => pendingDraft(item.messageId, member, decisions.get(member))),
  ];
}

function pendingDraft(messageId: string, member: string, decision: DeliveryDecision | undefined): EventDraft {
  const reason = decision === "wait" ? { reason: WAITING } : decision === "steer" ? { reason: STEERING } : {};
  return { type: "message_delivery", messageId, member, state: "pending", ...reason };
}

export function steerInto(state: SessionState, decisions: ReadonlyMap<string, DeliveryDecision>): void {
  for (const [name, decision] of decisions) if (decision === "steer") steerPending(state, name);
}

/** Starts everything that can start now: planned retries, pending messages, the queue, then the discussion. */
export function schedule(state: SessionState): void {
  if (state.isClosed) return;
  dropUnavailable(state);
  do startWaiting(state);
  while (releaseNext(state));
  startExchanges(state);
  stepCouncil(state);
}

function startWaiting(state: SessionState): void {
  for (const name of startersInOrder(state)) {
    if (isSequential(state) && state.turns.size > 0) return;
    const retry = state.retries.get(name);
    state.retries.delete(name);
    if (retry !== undefined) startTurn(state, retry);
    else startPending(state, name);
  }
}

function startPending(state: SessionState, member: string): void {
  const messages = firstThatFit(state.ledger.memory.mailbox.pendingOf(member));
  const root = messages.findLast((message) => message.toAll) ?? messages.at(-1);
  if (root === undefined) return;
  startTurn(state, {
    member,
    messages,
    rootMessageId: root.messageId,
    ...(root.toAll ? { round: 1 } : {}),
    cause: "user",
  });
}

function firstThatFit(messages: readonly Message[]): Message[] {
  let bytes = 0;
  return messages.filter((message, index) => {
    bytes += message.textBlob?.bytes ?? Buffer.byteLength(message.text);
    return index === 0 || bytes <= GIVEN_BYTES_MAX;
  });
}

/** Idle members with work, oldest message first. */
function startersInOrder(state: SessionState): string[] {
  return joinedMembers(state)
    .map((member) => member.name)
    .filter((name) => isAvailable(state, name) && !state.held.has(name) && !state.turns.has(name))
    .map((name) => ({
      name,
      oldest: state.retries.has(name) ? 0 : (state.ledger.memory.mailbox.pendingOf(name)[0]?.seq ?? Infinity),
    }))
    .filter(({ oldest }) => oldest < Infinity)
    .sort((a, b) => a.oldest - b.oldest)
    .map(({ name }) => name);
}

/** Releases the first queue item that a recipient can take; false when there is none. */
function releaseNext(state: SessionState): boolean {
  if (isSequential(state) && state.turns.size > 0) return false;
  const queue = queueOf(state);
  const index = queue.findIndex((item) =>
    addresseesOf(state, item).some((name) => !state.held.has(name) && !state.turns.has(name)),
  );
  const item = queue[index];
  if (item === undefined) return false;
  release(state, [...aheadOf(state, addresseesOf(state, item), queue.slice(0, index)), item], "patient");
  return true;
}

/** Drops pending messages of members that were muted or left. */
function dropUnavailable(state: SessionState): void {
  for (const member of Object.values(state.ledger.transcript.head.members)) {
    if (isAvailable(state, member.name)) continue;
    dropPending(state, member.name, member.seated ? "muted" : "member_left");
  }
}

/** Drops the member's pending messages, except those being steered into its running turn. */
export function dropPending(state: SessionState, member: string, reason: string): void {
  const running = state.turns.get(member);
  const drafts = state.ledger.memory.mailbox
    .pendingOf(member)
    .filter((message) => running === undefined || !isSteering(running, message.messageId))
    .map(({ messageId }): EventDraft => ({ type: "message_delivery", messageId, member, state: "dropped", reason }));
  state.ledger.append(drafts);
  dropExchanges(state, member, reason);
}
