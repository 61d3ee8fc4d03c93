/** A few rows of the layout that are made anew from the newest state at every frame. */
import { truncateToWidth, type Component } from "@earendil-works/pi-tui";

/** `rows` are safe for a terminal; what is too long for the screen is cut with a mark. Rows that stayed the same are not looked at again. */
export function createRowsComponent(rows: (width: number) => readonly string[]): Component {
  let before = { width: 0, rows: [] as readonly string[], cut: [] as string[] };
  return {
    render(width) {
      const now = rows(width);
      const known = before.width === width ? before : undefined;
      const cut = now.map((row, at) =>
        known?.rows[at] === row ? (known.cut[at] ?? "") : truncateToWidth(row, width, "…"),
      );
      before = { width, rows: now, cut };
      return cut;
    },
    invalidate() {},
  };
}
