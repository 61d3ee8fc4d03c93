/**
 * pi-tui's scroll view with its own position: wheel and keys move by measured rows, not estimated ones, and the window
 * decides about following. The layout sets the height of the view right before painting.
 */
import { ScrollView, type Component, type ScrollViewScrollToOptions } from "@earendil-works/pi-tui";
import type { LogWindow } from "./log-window.ts";

export class LogScroll extends ScrollView {
  readonly #window: LogWindow;
  readonly #moved: () => void;
  readonly #settled: () => void;

  constructor(rows: Component, window: LogWindow, hooks: { moved: () => void; settled: () => void }) {
    super(rows, { follow: "end", primary: true, scrollbar: "hidden" });
    this.#window = window;
    this.#moved = hooks.moved;
    this.#settled = hooks.settled;
  }

  override get isFollowingEnd(): boolean {
    return this.#window.isFollowing;
  }

  /** Returns the rows that could not be scrolled: all of them at either end, which stops a drag. */
  override scrollBy(lines: number): number {
    const rows = Number.isFinite(lines) ? Math.trunc(lines) : 0;
    if (rows === 0) return 0;
    if (rows > 0 ? this.#window.isFollowing : this.#window.isAtStart) return rows;
    this.#window.scrollBy(rows);
    this.#moved();
    return 0;
  }

  override scrollTo(scrollTop: number, _options?: ScrollViewScrollToOptions): void {
    if (!Number.isFinite(scrollTop)) return;
    const target = this.#window.rows.find(Math.max(0, Math.trunc(scrollTop)));
    if (target === undefined) this.#window.toEnd();
    else this.#window.goTo({ ...target, row: 0 });
    this.#moved();
  }

  override scrollToStart(): void {
    this.#window.toStart();
    this.#moved();
  }

  override scrollToEnd(): void {
    this.#window.toEnd();
    this.#moved();
  }

  override updateLayout(contentHeight: number, viewportHeight: number, requestRender: () => void): void {
    const top = this.#window.settle(Math.max(0, Math.floor(viewportHeight)));
    // Adopting our position must not request another frame: it would never end.
    super.updateLayout(contentHeight, viewportHeight, () => {});
    super.scrollTo(top, { disableFollow: true });
    super.updateLayout(contentHeight, viewportHeight, requestRender);
    this.#settled();
  }
}

const DIGITS = /^\d+$/;

/**
 * The rows of the log as the array pi-tui expects, without holding them: a row is looked up when painted. Only `length`
 * and indexes are supported; nothing may iterate over all rows.
 */
export function virtualRows(length: number, rowAt: (row: number) => string): string[] {
  return new Proxy<string[]>([], {
    get(target, key, receiver): unknown {
      if (key === "length") return length;
      if (typeof key === "string" && DIGITS.test(key)) return rowAt(Number(key));
      return Reflect.get(target, key, receiver);
    },
    has: (target, key) => (typeof key === "string" && DIGITS.test(key) ? Number(key) < length : key in target),
  });
}
