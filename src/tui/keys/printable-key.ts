/** The character that a key press writes, in any of the forms terminals send it; undefined for keys that write none. */
import { decodeKittyPrintable } from "@earendil-works/pi-tui";

// oxlint-disable-next-line no-control-regex -- an escape sequence is what it reads.
const MODIFY_OTHER_KEYS = /^\u001b\[27;(\d{1,3});(\d{1,7})~$/;
/** Keys such as Caps Lock or the Enter of the number block have numbers that no character has. */
const KITTY_FUNCTION = /^[\ue000-\uf8ff]$/;
const SHIFT = 1;
const LOCKS = 64 + 128;

export function printableKey(data: string): string | undefined {
  const kitty = decodeKittyPrintable(data);
  if (kitty !== undefined) return KITTY_FUNCTION.test(kitty) ? undefined : kitty;
  const match = MODIFY_OTHER_KEYS.exec(data);
  if (match === null) return undefined;
  const [held, code] = [Number(match[1]) - 1, Number(match[2])];
  if ((held & ~(SHIFT | LOCKS)) !== 0 || code < 0x20 || code > 0x10ffff) return undefined;
  return String.fromCodePoint(code);
}
