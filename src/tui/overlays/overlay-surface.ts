/** What every overlay draws on. The shell shows it with `tui.showOverlay`; it closes through the callback it was given. */
import type { Component, Focusable, TUI } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";

export interface OverlaySurface {
  readonly tui: TUI;
  /** Read at every drawing, so a getter makes a change of theme visible at once. */
  readonly theme: Theme;
  /** Rows an overlay may take; OVERLAY_SHARE of the terminal, and never its edges, unless told. */
  readonly rowsMax?: number;
}

export type Overlay = Component & Focusable & { handleInput(data: string): void };

/** The part of the terminal's height that the shell gives to an overlay. */
const OVERLAY_SHARE = 0.8;
/** A frame, a row to read and a row to choose. */
const ROWS_MIN = 4;

export function rowsFor(surface: OverlaySurface): number {
  const { rows } = surface.tui.terminal;
  return Math.max(ROWS_MIN, surface.rowsMax ?? Math.min(rows - 2, Math.floor(rows * OVERLAY_SHARE)));
}
