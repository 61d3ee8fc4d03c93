/**
 * Who is given which message, and when.
 * Rules: a member runs one turn at a time; its messages never overtake each other; what waits for it is given together
 * when its turn ends; a held member starts nothing until a message addresses it.
 */
import type { EventDraft, QueueItem } from "../protocol/index.ts";
import { EVERYONE } from "./addressing.ts";
import { startTurn } from "./ask.ts";
import { settledDrafts, stepCouncil } from "./council.ts";
import { dropExchanges } from "./exchanges.ts";
import { startExchanges } from "./exchanges-start.ts";
import { GIVEN_BYTES_MAX } from "./limits.ts";
import type { Message } from "./mailbox.ts";
import { addresseesOf, queueOf, setQueue } from "./queue.ts";
import { noteResume } from "./resume.ts";
import { STEERING, WAITING } from "./sends.ts";
import { canSteer, isSteering, steerPending } from "./steer.ts";
import { canBeAsked, isSequential, joinedMembers, type Table } from "./table.ts";

/** How eagerly a message is delivered: into a running turn always, where nothing is overtaken, or never. */
export type Eagerness = "now" | "usual" | "patient";

export type Fate = "ask" | "steer" | "wait";

/** What would become of a message for each of its addressees. */
export function fatesOf(
  table: Table,
  message: Pick<QueueItem, "attachments">,
  names: readonly string[],
  eagerness: Eagerness,
): Map<string, Fate> {
  return new Map(names.map((name) => [name, fateOf(table, message, name, eagerness)]));
}

function fateOf(table: Table, message: Pick<QueueItem, "attachments">, name: string, eagerness: Eagerness): Fate {
  if (!table.turns.has(name)) return isSequential(table) && table.turns.size > 0 ? "wait" : "ask";
  if (eagerness === "patient" || !canSteer(table, name, message)) return "wait";
  return eagerness === "now" || !wouldOvertake(table, name) ? "steer" : "wait";
}

function wouldOvertake(table: Table, name: string): boolean {
  const running = table.turns.get(name);
  const pending = table.ledger.memory.mailbox.pendingOf(name);
  const isBehindOthers = pending.some((one) => running === undefined || !isSteering(running, one.messageId));
  return isBehindOthers || queueOf(table).some((item) => addresseesOf(table, item).includes(name));
}

/** The queue items that a message to these members would overtake, in order: they go first. */
export function aheadOf(table: Table, names: readonly string[], queue = queueOf(table)): QueueItem[] {
  const touched = new Set(names);
  const ahead: QueueItem[] = [];
  for (const item of queue.toReversed()) {
    const addressees = addresseesOf(table, item);
    if (!addressees.some((name) => touched.has(name))) continue;
    for (const name of addressees) touched.add(name);
    ahead.unshift(item);
  }
  return ahead;
}

/** Turns queue items, and perhaps a new one, into user messages, in order. */
export function release(table: Table, items: readonly QueueItem[], eagerness: Eagerness): void {
  const left = queueOf(table).filter((item) => !items.some((one) => one.messageId === item.messageId));
  const hadQueued = left.length < queueOf(table).length;
  if (items.length > 0) noteResume(table);
  for (const item of items) table.ledger.append(messageDrafts(table, item, eagerness));
  if (hadQueued) setQueue(table, left);
}

/** The message and how it stands with each addressee. */
function messageDrafts(table: Table, item: QueueItem, eagerness: Eagerness): EventDraft[] {
  const { ts: _, to, ...rest } = item;
  const names = addresseesOf(table, item);
  const fates = fatesOf(table, item, names, eagerness);
  const toAll = to.includes(EVERYONE);
  return [
    ...(toAll ? settledDrafts(table.ledger.transcript.head, "superseded") : []),
    { type: "user_message", ...rest, to: names, toAll },
    ...names.map((member) => pendingDraft(item.messageId, member, fates.get(member))),
  ];
}

function pendingDraft(messageId: string, member: string, fate: Fate | undefined): EventDraft {
  const reason = fate === "wait" ? { reason: WAITING } : fate === "steer" ? { reason: STEERING } : {};
  return { type: "message_delivery", messageId, member, state: "pending", ...reason };
}

export function steerInto(table: Table, fates: ReadonlyMap<string, Fate>): void {
  for (const [name, fate] of fates) if (fate === "steer") steerPending(table, name);
}

/** Starts everything that can start now: planned retries, waiting messages, the queue, then the discussion. */
export function schedule(table: Table): void {
  if (table.isClosed) return;
  dropUnavailable(table);
  do startWaiting(table);
  while (releaseNext(table));
  startExchanges(table);
  stepCouncil(table);
}

function startWaiting(table: Table): void {
  for (const name of startersInOrder(table)) {
    if (isSequential(table) && table.turns.size > 0) return;
    const retry = table.retries.get(name);
    table.retries.delete(name);
    if (retry !== undefined) startTurn(table, retry);
    else startPending(table, name);
  }
}

function startPending(table: Table, member: string): void {
  const messages = firstThatFit(table.ledger.memory.mailbox.pendingOf(member));
  const root = messages.findLast((message) => message.toAll) ?? messages.at(-1);
  if (root === undefined) return;
  startTurn(table, {
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

/** Idle members who have something to do, the one whose message is oldest first. */
function startersInOrder(table: Table): string[] {
  return joinedMembers(table)
    .map((member) => member.name)
    .filter((name) => canBeAsked(table, name) && !table.held.has(name) && !table.turns.has(name))
    .map((name) => ({
      name,
      oldest: table.retries.has(name) ? 0 : (table.ledger.memory.mailbox.pendingOf(name)[0]?.seq ?? Infinity),
    }))
    .filter(({ oldest }) => oldest < Infinity)
    .sort((a, b) => a.oldest - b.oldest)
    .map(({ name }) => name);
}

/** Lets the first queue item go that somebody can take; false when there is none. */
function releaseNext(table: Table): boolean {
  if (isSequential(table) && table.turns.size > 0) return false;
  const queue = queueOf(table);
  const index = queue.findIndex((item) =>
    addresseesOf(table, item).some((name) => !table.held.has(name) && !table.turns.has(name)),
  );
  const item = queue[index];
  if (item === undefined) return false;
  release(table, [...aheadOf(table, addresseesOf(table, item), queue.slice(0, index)), item], "patient");
  return true;
}

/** A member that was muted or has left is not asked; what waited for it is said to be dropped. */
function dropUnavailable(table: Table): void {
  for (const member of Object.values(table.ledger.transcript.head.members)) {
    if (canBeAsked(table, member.name)) continue;
    dropPending(table, member.name, member.seated ? "muted" : "member_left");
  }
}

/** Drops what waits for the member, except what its running turn is just taking. */
export function dropPending(table: Table, member: string, reason: string): void {
  const running = table.turns.get(member);
  const drafts = table.ledger.memory.mailbox
    .pendingOf(member)
    .filter((message) => running === undefined || !isSteering(running, message.messageId))
    .map(({ messageId }): EventDraft => ({ type: "message_delivery", messageId, member, state: "dropped", reason }));
  table.ledger.append(drafts);
  dropExchanges(table, member, reason);
}
