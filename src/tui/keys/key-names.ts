/** Key names in the user's spelling and in that of the terminal library. */
import { decodeKittyPrintable, type KeyId } from "@earendil-works/pi-tui";

// oxlint-disable-next-line no-control-regex -- an escape sequence is what it reads.
const MODIFY_OTHER_KEYS = /^\u001b\[27;(\d{1,3});(\d{1,7})~$/;

/** Code points of keys without a character, such as Caps Lock or keypad Enter. */
const KITTY_FUNCTION = /^[\ue000-\uf8ff]$/;

const SHIFT = 1;

const LOCKS = 64 + 128;

const MODIFIERS = ["ctrl", "shift", "alt", "super"] as const;

const MODIFIER_NAMES: Readonly<Record<string, (typeof MODIFIERS)[number]>> = {
  ctrl: "ctrl",
  control: "ctrl",
  shift: "shift",
  alt: "alt",
  option: "alt",
  opt: "alt",
  meta: "alt",
  super: "super",
  cmd: "super",
  command: "super",
  win: "super",
};

const SPECIAL_KEYS: Readonly<Record<string, string>> = {
  escape: "escape",
  esc: "escape",
  enter: "enter",
  return: "enter",
  tab: "tab",
  space: "space",
  backspace: "backspace",
  delete: "delete",
  del: "delete",
  insert: "insert",
  home: "home",
  end: "end",
  pageup: "pageUp",
  pgup: "pageUp",
  pagedown: "pageDown",
  pgdn: "pageDown",
  up: "up",
  down: "down",
  left: "left",
  right: "right",
};

const FUNCTION_KEY = /^f([1-9]|1[0-2])$/;

const CHARACTER = /^[a-z0-9`\-=[\]\\;',./!@#$%^&*()_|~{}:<>?]$/;

export const ACCEPTED_KEYS =
  "ctrl+, shift+, alt+ or super+ before a letter, a digit, a sign other than +, enter, tab, escape, space, backspace, " +
  "delete, insert, home, end, pageUp, pageDown, up, down, left, right; or f1 to f12 alone";

export type KeyName =
  | { readonly key: KeyId; readonly isCharacter: boolean; readonly problem?: never }
  | { readonly problem: string };

/** `Ctrl+Shift+P` → `ctrl+shift+p`: canonical spelling for comparison. */
export function parseKeyName(text: string): KeyName {
  const parts = text.trim().toLowerCase().split("+");
  const last = parts.pop() ?? "";
  const held = new Set<string>();
  for (const part of parts) {
    const modifier = MODIFIER_NAMES[part];
    if (modifier === undefined) return { problem: `"${part}" is not a modifier` };
    held.add(modifier);
  }
  const base = SPECIAL_KEYS[last] ?? (FUNCTION_KEY.test(last) || CHARACTER.test(last) ? last : undefined);
  if (base === undefined) return { problem: last === "" ? "it does not name a key" : `"${last}" is not a key` };
  if (held.size > 0 && FUNCTION_KEY.test(base)) return { problem: "function keys take no modifier here" };
  if (held.size > 0 && base === "escape") return { problem: "escape takes no modifier" };
  // A single upper-case letter means Shift with the letter.
  if (held.size === 0 && /^[A-Z]$/.test(text.trim())) held.add("shift");
  const key = [...MODIFIERS.filter((modifier) => held.has(modifier)), base].join("+");
  const isPlain = held.size === 0 || (held.size === 1 && held.has("shift"));
  return { key: key as KeyId, isCharacter: isPlain && (CHARACTER.test(base) || base === "space") };
}

/** Keys that send the same bytes in a terminal without the newer protocols. */
export function sameBytes(key: KeyId): string {
  return TWINS[key] ?? key;
}

const TWINS: Readonly<Record<string, string>> = {
  "ctrl+i": "tab",
  "ctrl+m": "enter",
  "ctrl+[": "escape",
  "ctrl+h": "backspace",
  "ctrl+_": "ctrl+-",
  "ctrl+shift+-": "ctrl+-",
  "alt+p": "alt+up",
  "alt+n": "alt+down",
  "alt+b": "alt+left",
  "alt+f": "alt+right",
};

/** `ctrl+shift+pageUp` → `Ctrl+Shift+PgUp`; a letter alone stays as it is typed. */
export function showKeyName(key: KeyId): string {
  if (key.length === 1) return key;
  return key
    .split("+")
    .map((part) => SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1)))
    .join("+");
}

const SHOWN: Readonly<Record<string, string>> = {
  escape: "Esc",
  pageUp: "PgUp",
  pageDown: "PgDn",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
};

/** The character of a key press in any encoding; undefined for other keys. */
export function printableKey(data: string): string | undefined {
  const kitty = decodeKittyPrintable(data);
  if (kitty !== undefined) return KITTY_FUNCTION.test(kitty) ? undefined : kitty;
  const match = MODIFY_OTHER_KEYS.exec(data);
  if (match === null) return undefined;
  const [held, code] = [Number(match[1]) - 1, Number(match[2])];
  if ((held & ~(SHIFT | LOCKS)) !== 0 || code < 0x20 || code > 0x10ffff) return undefined;
  return String.fromCodePoint(code);
}
