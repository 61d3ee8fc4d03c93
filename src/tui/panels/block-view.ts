/** One block of a turn. Renders again only when block, settings, theme or width changed. */
import type { Block } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";
import type { PanelContext, ViewSettings } from "./panel.ts";

export interface BlockView {
  update(block: Block, context: PanelContext): void;
  /** The array may be reused by the next call. */
  render(width: number): readonly string[];
  /** False when there is nothing to expand or collapse. */
  toggle(): boolean;
  /** Expands or collapses it; false when that changes nothing. */
  setOpen(isOpen: boolean): boolean;
  invalidate(): void;
}

export interface DrawOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly isOpen: boolean;
  readonly context: PanelContext;
}

/** A block rendered by a pure function, as most are. */
export interface BlockDrawing<Kind extends Block> {
  /** Further inputs of the rendering; compared by identity. */
  readonly dependsOn?: (context: PanelContext, block: Kind) => unknown;
  readonly canToggle: (block: Kind) => boolean;
  readonly draw: (block: Kind, options: DrawOptions) => string[];
}

export class DrawnBlock<Kind extends Block> implements BlockView {
  readonly #drawing: BlockDrawing<Kind>;
  #block: Kind;
  #context: PanelContext;
  #settings: ViewSettings;
  #dependsOn: unknown;
  /** The user's choice for this block; settings apply until then. */
  #chosen: boolean | undefined;
  #rows: readonly string[] | undefined;
  #width = 0;

  constructor(drawing: BlockDrawing<Kind>, block: Kind, context: PanelContext) {
    this.#drawing = drawing;
    this.#block = block;
    this.#context = context;
    this.#settings = context.settings;
    this.#dependsOn = drawing.dependsOn?.(context, block);
  }

  update(block: Block, context: PanelContext): void {
    const dependsOn = this.#drawing.dependsOn?.(context, block as Kind);
    const isSame =
      block === this.#block &&
      context.settings === this.#settings &&
      context.theme === this.#context.theme &&
      dependsOn === this.#dependsOn;
    if (context.settings.isExpanded !== this.#settings.isExpanded) this.#chosen = undefined;
    this.#block = block as Kind;
    this.#context = context;
    this.#settings = context.settings;
    this.#dependsOn = dependsOn;
    if (!isSame) this.#rows = undefined;
  }

  render(width: number): readonly string[] {
    if (this.#rows !== undefined && this.#width === width) return this.#rows;
    const isOpen = this.#chosen ?? this.#settings.isExpanded;
    this.#width = width;
    this.#rows = this.#drawing.draw(this.#block, { theme: this.#context.theme, width, isOpen, context: this.#context });
    return this.#rows;
  }

  toggle(): boolean {
    if (!this.#drawing.canToggle(this.#block)) return false;
    this.#chosen = !(this.#chosen ?? this.#settings.isExpanded);
    this.#rows = undefined;
    return true;
  }

  setOpen(isOpen: boolean): boolean {
    return isOpen !== (this.#chosen ?? this.#settings.isExpanded) && this.toggle();
  }

  invalidate(): void {
    this.#rows = undefined;
  }
}
