/**
 * What a member reads beside its prompt: messages since it was last given anything, or the whole conversation where its
 * agent keeps no context; and pinned texts. An agent with context is not told its own output, a message it was asked,
 * or anything twice. Only what is in memory is used, the newest that fit; omissions are counted, with author and first
 * line.
 */

import type { MissedMessage, LeftOut, Pinned } from "../../agents/index.ts";
import {
  deliveriesOf,
  PAGE_SIZE,
  turnText,
  type Message,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  type Page,
} from "../../transcript/index.ts";
import { beginningOf, encodedBytes } from "../../kit/text/encoded-size.ts";
import { MISSED_BYTES_MAX, LEFT_OUT_LINE_CHARS_MAX, LEFT_OUT_LINES_MAX } from "../limits.ts";
import { largest } from "../../kit/largest.ts";
import { loadText } from "../delivery/message-text.ts";
import type { SessionState } from "../state.ts";

export interface Missed {
  /** Oldest first. */
  readonly messages: readonly MissedMessage[];
  readonly cut: number;
  readonly leftOut?: LeftOut;
  /** The oldest seq given in full; 0 for nothing. */
  readonly fromSeq: number;
  /** The newest seq among the entries, omitted ones included; 0 for none. */
  readonly toSeq: number;
}

interface Entry extends MissedMessage {
  readonly seq: number;
}

export interface MissedQuery {
  readonly member: string;
  /** The prompt of this turn. */
  readonly messages: readonly { readonly messageId: string }[];
  readonly replaces?: string;
  /** The agent keeps no context: it gets the conversation from its beginning, its own output included. */
  readonly isWhole?: boolean;
  /** Size limit. */
  readonly bytesMax?: number;
}

/** Call before the turn opens. A retry gets the same messages as the turn it replaces, and none since. */
export function missedBy(transcript: Transcript, query: MissedQuery): Missed {
  const { member, messages: prompts, replaces, isWhole = false, bytesMax = MISSED_BYTES_MAX } = query;
  const isPrompt = (one: Message) =>
    one.kind === "user" && prompts.some(({ messageId }) => messageId === one.messageId);
  const messages = messagesInMemory(transcript);
  const window = replaces === undefined ? sinceLast(transcript, member) : asBefore(messages, member, replaces);
  const afterSeq = Math.max(isWhole ? 0 : window.afterSeq, transcript.head.clearedSeq);
  // Filter by position first: in a long session nearly all were given long ago, and their texts are not assembled.
  const entries = messages
    .filter((message) => isWithin(spokenSeq(message), { afterSeq, beforeSeq: window.beforeSeq }) && !isPrompt(message))
    .map((message) => toEntry(transcript, message, { member, isWhole }))
    .filter((entry) => entry !== undefined)
    .sort((a, b) => a.seq - b.seq);
  const included = newest(entries, bytesMax);
  const omitted = entries.slice(0, entries.length - included.length);
  const older = olderThan(transcript, afterSeq);
  return {
    messages: included.map(({ speaker, text }) => ({ speaker, text })),
    cut: omitted.length,
    ...(omitted.length === 0 && older === 0 ? {} : { leftOut: summaryOf(omitted, older) }),
    fromSeq: included[0]?.seq ?? 0,
    toSeq: entries.at(-1)?.seq ?? 0,
  };
}

/** Live pages, and frozen ones directly before them that are in memory. */
function messagesInMemory({ frozen, live }: Transcript): Message[] {
  const gap = frozen.lastIndexOf(undefined);
  return [...frozen.slice(gap + 1), ...live].flatMap((page) => page?.messages ?? []);
}

/** A turn counts at its end. */
function spokenSeq(message: Message): number | undefined {
  if (message.kind === "turn") return message.end?.seq;
  return message.kind === "user" ? message.seq : undefined;
}

function isWithin(seq: number | undefined, { afterSeq, beforeSeq }: Window): boolean {
  return seq !== undefined && seq > afterSeq && seq < beforeSeq;
}

/** Messages on pages that left memory and were not given to the member. */
function olderThan(transcript: Transcript, afterSeq: number): number {
  const gap = transcript.frozen.lastIndexOf(undefined);
  if (gap < 0) return 0;
  for (const message of messagesInMemory(transcript)) {
    if (message.kind !== "open-turn") return message.seq > afterSeq + 1 ? (gap + 1) * PAGE_SIZE : 0;
  }
  return 0;
}

interface Window {
  readonly afterSeq: number;
  readonly beforeSeq: number;
}

function sinceLast({ head }: Transcript, member: string): Window {
  const state = Object.hasOwn(head.members, member) ? head.members[member] : undefined;
  return { afterSeq: state?.seenSeq ?? 0, beforeSeq: Infinity };
}

function asBefore(messages: readonly Message[], member: string, replaces: string): Window {
  const own = messages.filter((one) => one.kind === "turn").filter((one) => one.member === member && one.depth === 0);
  const beforeSeq = own.find((turn) => turn.turnId === replaces)?.seq ?? Infinity;
  const earlier = own.map((turn) => turn.seq).filter((seq) => seq < beforeSeq);
  return { afterSeq: largest(earlier, 0), beforeSeq };
}

interface Listener {
  readonly member: string;
  readonly isWhole: boolean;
}

function toEntry(transcript: Transcript, message: Message, listener: Listener): Entry | undefined {
  if (message.kind === "turn") return fromTurn(message, listener);
  return message.kind === "user" ? fromUser(transcript, message, listener) : undefined;
}

/** Subagent output is for the member that started it. */
function fromTurn(turn: TurnMessage, { member, isWhole }: Listener): Entry | undefined {
  if (turn.end === undefined || turn.depth > 0 || turn.cause === "minutes") return undefined;
  if (turn.member === member && !isWhole) return undefined;
  const text = turnText(turn);
  if (text.trim() === "") return undefined;
  return { speaker: { kind: "member", name: turn.member }, text, seq: turn.end.seq };
}

/** Excludes messages that the member will be asked, or was asked and remembers. */
function fromUser({ head }: Transcript, message: UserMessage, { member, isWhole }: Listener): Entry | undefined {
  const deliveries = deliveriesOf(head, message);
  const state = Object.hasOwn(deliveries, member) ? deliveries[member]?.state : undefined;
  const isKnown = isWhole ? state === "pending" : state !== undefined && state !== "dropped";
  if (isKnown) return undefined;
  const text = message.textBlob === undefined ? message.text : `${message.text}${CUT_MARK}`;
  return { speaker: { kind: "user" }, text, seq: message.seq };
}

const CUT_MARK = " […]";

/** From the newest back while they fit; the newest is truncated rather than omitted. */
function newest(entries: readonly Entry[], bytesMax: number): readonly Entry[] {
  let bytes = 0;
  let from = entries.length;
  while (from > 0) {
    bytes += encodedBytes(entries[from - 1]?.text ?? "");
    if (bytes > bytesMax) break;
    from -= 1;
  }
  const last = entries.at(-1);
  if (from < entries.length || last === undefined) return entries.slice(from);
  return [{ ...last, text: `${beginningOf(last.text, bytesMax - CUT_MARK.length)}${CUT_MARK}` }];
}

function summaryOf(omitted: readonly Entry[], older: number): LeftOut {
  const counts = new Map<string | undefined, number>();
  for (const { speaker } of omitted) {
    const name = speaker.kind === "user" ? undefined : speaker.name;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const shown =
    omitted.length <= LEFT_OUT_LINES_MAX ? omitted : [...omitted.slice(0, 1), ...omitted.slice(1 - LEFT_OUT_LINES_MAX)];
  return {
    entries: omitted.length,
    older,
    bySpeaker: [...counts].map(([name, entries]) => ({ name, entries })),
    firstLines: shown.map(({ speaker, text }) => ({ speaker, text: firstLine(text) })),
  };
}

function firstLine(text: string): string {
  const line = text.trimStart().split(/[\n\r\v\f\u0085\u2028\u2029]/, 1)[0] ?? "";
  return line.length <= LEFT_OUT_LINE_CHARS_MAX ? line : `${line.slice(0, LEFT_OUT_LINE_CHARS_MAX)}…`;
}

/**
 * Texts that the user pinned, in the order of pinning, for a member whose older turns were compacted. Unreadable ones
 * are omitted; never rejects.
 */
export async function pinnedTexts(state: SessionState): Promise<Pinned[]> {
  const { transcript, log } = state.ledger;
  const wanted = new Set(transcript.head.pinned);
  const pinnedById = new Map<string, Pinned>();
  for await (const message of allMessages(transcript, (index) => log.snapshots.page(index))) {
    if (pinnedById.size === wanted.size) break;
    const id = idOf(message);
    if (id === undefined || !wanted.has(id)) continue;
    const pinned = await pinnedOf(state, message);
    if (pinned !== undefined) pinnedById.set(id, pinned);
  }
  return transcript.head.pinned.flatMap((id) => pinnedById.get(id) ?? []);
}

/** Newest first; a page that is not in memory is read from the snapshot. */
async function* allMessages(
  { frozen, live }: Transcript,
  read: (index: number) => Promise<unknown>,
): AsyncGenerator<Message, void, void> {
  for (const page of live.toReversed()) yield* page.messages.toReversed();
  for (let index = frozen.length - 1; index >= 0; index -= 1) {
    const page = frozen[index] ?? ((await read(index).catch(() => undefined)) as Page | undefined);
    yield* page?.messages.toReversed() ?? [];
  }
}

function idOf(message: Message): string | undefined {
  if (message.kind === "user") return message.messageId;
  return message.kind === "turn" ? message.turnId : undefined;
}

async function pinnedOf({ ledger }: SessionState, message: Message): Promise<Pinned | undefined> {
  if (message.kind === "turn") return { id: message.turnId, by: message.member, text: turnText(message) };
  if (message.kind !== "user") return undefined;
  const text = await loadText(ledger.log.blobs, message).catch(() => message.text);
  return { id: message.messageId, by: undefined, text };
}
