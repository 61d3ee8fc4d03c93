/** Runs the terminal app, from the first frame to the message after it has closed. */
import { type Component, ProcessTerminal, type Terminal, TuiAltScreen } from "@earendil-works/pi-tui";
import type { SessionSummary } from "../../protocol/index.ts";
import { createKeymap } from "../keys/keymap.ts";
import { useKeymapInLibrary } from "../keys/keymap.ts";
import { createSessionOverlay } from "../overlays/lists/session-overlay.ts";
import { chooseTheme } from "../theme/choose-theme.ts";
import { App } from "./app.ts";
import type { ScreenOptions } from "./options.ts";
import { guardTerminal } from "./screen/terminal-guard.ts";
import { TerminalHold } from "./screen/terminal-hold.ts";
import { exitMessage } from "./session/leaving.ts";

const NOTHING: Component = { render: () => [], invalidate() {} };

/**
 * Resolves with the exit message when the user has left and the terminal is restored. Rejects when the host is lost.
 */
export async function runScreen(options: ScreenOptions): Promise<string> {
  const app = new App(options, new ProcessTerminal());
  await app.run();
  return exitMessage(app.conversation);
}

/** The session picker on a screen of its own, for commands that continue in a session. */
export interface PickerOptions extends Pick<ScreenOptions, "env" | "hasDirectory" | "isInForeground" | "signal"> {
  readonly sessions: readonly SessionSummary[];
  readonly now: number;
  readonly theme?: string;
}

/** Undefined when nothing was chosen; the terminal is restored. */
export async function runSessionPicker(
  options: PickerOptions,
  terminal: Terminal = new ProcessTerminal(),
): Promise<string | undefined> {
  const { env, sessions, now, hasDirectory, signal, theme: wanted = "auto" } = options;
  const tui = new TuiAltScreen(terminal, true, undefined, { mouse: false });
  const hold = new TerminalHold(tui);
  const picked = Promise.withResolvers<string | undefined>();
  const theme = chooseTheme({ wanted, env, hasLinks: false });
  useKeymapInLibrary(createKeymap());
  const leave = () => picked.resolve(undefined);
  const guard = guardTerminal(hold, { die: (error) => picked.reject(error), isInForeground: options.isInForeground });
  signal.addEventListener("abort", leave);
  try {
    tui.setLayoutRoot(NOTHING);
    hold.resume();
    const overlay = createSessionOverlay(
      { tui, theme },
      { sessions, now, hasNew: false, hasDirectory, onPick: (id) => picked.resolve(id), onClose: leave },
    );
    tui.showOverlay(overlay, { width: "100%", maxHeight: "100%", anchor: "top-left" });
    return await picked.promise;
  } finally {
    signal.removeEventListener("abort", leave);
    hold.restore();
    guard.release();
  }
}
