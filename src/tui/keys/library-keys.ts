/**
 * Hands our keys to the terminal library, so that a remapped key reaches its editor and its lists too. The library's
 * own keys for scrolling and searching are switched off: the log answers to ours.
 */
import {
  KeybindingsManager,
  setKeybindings,
  TUI_KEYBINDINGS,
  type Keybinding,
  type KeybindingsConfig,
  type KeyId,
} from "@earendil-works/pi-tui";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import type { Keymap } from "./keymap.ts";

export function useKeymapInLibrary(keymap: Keymap): void {
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, libraryBindings(keymap)));
}

export function libraryBindings(keymap: Keymap): KeybindingsConfig {
  const bindings: Record<string, KeyId[]> = {};
  for (const name of Object.keys(TUI_KEYBINDINGS) as Keybinding[]) {
    if (name.startsWith("tui.altScreen.")) bindings[name] = [];
  }
  for (const action of ACTION_NAMES) {
    for (const name of ACTIONS[action].library ?? []) bindings[name] = [...keymap.keysOf(action)];
  }
  return bindings;
}
