/** A few rows of the layout that are made anew from the newest state at every frame. */
import { truncateToWidth, type Component } from "@earendil-works/pi-tui";

/** `rows` are safe for a terminal; what is too long for the screen is cut with a mark. */
export function createStrip(rows: (width: number) => readonly string[]): Component {
  return {
    render: (width) => rows(width).map((row) => truncateToWidth(row, width, "…")),
    invalidate() {},
  };
}
