/** What an overlay draws on. It is shown with `PanelStack.open` and closes through its callback. */
import type { Component, Focusable, TUI, TuiMouseEvent, TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";

export interface OverlaySurface {
  readonly tui: TUI;
  /** Read at every frame, so that a getter applies theme changes at once. */
  readonly theme: Theme;
  /** The user's, written as `~`. */
  readonly home?: string | undefined;
  /** Of the session that is shown. */
  readonly cwd?: string | undefined;
  /** Maximum rows; by default OVERLAY_SHARE of the terminal. */
  readonly rowsMax?: number;
}

export type Overlay = Component &
  Focusable & {
    handleInput(data: string): void;
    handleMouse?(event: TuiMouseEvent): TuiMouseEventResult | undefined;
    /** In place of the box unless told: above it, or instead of the whole screen. */
    readonly placement?: "above-box" | "screen";
  };

/** Share of the terminal's height for an overlay; all but one row of the log where rows are few. */
const OVERLAY_SHARE = 0.8;
const FEW_ROWS = 20;
/** Smaller screens have no status line, and without the lower rule of the frame one more row. */
export const LOW_ROWS = 16;
/** Frame, one row to read and one to choose. */
const ROWS_MIN = 4;

export function rowsFor(surface: OverlaySurface): number {
  const { rows } = surface.tui.terminal;
  const few = rows < LOW_ROWS ? rows : rows - 1;
  const share = rows < FEW_ROWS ? few : Math.min(rows - 2, Math.floor(rows * OVERLAY_SHARE));
  return Math.max(ROWS_MIN, surface.rowsMax ?? share);
}

/** As the log names it: from the session's directory, else as a short path. */
export function shortFile(surface: Pick<OverlaySurface, "home" | "cwd">, path: string): string {
  const { cwd = "" } = surface;
  return cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : shortPath(surface, path);
}

/** With `~` for the user's directory. */
export function shortPath({ home = "" }: Pick<OverlaySurface, "home">, path: string): string {
  return home !== "" && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
