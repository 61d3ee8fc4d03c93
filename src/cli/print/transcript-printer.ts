/**
 * Prints a transcript as text, live or from the log: the same words either way.
 *
 * The floor: one member streams at a time. Whoever first has something to say takes the floor and keeps it until its
 * turn ends; what the others say meanwhile waits and follows whole, in the order of the transcript. So answers of
 * members that speak at the same time are never mixed within a line or a paragraph.
 */
import {
  isQuietTurn,
  NOTHING_CHARS_MAX,
  formatQuietRun,
  turnText,
  type Block,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Style } from "../terminal/colours.ts";
import { LineWriter, SPEAKER_MARK } from "./line-writer.ts";
import { noticeLine } from "./notice-lines.ts";
import { TurnPrinter } from "./turn-printer.ts";

export interface PrinterOptions {
  write: (text: string) => void;
  style: Style;
  /** Which messages to print at all. */
  wants: (message: ShownMessage) => boolean;
  /** Messages before this position are not looked at; for a session that is joined late. */
  fromPosition?: number;
}

export class TranscriptPrinter {
  readonly #writer: LineWriter;
  readonly #options: PrinterOptions;
  readonly #done = new Set<string>();
  /** Frozen pages before this one are done: they never change again. */
  #firstPage = 0;
  #floor: { key: string; printer: TurnPrinter } | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#writer = new LineWriter(options.write);
  }

  /** Prints what is new and may be printed now. */
  show(transcript: Transcript): void {
    const waiting = this.#waiting(transcript);
    for (let next = this.#next(waiting); next !== undefined; next = this.#next(waiting)) {
      if (!this.#print(next, transcript)) return;
      waiting.splice(waiting.indexOf(next), 1);
    }
  }

  /** Prints everything that is left as it stands, open turns too. Nothing may be shown after it. */
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
    // The turn that held the floor was replaced by a retry: it says no more.
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
    const { style } = this.#options;
    if (message.kind === "user") {
      const to = message.toAll ? "" : ` → ${message.to.map((name) => `@${name}`).join(" ")}`;
      this.#writer.header(style.strong(`${SPEAKER_MARK} you`) + style.dim(terminalSafeLine(to)));
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

  /** In order, without what is printed, unwanted or not in memory. */
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

/** More calls than this are news by themselves. */
const READS_HELD_MAX = 3;

/** A look and a few words in a later round are held until they add something: what is printed cannot be taken back. */
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
