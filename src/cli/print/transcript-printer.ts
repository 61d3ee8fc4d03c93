/**
 * Prints a transcript as text, with the same output live and from the log.
 *
 * The floor: one turn streams at a time. The first turn with output holds the floor until it ends; output of the others
 * is held back and follows as a whole, in transcript order. So concurrent answers are never interleaved.
 */
import {
  isQuietTurn,
  NOTHING_CHARS_MAX,
  formatQuietRun,
  turnText,
  keyedBlocks,
  type Block,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
  type KeyedBlock,
} from "../../transcript/index.ts";
import { authorOf, type SeenAs } from "../../protocol/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Style } from "../terminal/colours.ts";
import { LineWriter, SPEAKER_MARK } from "./line-writer.ts";
import {
  noticeLine,
  closingLines,
  endLines,
  isClosed,
  openingLines,
  planLines,
  type BlockLine,
} from "./block-lines.ts";

export interface PrinterOptions {
  write: (text: string) => void;
  style: Style;
  /** Selects the messages to print. */
  wants: (message: ShownMessage) => boolean;
  /** As whom the session is read, on a team's server. */
  seenAs?: SeenAs | undefined;
  /** Skips messages before this position; for a session joined late. */
  fromPosition?: number;
}

export class TranscriptPrinter {
  readonly #writer: LineWriter;
  readonly #options: PrinterOptions;
  readonly #done = new Set<string>();
  /** Frozen pages before this one are printed and never change. */
  #firstPage = 0;
  #floor: { key: string; printer: TurnPrinter } | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#writer = new LineWriter(options.write);
  }

  /** Prints what is new and not held back. */
  show(transcript: Transcript): void {
    const waiting = this.#waiting(transcript);
    for (let next = this.#next(waiting); next !== undefined; next = this.#next(waiting)) {
      if (!this.#print(next, transcript)) return;
      waiting.splice(waiting.indexOf(next), 1);
    }
  }

  /** Prints everything left, including open turns. Must be the last call. */
  finish(transcript: Transcript): void {
    this.show(transcript);
    if (this.#floor !== undefined) this.#leaveOpen(this.#floor.key);
    for (const message of this.#waiting(transcript)) {
      if (!this.#print(message, transcript)) this.#leaveOpen(keyOf(message));
    }
  }

  #leaveOpen(key: string): void {
    this.#writer.line("[still running]", this.#options.style.dim);
    this.#floor = undefined;
    this.#done.add(key);
  }

  #next(waiting: readonly ShownMessage[]): ShownMessage | undefined {
    const floor = this.#floor;
    if (floor === undefined) return waiting.find(isReady);
    const holder = waiting.find((message) => keyOf(message) === floor.key);
    if (holder !== undefined) return holder;
    // The turn that held the floor was replaced by a retry.
    this.#leaveReplaced(floor.key);
    return waiting.find(isReady);
  }

  #leaveReplaced(key: string): void {
    this.#writer.line("[replaced by a retry]", this.#options.style.dim);
    this.#floor = undefined;
    this.#done.add(key);
  }

  #print(message: ShownMessage, transcript: Transcript): boolean {
    const isPrinted = message.kind === "turn" ? this.#printTurn(message, transcript) : this.#printOther(message);
    if (!isPrinted) return false;
    this.#floor = undefined;
    this.#done.add(keyOf(message));
    return true;
  }

  #printTurn(turn: TurnMessage, transcript: Transcript): boolean {
    const key = keyOf(turn);
    if (this.#floor?.key !== key && isQuietTurn(turn) && mayBeQuiet(turn)) {
      this.#writer.line(`— ${formatQuietRun([turn])} (round ${turn.round})`, this.#options.style.dim);
      return true;
    }
    if (this.#floor?.key !== key) {
      const colour = transcript.head.members[turn.member]?.spec.color;
      this.#floor = { key, printer: new TurnPrinter(this.#writer, this.#options.style, colour) };
    }
    return this.#floor.printer.print(turn);
  }

  #printOther(message: Exclude<ShownMessage, TurnMessage>): true {
    const { style, seenAs } = this.#options;
    if (message.kind === "user") {
      const to = message.toAll ? "" : ` → ${message.to.map((name) => `@${name}`).join(" ")}`;
      const who = terminalSafeLine(authorOf(message.clientId, seenAs) ?? "you");
      this.#writer.header(style.strong(`${SPEAKER_MARK} ${who}`) + style.dim(terminalSafeLine(to)));
      this.#writer.body(message.text);
      this.#writer.endBody();
      const names = message.attachments.map((one) => one.name);
      if (names.length > 0) this.#writer.line(`· attached: ${names.join(", ")}`, style.dim);
    } else {
      const notice = noticeLine(message.event);
      this.#writer.line(`— ${notice.text}`, notice.isImportant ? style.bad : style.dim);
    }
    return true;
  }

  /** Messages still to print, in order; pages not in memory are skipped. */
  #waiting(transcript: Transcript): ShownMessage[] {
    const waiting: ShownMessage[] = [];
    for (const page of [...transcript.frozen.slice(this.#firstPage), ...transcript.live]) {
      const before = waiting.length;
      for (const message of page?.messages ?? []) {
        const shown = message.kind === "open-turn" ? transcript.head.openTurns[message.turnId] : message;
        if (shown !== undefined && this.#isWaiting(shown)) waiting.push(shown);
      }
      const isFrozen = page !== undefined && page.index === this.#firstPage && page.index < transcript.frozen.length;
      if (isFrozen && waiting.length === 0 && before === 0) this.#firstPage += 1;
    }
    return waiting;
  }

  #isWaiting(message: ShownMessage): boolean {
    const { fromPosition = 0, wants } = this.#options;
    return message.position >= fromPosition && !this.#done.has(keyOf(message)) && wants(message);
  }
}

function keyOf(message: ShownMessage): string {
  return message.kind === "turn" ? message.turnId : String(message.position);
}

function isReady(message: ShownMessage): boolean {
  if (message.kind !== "turn" || message.end !== undefined) return true;
  const shown = message.blocks.filter((block) => block.kind !== "thinking" && block.kind !== "plan");
  return shown.length > 0 && !mayBeQuiet(message);
}

/** A turn with more calls than this is printed at once. */
const READS_HELD_MAX = 3;

/**
 * Holds back short, read-only turns of later rounds, which may turn out to add nothing: printed text cannot be
 * withdrawn.
 */
function mayBeQuiet(turn: TurnMessage): boolean {
  if ((turn.round ?? 1) < 2 || turn.depth > 0) return false;
  const others = turn.blocks.filter(({ kind }) => kind !== "text" && kind !== "thinking");
  return (
    others.length <= READS_HELD_MAX && others.every(isReadOnlyCall) && turnText(turn).trim().length <= NOTHING_CHARS_MAX
  );
}

function isReadOnlyCall(block: Block): boolean {
  return block.kind === "tool" && (block.toolKind === "read" || block.toolKind === "search");
}

/**
 * Prints one turn incrementally.
 * Blocks are printed strictly in order: a running tool holds back what follows, so live and replay give the same text.
 */
class TurnPrinter {
  readonly #writer: LineWriter;
  readonly #style: Style;
  readonly #colour: string | undefined;
  /** Completely printed blocks, by key; a count would break when a retraction removes blocks. */
  readonly #finished = new Set<string>();
  #current: { key: string; text: string } | undefined;
  #hasHeader = false;
  #hasSpoken = false;

  constructor(writer: LineWriter, style: Style, colour: string | undefined) {
    this.#writer = writer;
    this.#style = style;
    this.#colour = colour;
  }

  /** Returns true when the turn has ended and is completely printed. */
  print(turn: TurnMessage): boolean {
    if (!this.#hasHeader) {
      this.#writer.header(
        this.#style.member(turn.member, `${SPEAKER_MARK} ${turn.member}`, this.#colour) + suffix(turn),
      );
      this.#hasHeader = true;
    }
    // Thinking is not printed.
    const keyed = keyedBlocks(turn.blocks).filter(({ block }) => block.kind !== "thinking");
    this.#noticeRetraction(keyed);
    for (const { key, block } of keyed) {
      if (this.#finished.has(key)) continue;
      if (!this.#printBlock(key, block, turn.end !== undefined)) return false;
    }
    if (turn.end === undefined) return false;
    this.#lines(planLines(turn.blocks));
    this.#lines(endLines(turn, this.#hasSpoken));
    this.#writer.endBody();
    return true;
  }

  /** Returns true when the block is completely printed. */
  #printBlock(key: string, block: Block, isLast: boolean): boolean {
    if (block.kind === "text") return this.#printText(key, block.text, block.done || isLast);
    if (this.#current?.key !== key) {
      this.#current = { key, text: "" };
      this.#lines(openingLines(block));
    }
    if (!isClosed(block) && !isLast) return false;
    this.#lines(closingLines(block));
    return this.#finish(key);
  }

  #printText(key: string, text: string, isDone: boolean): boolean {
    const printed = this.#current?.key === key ? this.#current.text : "";
    if (text.startsWith(printed)) {
      this.#writer.body(text.slice(printed.length));
    } else {
      this.#printRetracted();
      this.#writer.body(text);
    }
    this.#current = { key, text };
    if (text.trim() !== "") this.#hasSpoken = true;
    if (!isDone) return false;
    this.#writer.endBody();
    return this.#finish(key);
  }

  #finish(key: string): true {
    this.#finished.add(key);
    this.#current = undefined;
    return true;
  }

  /** Printed text cannot be withdrawn, so a line marks it as retracted. */
  #noticeRetraction(keyed: readonly KeyedBlock[]): void {
    const current = this.#current;
    if (current === undefined || keyed.some(({ key }) => key === current.key)) return;
    this.#current = undefined;
    if (current.text !== "") this.#printRetracted();
  }

  #printRetracted(): void {
    this.#lines([{ text: "[retracted by the agent; restarting this part]", tone: "quiet" }]);
  }

  #lines(lines: readonly BlockLine[]): void {
    for (const { text, tone } of lines) {
      this.#writer.line(text, tone === "bad" ? this.#style.bad : this.#style.dim);
      this.#hasSpoken ||= tone === "bad";
    }
  }
}

function suffix(turn: TurnMessage): string {
  const facts = [
    ...(turn.depth > 0 ? ["subagent"] : []),
    ...((turn.round ?? 1) > 1 ? [`round ${turn.round}`] : []),
    ...(turn.replaced.length > 0 ? ["retry"] : []),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}
