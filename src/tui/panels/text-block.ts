/** Text and thinking of a member. Text is Markdown while it streams, or raw. */
import type { Block } from "../../transcript/index.ts";
import { GrowingLines } from "../markdown/growing-rows.ts";
import { createIncrementalMarkdown, type IncrementalMarkdown } from "../markdown/incremental-markdown.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import type { BlockView } from "./block-view.ts";
import { plural } from "./format.ts";
import type { PanelContext } from "./panel.ts";

type TextBlock = Extract<Block, { kind: "text" }>;

export class TextView implements BlockView {
  #theme: Theme | undefined;
  #isRaw: boolean | undefined;
  #shown: IncrementalMarkdown | GrowingLines | undefined;
  #block: TextBlock | undefined;
  #isEnded = false;

  constructor(block: Block, context: PanelContext) {
    this.update(block, context);
  }

  /** An ended turn gets no more text, even if its last segment was never closed. */
  update(block: Block, context: PanelContext): void {
    const { theme, settings } = context;
    const isFresh = theme !== this.#theme || settings.isRaw !== this.#isRaw || this.#shown === undefined;
    if (isFresh) {
      this.#theme = theme;
      this.#isRaw = settings.isRaw;
      this.#shown = settings.isRaw ? new GrowingLines() : createIncrementalMarkdown({ theme });
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

/** Thinking: dim, folded to one row with its size, or hidden. */
type ThinkingBlock = Extract<Block, { kind: "thinking" }>;

export class ThinkingView implements BlockView {
  #theme: Theme;
  #how: PanelContext["settings"]["thinking"];
  #lines: GrowingLines;
  #block: ThinkingBlock;
  /** The user's choice for this block. */
  #chosen: boolean | undefined;

  constructor(block: Block, { theme, settings }: PanelContext) {
    this.#theme = theme;
    this.#how = settings.thinking;
    this.#block = block as ThinkingBlock;
    this.#lines = linesOf(theme);
  }

  update(block: Block, { theme, settings }: PanelContext): void {
    if (theme !== this.#theme) {
      this.#theme = theme;
      this.#lines = linesOf(theme);
    }
    if (settings.thinking !== this.#how) this.#chosen = undefined;
    this.#how = settings.thinking;
    this.#block = block as ThinkingBlock;
  }

  render(width: number): readonly string[] {
    if (this.#how === "hidden" || this.#block.text.trim() === "") return [];
    const isOpen = this.#chosen ?? this.#how === "dim";
    const mark = isOpen ? "▾" : "▸";
    const head = `${mark} ${this.#block.done ? "thought" : "thinking"} · ${plural(this.#block.text.length, "char")}`;
    const rows = [oneRow(this.#theme.paint("quiet", head), width)];
    if (!isOpen) return rows;
    this.#lines.setText(this.#block.text);
    for (const row of this.#lines.render(Math.max(1, width - 2)))
      rows.push(closeRow(row === "" ? "" : `  ${row}`, width));
    return rows;
  }

  toggle(): boolean {
    if (this.#how === "hidden") return false;
    this.#chosen = !(this.#chosen ?? this.#how === "dim");
    return true;
  }

  invalidate(): void {
    this.#lines = linesOf(this.#theme);
  }
}

function linesOf(theme: Theme): GrowingLines {
  return new GrowingLines((row) => theme.paint("quiet", row));
}
