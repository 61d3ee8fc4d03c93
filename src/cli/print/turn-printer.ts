/**
 * Prints one turn incrementally.
 * Blocks are printed strictly in order: a running tool holds back what follows, so live and replay give the same text.
 */
import { keyedBlocks, type Block, type KeyedBlock, type TurnMessage } from "../../transcript/index.ts";
import type { Style } from "../terminal/colours.ts";
import { closingLines, endLines, isClosed, openingLines, planLines, type BlockLine } from "./block-lines.ts";
import type { LineWriter } from "./line-writer.ts";
import { SPEAKER_MARK } from "./line-writer.ts";

export class TurnPrinter {
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
