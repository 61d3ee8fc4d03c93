/**
 * A list that is read anew at every drawing, so what it shows is never older than the session. The choice stays on its
 * item when others come and go.
 */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import { choiceByDigit, layOutChoices, listStep, moveChoice, type ShownChoice } from "./choice-rows.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { proseRows } from "../reading-rows.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";

const NOTE_ROWS_MAX = 4;

export interface LiveList<Item> {
  readonly title: string;
  /** How many there are unless told. */
  readonly corner?: string;
  readonly items: () => readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly show: (item: Item, index: number) => ShownChoice;
  /** What is said when there is nothing. */
  readonly empty: string;
  readonly hints: readonly string[];
  /** The keys that do something when there is nothing; only the one that closes unless told. */
  readonly hintsWhenEmpty?: readonly string[];
  /** True when digits choose and do what Enter does. */
  readonly hasDigits: boolean;
  /** True when the key was used. `item` is undefined when there is nothing. */
  readonly onKey: (key: string, item: Item | undefined, list: ListHold) => boolean;
  readonly onClose: () => void;
}

/** What a key may do with the list itself. */
export interface ListHold {
  /** A sentence under the list, until the next key; a warning unless told. */
  note(text: string, tone?: "warn" | "good"): void;
}

export function createLiveList<Item>(surface: OverlaySurface, list: LiveList<Item>): Overlay {
  return new LiveListOverlay(surface, list);
}

class LiveListOverlay<Item> implements Overlay {
  focused = false;
  readonly #surface: OverlaySurface;
  readonly #list: LiveList<Item>;
  readonly #hold: ListHold = { note: (text, tone = "warn") => void (this.#note = { text, tone }) };
  #at = 0;
  #chosenId: string | undefined;
  #note: { readonly text: string; readonly tone: "warn" | "good" } | undefined;
  #indexAt: (row: number) => number | undefined = () => undefined;

  constructor(surface: OverlaySurface, list: LiveList<Item>) {
    this.#surface = surface;
    this.#list = list;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === undefined) return;
    this.#note = undefined;
    const items = this.#settle();
    const digit = this.#list.hasDigits ? choiceByDigit(key, items.length) : undefined;
    if (digit !== undefined) {
      this.#choose(items, digit);
      this.#list.onKey("enter", items[digit], this.#hold);
      return;
    }
    if (this.#list.onKey(key, items[this.#at], this.#hold)) return;
    const step = listStep(key, { hasLetters: true });
    if (step !== undefined) this.#choose(items, this.#at + step);
    else if (key === "escape" || key === "ctrl+c" || key === "q") this.#list.onClose();
  }

  /** A click chooses; the wheel moves the choice. */
  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    const items = this.#settle();
    if (event.type === "wheel") this.#choose(items, this.#at + Math.sign(event.wheelDelta ?? 0));
    else if (event.type === "click") this.#choose(items, this.#indexAt(event.y - 1) ?? this.#at);
    else return undefined;
    return { handled: true, render: true };
  }

  /** The items as they are now, with the choice on the one it was on. */
  #settle(): readonly Item[] {
    const items = this.#list.items();
    const same = items.findIndex((item) => this.#list.idOf(item) === this.#chosenId);
    this.#choose(items, same === -1 ? this.#at : same);
    return items;
  }

  #choose(items: readonly Item[], index: number): void {
    this.#at = Math.max(0, moveChoice(index, 0, items.length));
    const item = items[this.#at];
    this.#chosenId = item === undefined ? undefined : this.#list.idOf(item);
  }

  /** Not more of it than leaves room for what is chosen. */
  #noteRows(width: number): string[] {
    if (this.#note === undefined) return [];
    const { text, tone } = this.#note;
    const { theme } = this.#surface;
    return proseRows(`${tone === "good" ? "✓" : "!"} ${text}`, width, (row) => theme.paint(tone, row)).slice(
      0,
      NOTE_ROWS_MAX,
    );
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const inner = innerWidth(width);
    const items = this.#settle();
    const below = this.#noteRows(inner);
    const { rows, indexAt } = layOutChoices({
      theme,
      width: inner,
      height: rowsFor(this.#surface) - FRAME_ROWS - below.length,
      count: items.length,
      at: this.#at,
      choice: (index) => {
        const item = items[index];
        return item === undefined ? { label: "", mark: "" } : this.#list.show(item, index);
      },
    });
    this.#indexAt = indexAt;
    return drawFrame({
      theme,
      width,
      title: this.#list.title,
      corner: this.#list.corner ?? (items.length === 0 ? undefined : String(items.length)),
      rows: [
        ...(items.length === 0 ? proseRows(this.#list.empty, inner, (row) => theme.paint("dim", row)) : rows),
        ...below,
      ],
      hints: items.length === 0 ? (this.#list.hintsWhenEmpty ?? ["Esc close"]) : this.#list.hints,
    });
  }
}
