/** A scrollable window on rows. Hidden rows are always announced in a row of their own. */
import type { Theme } from "../theme/theme.ts";

export interface ScrollWindow {
  /** At most `height` rows; the last is a position row when not all fit. */
  show(rows: readonly string[], height: number, theme: Theme): string[];
  by(rows: number): void;
  pageBy(pages: number): void;
  toStart(): void;
  toEnd(): void;
  /** Scrolls as little as needed to show this row. */
  reveal(row: number): void;
  /** The first visible row. */
  readonly top: number;
  /** Whether the last row was shown. */
  readonly isAtEnd: boolean;
}

/** Handles keys that scroll, while arrows move in a list beside it; false for other keys. */
export function scrollByKey(scroll: ScrollWindow, key: string | undefined): boolean {
  switch (key) {
    case "pageUp":
      scroll.pageBy(-1);
      return true;
    case "pageDown":
      scroll.pageBy(1);
      return true;
    case "home":
      scroll.toStart();
      return true;
    case "end":
      scroll.toEnd();
      return true;
    default:
      return false;
  }
}

export function createScrollWindow(): ScrollWindow {
  let top = 0;
  let shown = 1;
  let count = 0;

  function moveTo(row: number): void {
    top = Math.max(0, Math.min(row, count - shown));
  }

  return {
    show(rows, height, theme) {
      count = rows.length;
      if (count <= height) {
        shown = Math.max(1, height);
        top = 0;
        return [...rows];
      }
      shown = Math.max(1, height - 1);
      moveTo(top);
      const visible = rows.slice(top, top + shown);
      if (height < 2) return visible;
      const arrows = `${top > 0 ? "▲" : " "}${top + shown < count ? "▼" : " "}`;
      return [...visible, theme.paint("quiet", `${arrows} ${top + 1}–${top + shown} of ${count} · PgUp PgDn`)];
    },
    by: (rows) => moveTo(top + rows),
    pageBy: (pages) => moveTo(top + pages * Math.max(1, shown - 1)),
    toStart: () => moveTo(0),
    toEnd: () => moveTo(count),
    reveal(row) {
      if (row < top) moveTo(row);
      else if (row >= top + shown) moveTo(row - shown + 1);
    },
    get top() {
      return top;
    },
    get isAtEnd() {
      return top + shown >= count;
    },
  };
}
