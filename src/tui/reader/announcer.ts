/**
 * Turns pictures of a session into announcements, each of them once. What a turn said is announced when the turn has
 * ended, so turns come in the order of their ends, live and from the log alike; what members do meanwhile is said as
 * soon as it is done.
 */
import { keyedBlocks, messageAt, messagesBetween, eventLine, isQuietTurn } from "../../transcript/index.ts";
import type { KeyedBlock, Notice, Transcript, TurnMessage, UserMessage } from "../../transcript/index.ts";
import { authorOf, isKnownEvent, type SeenAs } from "../../protocol/index.ts";
import { pauseReason } from "../panels/notice-panel.ts";
import { sentence, spokenList } from "./format-session.ts";
import type { LineOutput } from "./terminal-lines.ts";
import {
  formatTurnStart,
  formatBlock,
  formatTurnEnd,
  formatPlan,
  quietLine,
  speakerOf,
  spokenText,
} from "./turn-announcements.ts";

export interface AnnouncerOptions {
  readonly lines: LineOutput;
  /** Messages before this position are not announced. */
  readonly fromPosition: number;
  /** As whom the session is read, on a team's server. */
  readonly seenAs?: () => SeenAs | undefined;
  /** The user already knows it, since it was done here. */
  readonly isKnown: (message: { readonly clientId?: string | undefined; readonly position: number }) => boolean;
}

interface Following {
  readonly turnId: string;
  readonly position: number;
  readonly announcedBlocks: Set<string>;
}

interface Announcement {
  readonly seq: number;
  readonly speak: () => void;
}

export class Announcer {
  readonly #options: AnnouncerOptions;
  #nextPosition: number;
  /** Only turns that answer the latest message can still be replaced. */
  #scanFrom: number;
  #turnCount = -1;
  #queued: ReadonlySet<string> = new Set();
  readonly #following = new Map<string, Following>();
  /** With their positions, as far back as turns are searched. */
  readonly #ended = new Map<string, number>();

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#nextPosition = options.fromPosition;
    this.#scanFrom = options.fromPosition;
  }

  show(transcript: Transcript): void {
    const due = [...this.#newMessages(transcript), ...this.#newTurns(transcript), ...this.#ends(transcript)];
    for (const { speak } of due.sort((a, b) => a.seq - b.seq)) speak();
    for (const one of this.#following.values()) {
      const turn = transcript.head.openTurns[one.turnId];
      if (turn !== undefined) this.#announceBlocks(turn, one);
    }
    this.#queued = new Set(transcript.head.queue.map(({ messageId }) => messageId));
  }

  #newMessages(transcript: Transcript): Announcement[] {
    const { messageCount } = transcript.head;
    const messages = messagesBetween(transcript, this.#nextPosition, messageCount);
    this.#nextPosition = Math.max(this.#nextPosition, messageCount);
    return messages.flatMap((message) => {
      if (message === undefined || message.kind === "turn") return [];
      const speak = () => (message.kind === "user" ? this.#announceUser(message) : this.#announceNotice(message));
      return [{ seq: message.seq, speak }];
    });
  }

  /** A retry has the position of the turn it replaces, so positions are checked again when a turn starts. */
  #newTurns(transcript: Transcript): Announcement[] {
    const { head } = transcript;
    if (head.turnCount === this.#turnCount) return [];
    this.#turnCount = head.turnCount;
    const from = this.#scanFrom;
    this.#scanFrom = Math.max(from, head.latestUser?.position ?? 0);
    const begun = messagesBetween(transcript, from, head.messageCount).flatMap((turn) => {
      if (turn?.kind !== "turn" || this.#following.has(turn.turnId) || this.#ended.has(turn.turnId)) return [];
      this.#following.set(turn.turnId, { turnId: turn.turnId, position: turn.position, announcedBlocks: new Set() });
      return [{ seq: turn.seq, speak: () => this.#options.lines.write(formatTurnStart(turn, transcript)) }];
    });
    for (const [turnId, at] of this.#ended) if (at < this.#scanFrom) this.#ended.delete(turnId);
    return begun;
  }

  #ends(transcript: Transcript): Announcement[] {
    return [...this.#following.values()].flatMap((one) => {
      if (transcript.head.openTurns[one.turnId] !== undefined) return [];
      this.#following.delete(one.turnId);
      this.#ended.set(one.turnId, one.position);
      const turn = messageAt(transcript, one.position);
      // Replaced by a retry, which is announced itself.
      if (turn?.kind !== "turn" || turn.turnId !== one.turnId || turn.end === undefined) return [];
      return [{ seq: turn.end.seq, speak: () => this.#announceEnd(turn, one) }];
    });
  }

  #announceBlocks(turn: TurnMessage, { announcedBlocks }: Following): void {
    for (const { key, block } of inOrderOfEnds(keyedBlocks(turn.blocks))) {
      if (announcedBlocks.has(key)) continue;
      const text = formatBlock(turn, block, this.#options.seenAs?.());
      if (text === undefined) continue;
      announcedBlocks.add(key);
      this.#options.lines.write(text);
    }
  }

  #announceEnd(turn: TurnMessage, one: Following): void {
    this.#announceBlocks(turn, one);
    if (isQuietTurn(turn)) this.#options.lines.write(quietLine(turn));
    else announceClosing(turn, this.#options.lines);
  }

  #announceUser(message: UserMessage): void {
    const { lines, isKnown } = this.#options;
    const wasQueued = this.#queued.has(message.messageId);
    if (isKnown(message) && !wasQueued) return;
    const to = message.toAll ? "everyone" : spokenList(message.to);
    const author = authorOf(message.clientId, this.#options.seenAs?.()) ?? "You";
    lines.write(wasQueued ? `A message from the queue goes to ${to}:` : `${author} wrote to ${to}:`);
    lines.quote(message.text);
    const files = message.attachments.map(({ name }) => name);
    if (files.length > 0) lines.write(`Attached: ${files.join(", ")}.`);
  }

  #announceNotice({ event, position }: Notice): void {
    const { lines, isKnown } = this.#options;
    // Each ended turn announces it.
    if (event.type === "output_cancelled") return;
    if (isKnownEvent(event) && event.type === "minutes") {
      lines.write(`Minutes, ${event.by === undefined ? "assembled" : `by ${event.by}`}:`);
      return lines.quote(event.text);
    }
    if (isKnownEvent(event) && event.type === "council_paused") {
      lines.write(sentence(`Paused, ${pauseReason(event)}: ${event.message}`));
      if (!event.message.includes("/continue")) lines.write("/continue goes on.");
      return;
    }
    // The command that did it has announced the result.
    if (isKnownEvent(event) && event.type === "permission_revoked" && isKnown({ ...event, position })) return;
    const kind =
      event.type === "warning" ? "Warning: " : event.type === "error" || event.type === "damage" ? "Error: " : "";
    lines.write(sentence(`${kind || "Note: "}${eventLine(event)}`));
  }
}

function announceClosing(turn: TurnMessage, lines: LineOutput): void {
  const text = spokenText(turn);
  if (text !== "") {
    lines.write(`${speakerOf(turn)} says:`);
    lines.quote(text);
  }
  for (const text of [...formatPlan(turn), ...formatTurnEnd(turn)]) lines.write(text);
}

/** Reads a whole turn again in the same wording. */
export function readTurn(turn: TurnMessage, transcript: Transcript, lines: LineOutput, seenAs?: SeenAs): void {
  lines.write(formatTurnStart(turn, transcript));
  for (const { block } of inOrderOfEnds(keyedBlocks(turn.blocks))) {
    const text = formatBlock(turn, block, seenAs);
    if (text !== undefined) lines.write(text);
  }
  announceClosing(turn, lines);
}

/** Parallel tools were announced as they ended; a turn read later has them in the same order. */
function inOrderOfEnds(blocks: readonly KeyedBlock[]): KeyedBlock[] {
  const ordered: KeyedBlock[] = [];
  let from = 0;
  for (const one of blocks) {
    if (one.block.kind !== "tool") from = ordered.length + 1;
    let at = ordered.length;
    while (at > from && endOf(ordered[at - 1]) > endOf(one)) at -= 1;
    ordered.splice(at, 0, one);
  }
  return ordered;
}

function endOf(one: KeyedBlock | undefined): number {
  return one?.block.kind === "tool" ? (one.block.endSeq ?? Infinity) : -Infinity;
}
