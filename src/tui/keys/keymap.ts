/** Which keys do what, on this screen. */
import {
  type Keybinding,
  type KeybindingsConfig,
  KeybindingsManager,
  type KeyId,
  matchesKey,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";
import { ACTION_NAMES, ACTIONS, type ActionName } from "./actions.ts";
import { printableKey, sameBytes, showKeyName } from "./key-names.ts";

export interface KeyHelp {
  readonly keys: string;
  readonly does: string;
}

export interface Keymap {
  /** `data` is one key as the terminal sent it, in any of the forms terminals have for it. */
  matches(data: string, action: ActionName): boolean;
  keysOf(action: ActionName): readonly KeyId[];
  /** The first key of an action for a hint, `Ctrl+O`; undefined when the user gave it none. */
  hint(action: ActionName): string | undefined;
  /** The keys page: every action that has a key, in a fixed order. */
  describe(): KeyHelp[];
}

/** No key is longer; a paste of megabytes is not looked through for every action. */
const KEY_CHARS_MAX = 64;

export type Bindings = Readonly<Partial<Record<ActionName, readonly KeyId[]>>>;

/** Actions that are not named keep their default keys. */
export function createKeymap(bindings: Bindings = {}): Keymap {
  const keysOf = (action: ActionName) => bindings[action] ?? ACTIONS[action].keys;
  return {
    keysOf,
    matches: (data, action) => data.length <= KEY_CHARS_MAX && keysOf(action).some((key) => isKey(data, key)),
    hint(action) {
      const [key] = keysOf(action);
      return key === undefined ? undefined : showKeyName(key);
    },
    describe: () =>
      ACTION_NAMES.flatMap((action) => {
        const keys = keysOf(action);
        return keys.length === 0 ? [] : [{ keys: shown(keys), does: ACTIONS[action].does }];
      }),
  };
}

/** Without the newer keyboard protocols Ctrl+J arrives as a line feed, which must not pass for Enter. */
function isKey(data: string, key: KeyId): boolean {
  if (data === "\n" && key === "enter") return false;
  return matchesKey(data, key) || (key.length === 1 && printableKey(data) === key);
}

/** A key that another one of the list stands for is not shown again. */
function shown(keys: readonly KeyId[]): string {
  const seen = new Set<string>();
  const distinct = keys.filter((key) => !seen.has(sameBytes(key)) && seen.add(sameBytes(key)));
  return distinct.map(showKeyName).join(", ");
}

/**
 * Hands our keys to the terminal library, so that a remapped key reaches its editor and its lists too. The library's
 * own keys for scrolling and searching are switched off: the log answers to ours.
 */
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
