/**
 * What a member has missed: what others said and the user asked of others since the member was last given anything.
 * Promises: nobody hears their own words, a message they are asked themselves, or the same thing twice; only what is in
 * memory is told, the newest HEARD_BYTES_MAX of it, and how many older entries were left out.
 */
import type { Heard } from "../agents/index.ts";
import {
  deliveriesOf,
  turnText,
  type Message,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../transcript/index.ts";
import { beginningOf, encodedBytes } from "./encoded-size.ts";
import { HEARD_BYTES_MAX } from "./limits.ts";

export interface Missed {
  /** Oldest first. */
  readonly heard: readonly Heard[];
  readonly cut: number;
  /** The newest seq among the entries, the ones left out too; 0 when there are none. */
  readonly toSeq: number;
}

interface Entry extends Heard {
  readonly seq: number;
}

export interface Asking {
  readonly member: string;
  /** What the member is asked in this turn. */
  readonly messages: readonly { readonly messageId: string }[];
  readonly replaces?: string;
}

/** Must be called before the turn opens. A retry hears what the turn it replaces has heard, and nothing since. */
export function missedBy(transcript: Transcript, { member, messages: asked, replaces }: Asking): Missed {
  const isAsked = (one: Message) => one.kind === "user" && asked.some(({ messageId }) => messageId === one.messageId);
  const messages = [...inMemory(transcript)].filter((message) => !isAsked(message));
  const window = replaces === undefined ? sinceLast(transcript, member) : asBefore(messages, member, replaces);
  const fromSeq = Math.max(window.afterSeq, transcript.head.clearedSeq);
  const entries = messages
    .map((message) => toEntry(transcript, message, member))
    .filter((entry) => entry !== undefined)
    .filter(({ seq }) => seq > fromSeq && seq < window.beforeSeq)
    .sort((a, b) => a.seq - b.seq);
  const kept = newest(entries);
  return {
    heard: kept.map(({ speaker, text }) => ({ speaker, text })),
    cut: entries.length - kept.length,
    toSeq: entries.at(-1)?.seq ?? 0,
  };
}

/** Live pages, and the frozen ones directly before them as far as they are in memory. */
function* inMemory({ frozen, live }: Transcript): Generator<Message, void, void> {
  const gap = frozen.lastIndexOf(undefined);
  for (const page of [...frozen.slice(gap + 1), ...live]) yield* page?.messages ?? [];
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
  return { afterSeq: Math.max(0, ...earlier), beforeSeq };
}

function toEntry(transcript: Transcript, message: Message, member: string): Entry | undefined {
  if (message.kind === "turn") return fromTurn(message, member);
  return message.kind === "user" ? fromUser(transcript, message, member) : undefined;
}

/** What a subagent says is for the member that sent it. */
function fromTurn(turn: TurnMessage, member: string): Entry | undefined {
  if (turn.end === undefined || turn.member === member || turn.depth > 0) return undefined;
  const text = turnText(turn);
  if (text.trim() === "") return undefined;
  return { speaker: { kind: "member", name: turn.member }, text, seq: turn.end.seq };
}

/** A message that was or will be asked of the member itself is not hearsay to it. */
function fromUser({ head }: Transcript, message: UserMessage, member: string): Entry | undefined {
  const deliveries = deliveriesOf(head, message);
  const state = Object.hasOwn(deliveries, member) ? deliveries[member]?.state : undefined;
  if (state !== undefined && state !== "dropped") return undefined;
  const text = message.textBlob === undefined ? message.text : `${message.text}${CUT_MARK}`;
  return { speaker: { kind: "user" }, text, seq: message.seq };
}

const CUT_MARK = " […]";

/** From the newest back, as long as they fit; the very newest is shortened rather than left out. */
function newest(entries: readonly Entry[]): readonly Entry[] {
  let bytes = 0;
  let from = entries.length;
  while (from > 0) {
    bytes += encodedBytes(entries[from - 1]?.text ?? "");
    if (bytes > HEARD_BYTES_MAX) break;
    from -= 1;
  }
  const last = entries.at(-1);
  if (from < entries.length || last === undefined) return entries.slice(from);
  return [{ ...last, text: `${beginningOf(last.text, HEARD_BYTES_MAX - CUT_MARK.length)}${CUT_MARK}` }];
}
