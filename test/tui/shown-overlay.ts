/** One overlay over an empty screen, driven by key bytes: what tests of overlays start from. */
import type { Component } from "@earendil-works/pi-tui";
import type { Overlay, OverlaySurface } from "../../src/tui/overlays/overlay-surface.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { openTestScreen, type TestScreen } from "./in-process-terminal.ts";

export const KEY = {
  escape: "\u001b",
  ctrlC: "\u0003",
  enter: "\r",
  tab: "\t",
  shiftTab: "\u001b[Z",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  shiftUp: "\u001b[1;2A",
  shiftDown: "\u001b[1;2B",
  altUp: "\u001b[1;3A",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  home: "\u001b[H",
  end: "\u001b[F",
  ctrlN: "\u000e",
  ctrlP: "\u0010",
  ctrlG: "\u0007",
  ctrlJ: "\n",
  ctrlO: "\u000f",
  shiftEnter: "\u001b[13;2u",
  altEnter: "\u001b\r",
  backspace: "\u007f",
} as const;

export interface ShownOverlay<Kind extends Overlay> {
  readonly overlay: Kind;
  readonly screen: TestScreen;
  /** One key, one paste or one letter each. */
  press(...keys: string[]): void;
  /** A word, letter by letter. */
  write(text: string): void;
  /** The rows down to the last that is not empty. */
  text(): Promise<string>;
  close(): void;
}

export function showOverlay<Kind extends Overlay>(
  make: (surface: OverlaySurface) => Kind,
  { columns = 80, rows = 24 }: { columns?: number; rows?: number } = {},
): ShownOverlay<Kind> {
  const screen = openTestScreen(EMPTY, columns, rows);
  const theme = createTheme({ name: "dark", depth: "truecolor" });
  const overlay = make({ tui: screen.tui, theme });
  screen.tui.showOverlay(overlay, { width: "100%", maxHeight: "100%", anchor: "top-left" });
  const press = (...keys: string[]): void => keys.forEach((key) => screen.terminal.type(key));
  return {
    overlay,
    screen,
    press,
    write: (text) => press(...letters(text)),
    async text() {
      const shown = await screen.rows();
      return shown.join("\n").trimEnd();
    },
    close: () => screen.close(),
  };
}

/** The keys that write a plain word. */
export function letters(text: string): string[] {
  return Array.from(text);
}

export function paste(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

const EMPTY: Component = { render: () => [], invalidate() {} };
