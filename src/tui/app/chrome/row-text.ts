/** Foreign words for one row: made safe, and looked at no further than the widest window could show, at every frame. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";

const CHARS_MAX = 4_096;

export function rowText(text: string): string {
  return terminalSafeLine(text.length > CHARS_MAX ? text.slice(0, CHARS_MAX) : text);
}
