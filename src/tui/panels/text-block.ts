/** Text and thinking of a member. Text is Markdown while it streams, or raw. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { type Block, formatRunningTime, formatWorkTime } from "../../transcript/index.ts";
import { TEXT_WIDTH_MAX } from "../markdown/block-rows.ts";
import { GrowingLines } from "../markdown/growing-rows.ts";
import { createIncrementalMarkdown, type IncrementalMarkdown } from "../markdown/incremental-markdown.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { BlockView } from "./block-view.ts";
import type { PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";
import { spinnerOf } from "./turn-header.ts";

type TextBlock = Extract<Block, { kind: "text" }>;

export class TextView implements BlockView {
  #theme: Theme | undefined;
  #isRaw: boolean | undefined;
  #isCut = false;
  #firstCode = 1;
  #shown: IncrementalMarkdown | GrowingLines | undefined;
  #block: TextBlock | undefined;
  #isEnded = false;

  constructor(block: Block, context: PanelContext) {
    this.update(block, context);
  }

  /** An ended turn gets no more text, even if its last segment was never closed. */
  update(block: Block, context: PanelContext): void {
    const { theme, settings, transcript } = context;
    const isCut = context.column !== undefined;
    const firstCode = context.turn?.firstCode ?? 1;
    const isSameStyle = theme === this.#theme && settings.isRaw === this.#isRaw && this.#shown !== undefined;
    if (!isSameStyle || isCut !== this.#isCut || firstCode !== this.#firstCode) {
      this.#theme = theme;
      this.#isRaw = settings.isRaw;
      this.#isCut = isCut;
      this.#firstCode = firstCode;
      const { cwd } = transcript.head;
      this.#shown = settings.isRaw ? new GrowingLines() : createIncrementalMarkdown({ theme, isCut, firstCode, cwd });
    } else if (block === this.#block) return;
    this.#block = block as TextBlock;
    this.#setText();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#setText();
  }

  render(width: number): readonly string[] {
    return this.#shown?.render(width) ?? [];
  }

  toggle(): boolean {
    return false;
  }

  setOpen(): boolean {
    return false;
  }

  invalidate(): void {
    this.#theme = undefined;
  }

  #setText(): void {
    if (this.#block === undefined) return;
    const isDone = this.#isEnded || this.#block.done;
    if (this.#shown instanceof GrowingLines) this.#shown.setText(this.#block.text);
    else this.#shown?.setText(this.#block.text, { isDone });
  }
}

/** Thinking: its newest rows while it goes on, then one row with its time, and all of it when unfolded. */
type ThinkingBlock = Extract<Block, { kind: "thinking" }>;

const LIVE_ROWS = 3;

/** The end of a long thought is enough for its newest rows. */
const LIVE_CHARS_MAX = 2000;

export class ThinkingView implements BlockView {
  #context: PanelContext;
  #lines: GrowingLines;
  #block: ThinkingBlock;
  /** The user's choice for this block. */
  #chosen: boolean | undefined;

  constructor(block: Block, context: PanelContext) {
    this.#context = context;
    this.#block = block as ThinkingBlock;
    this.#lines = linesOf(context.theme);
  }

  update(block: Block, context: PanelContext): void {
    const before = this.#context;
    if (context.theme !== before.theme) this.#lines = linesOf(context.theme);
    if (context.settings.thinking !== before.settings.thinking) this.#chosen = undefined;
    this.#context = context;
    this.#block = block as ThinkingBlock;
  }

  render(width: number): readonly string[] {
    const { theme, settings } = this.#context;
    if (settings.thinking === "hidden" || this.#block.text.trim() === "") return [];
    const isOpen = this.#chosen ?? settings.isExpanded;
    if (!isOpen && !this.#block.done) return this.#liveRows(width);
    const { startTs, endTs } = this.#block;
    const took = startTs === undefined || endTs === undefined ? "" : ` for ${formatWorkTime(endTs - startTs)}`;
    const head = `${theme.glyph("thinking")} ${this.#block.done ? `thought${took}` : "thinking"}`;
    const rows = [oneRow(theme.paint("quiet", head), width)];
    if (!isOpen) return rows;
    this.#lines.setText(this.#block.text);
    for (const row of this.#lines.render(Math.max(1, Math.min(width, TEXT_WIDTH_MAX) - 2)))
      rows.push(closeRow(row === "" ? "" : `  ${row}`, width));
    return rows;
  }

  /** One row with its time; its newest rows in a column, and where the user wants to follow it. */
  #liveRows(width: number): readonly string[] {
    const context = this.#context;
    const { theme, settings, now } = context;
    const paragraph =
      this.#block.text
        .slice(-LIVE_CHARS_MAX)
        .trimEnd()
        .split(/\n\s*\n/)
        .at(-1) ?? "";
    const text = `${theme.glyph("thinking")} ${terminalSafeLine(paragraph)}${theme.glyph("more")}`;
    const paint = (row: string) => closeRow(theme.paint("quiet", theme.decorate("italic", row)), width);
    if (settings.thinking === "dim" || context.column !== undefined)
      return wordRows(text, Math.min(width, TEXT_WIDTH_MAX)).slice(-LIVE_ROWS).map(paint);
    const spinner = spinnerOf(context, context.turn?.member ?? "");
    const { startTs } = this.#block;
    const time = startTs === undefined ? "" : theme.paint("quiet", formatRunningTime(now - startTs));
    const how = `  ${spinner === "" ? "" : `${spinner} `}${time}`;
    const room = Math.max(1, width - visibleWidth(how));
    return [closeRow(`${theme.paint("quiet", theme.decorate("italic", oneRow(text, room)))}${how}`, width)];
  }

  toggle(): boolean {
    if (this.#context.settings.thinking === "hidden") return false;
    this.#chosen = !(this.#chosen ?? this.#context.settings.isExpanded);
    return true;
  }

  setOpen(isOpen: boolean): boolean {
    return isOpen !== (this.#chosen ?? this.#context.settings.isExpanded) && this.toggle();
  }

  invalidate(): void {
    this.#lines = linesOf(this.#context.theme);
  }
}

function linesOf(theme: Theme): GrowingLines {
  return new GrowingLines((row) => theme.paint("quiet", theme.decorate("italic", row)));
}
