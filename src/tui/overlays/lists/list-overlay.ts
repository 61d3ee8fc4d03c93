/**
 * The one list of the terminal app: focus, filter field, moving, paging, click, wheel and a note below. Items are read at
 * every drawing, so the list is never older than the session; the choice stays on its item when others come and go. Only
 * visible rows are laid out, so thousands of items cost no more than ten.
 */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { proseRows } from "../reading-rows.ts";
import { createLineField, type LineField } from "../safe-field.ts";
import { choiceByDigit, layOutChoices, listStep, moveChoice, type ShownChoice } from "./choice-rows.ts";

const NOTE_ROWS_MAX = 4;

export interface ListOverlayOptions<Item> {
  readonly title: string;
  readonly items: () => readonly Item[];
  /** Identity of an item across drawings. */
  readonly idOf: (item: Item) => unknown;
  readonly rows: ListRows<Item>;
  /** Shown when there are no items. */
  readonly empty: () => string;
  readonly hints: () => readonly string[];
  /** Upper right; defaults to the number of items. */
  readonly corner?: (() => string | undefined) | undefined;
  /** With a field, letters are typed into it and a click does what Enter does. */
  readonly field?: ListField | undefined;
  /** Digits choose and do what Enter does. */
  readonly hasDigits?: boolean;
  /** Index of the first choice. */
  readonly at?: number | undefined;
  /** True when the key was used. `item` is undefined in an empty list. */
  readonly onKey: (key: string, item: Item | undefined, list: ListControl) => boolean;
  readonly onClose: () => void;
}

export interface ListField {
  readonly placeholder: string;
  readonly text?: string | undefined;
  readonly onChange: (text: string, list: ListControl) => void;
  /** Rows between the field and the list. */
  readonly below?: ((width: number) => readonly string[]) | undefined;
}

/** Items as choices, or rows that the caller lays out itself. */
export type ListRows<Item> =
  | { readonly show: (item: Item, index: number, width: number) => ShownChoice }
  | { readonly layOut: (items: readonly Item[], area: ListArea) => LaidOutList };

export interface ListArea {
  readonly width: number;
  readonly height: number;
  readonly at: number;
}

export interface LaidOutList {
  readonly rows: readonly string[];
  readonly indexAt: (row: number) => number | undefined;
  /** How far PgUp and PgDn move. */
  readonly page: number;
}

/** The list as its keys and its owner change it. */
export interface ListControl {
  readonly at: number;
  choose(index: number): void;
  /** A sentence under the list until the next key; a warning by default. */
  note(text: string, tone?: "ask" | "ok"): void;
}

export function createListOverlay<Item>(
  surface: OverlaySurface,
  options: ListOverlayOptions<Item>,
): Overlay & ListControl {
  return new ListOverlay(surface, options);
}

function indented(row: string): string {
  return ` ${row}`;
}

class ListOverlay<Item> implements Overlay, ListControl {
  readonly #surface: OverlaySurface;
  readonly #options: ListOverlayOptions<Item>;
  readonly #field: LineField | undefined;
  #isFocused = false;
  #at = 0;
  #chosenId: unknown;
  #page = 1;
  #note: { readonly text: string; readonly tone: "ask" | "ok" } | undefined;
  #indexAt: (row: number) => number | undefined = () => undefined;

  constructor(surface: OverlaySurface, options: ListOverlayOptions<Item>) {
    this.#surface = surface;
    this.#options = options;
    const { field, at = 0 } = options;
    this.#field = field && createLineField(surface, { placeholder: field.placeholder });
    if (field?.text !== undefined) this.#field?.setText(field.text);
    this.choose(at);
  }

  get focused(): boolean {
    return this.#field?.focused ?? this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    if (this.#field !== undefined) this.#field.focused = isFocused;
  }

  get at(): number {
    return this.#at;
  }

  choose(index: number): void {
    this.#choose(this.#options.items(), index);
  }

  note(text: string, tone: "ask" | "ok" = "ask"): void {
    this.#note = { text, tone };
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    this.#note = undefined;
    if (key !== undefined && this.#handleKey(key)) return;
    this.#type(data);
  }

  #handleKey(key: string): boolean {
    const items = this.#settle();
    const hasLetters = this.#field === undefined;
    const digit = this.#options.hasDigits === true ? choiceByDigit(key, items.length) : undefined;
    if (digit !== undefined) {
      this.#choose(items, digit);
      return this.#options.onKey("enter", items[digit], this);
    }
    if (this.#options.onKey(key, items[this.#at], this)) return true;
    const page = key === "pageUp" ? -this.#page : key === "pageDown" ? this.#page : undefined;
    const step = page ?? listStep(key, { hasLetters });
    if (step !== undefined) this.#choose(items, this.#at + step);
    else if (key === "escape" || key === "ctrl+c" || (hasLetters && key === "q")) this.#options.onClose();
    else return false;
    return true;
  }

  #type(data: string): void {
    const field = this.#field;
    if (field === undefined) return;
    const before = field.text;
    field.handleInput(data);
    if (field.text !== before) this.#options.field?.onChange(field.text, this);
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    const items = this.#settle();
    if (event.type === "wheel") this.#choose(items, this.#at + Math.sign(event.wheelDelta ?? 0));
    else if (event.type === "click") this.#click(items, this.#indexAt(event.y - 1));
    else return undefined;
    return { handled: true, render: true };
  }

  #click(items: readonly Item[], index: number | undefined): void {
    if (index === undefined || items[index] === undefined) return;
    if (this.#field === undefined) this.#choose(items, index);
    else this.#options.onKey("enter", items[index], this);
  }

  /** The items as they are now, with the choice on the one it was on. */
  #settle(): readonly Item[] {
    const items = this.#options.items();
    const same = items.findIndex((item) => this.#options.idOf(item) === this.#chosenId);
    this.#choose(items, same === -1 ? this.#at : same);
    return items;
  }

  #choose(items: readonly Item[], index: number): void {
    this.#at = Math.max(0, moveChoice(index, 0, items.length));
    const item = items[this.#at];
    this.#chosenId = item === undefined ? undefined : this.#options.idOf(item);
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const { title, corner, hints } = this.#options;
    const inner = innerWidth(width);
    const items = this.#settle();
    const above = this.#field === undefined ? [] : this.#fieldRows(this.#field, inner);
    const below = this.#noteRows(inner);
    const height = rowsFor(this.#surface) - FRAME_ROWS - above.length - below.length;
    const { rows, indexAt, page } = this.#layOut(items, { width: inner, height, at: this.#at });
    this.#page = page;
    this.#indexAt = (row) => indexAt(row - above.length);
    const isEmpty = items.length === 0;
    return drawFrame({
      theme,
      width,
      title,
      corner: corner === undefined ? (isEmpty ? undefined : String(items.length)) : corner(),
      hasBands: true,
      rows: [
        ...above.map(indented),
        ...(isEmpty ? this.#emptyRows(inner).map(indented) : rows),
        ...below.map(indented),
      ],
      hints: isEmpty && this.#field === undefined ? ["Esc close"] : hints(),
    });
  }

  #fieldRows(field: LineField, width: number): string[] {
    return [field.row(width), ...(this.#options.field?.below?.(width) ?? [])];
  }

  #layOut(items: readonly Item[], { width, height, at }: ListArea): LaidOutList {
    const { rows } = this.#options;
    if ("layOut" in rows) {
      const drawn = rows.layOut(items, { width, height, at });
      return { ...drawn, rows: drawn.rows.map(indented) };
    }
    const laidOut = layOutChoices({
      theme: this.#surface.theme,
      width,
      height,
      count: items.length,
      at,
      margin: 1,
      choice: (index) => {
        const item = items[index];
        return item === undefined ? { label: "", mark: "" } : rows.show(item, index, width);
      },
    });
    return { ...laidOut, page: Math.max(1, height - 2) };
  }

  #emptyRows(width: number): string[] {
    const { theme } = this.#surface;
    const indent = this.#field === undefined ? "" : "  ";
    return proseRows(this.#options.empty(), width - indent.length, (row) => theme.paint("quiet", indent + row));
  }

  /** Capped, so that the chosen item keeps its room. */
  #noteRows(width: number): string[] {
    if (this.#note === undefined) return [];
    const { text, tone } = this.#note;
    const { theme } = this.#surface;
    const rows = proseRows(`${tone === "ok" ? "✓" : "!"} ${text}`, width, (row) => theme.paint(tone, row));
    return rows.slice(0, NOTE_ROWS_MAX);
  }
}
