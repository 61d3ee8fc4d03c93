/** Maps keys to actions. */
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
  /** `data` is one key as sent by the terminal, in any encoding. */
  matches(data: string, action: ActionName): boolean;
  keysOf(action: ActionName): readonly KeyId[];
  /** The first key of an action for a hint, `Ctrl+O`; undefined when unbound. */
  hint(action: ActionName): string | undefined;
  /** The keys page: every bound action, in a fixed order. */
  describe(): KeyHelp[];
}

/** No key is longer; megabytes of paste are not matched against every action. */
const KEY_CHARS_MAX = 64;

export type Bindings = Readonly<Partial<Record<ActionName, readonly KeyId[]>>>;

/** Actions without a binding here keep their default keys. */
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

/** Without the newer keyboard protocols Ctrl+J arrives as a line feed, which must not count as Enter. */
function isKey(data: string, key: KeyId): boolean {
  if (data === "\n" && key === "enter") return false;
  return matchesKey(data, key) || (key.length === 1 && printableKey(data) === key);
}

/** Omits keys that send the same bytes as an earlier one. */
function shown(keys: readonly KeyId[]): string {
  const seen = new Set<string>();
  const distinct = keys.filter((key) => !seen.has(sameBytes(key)) && seen.add(sameBytes(key)));
  return distinct.map(showKeyName).join(", ");
}

/**
 * Applies the keymap to the terminal library, so that its editor and lists follow it. The library's own scroll and
 * search keys are disabled: the log handles ours.
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
