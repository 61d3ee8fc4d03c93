/** What a member says: Markdown while it streams, or the text as it was written. */
import type { Block } from "../../transcript/index.ts";
import { GrowingLines } from "../markdown/growing-lines.ts";
import { createIncrementalMarkdown, type IncrementalMarkdown } from "../markdown/incremental-markdown.ts";
import type { Theme } from "../theme/theme.ts";
import type { BlockView } from "./block-view.ts";
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

  /** A turn that has ended says no more, whether or not its last segment was closed. */
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

  /** No more will come. */
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
