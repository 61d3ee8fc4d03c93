/** Text fields. Pasted text is untrusted and sanitised first. */
import { Input } from "@earendil-works/pi-tui";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { printableKey } from "../keys/key-names.ts";
import type { OverlaySurface } from "./overlay-surface.ts";

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Longer lines are truncated; long texts belong in the editor. */
const LINE_CHARS_MAX = 64 * 1024;

export interface LineField {
  readonly text: string;
  setText(text: string): void;
  /** Enter and Escape are handled by the overlay. */
  handleInput(data: string): void;
  row(width: number): string;
  /** Set when a text was truncated. */
  readonly problem: string | undefined;
  focused: boolean;
}

export function createLineField(
  surface: OverlaySurface,
  { placeholder = "", prompt = "> " }: { placeholder?: string; prompt?: string } = {},
): LineField {
  const input = new Input({
    prompt,
    placeholder: terminalSafeLine(placeholder),
    placeholderStyle: (text) => surface.theme.paint("quiet", text),
  });
  let problem: string | undefined;
  function bound(): void {
    const tooLong = input.getValue().length > LINE_CHARS_MAX;
    problem = tooLong ? `The text was cut to ${LINE_CHARS_MAX} characters.` : undefined;
    if (tooLong) input.setValue(input.getValue().slice(0, LINE_CHARS_MAX));
  }
  return {
    get text() {
      return input.getValue();
    },
    setText(text) {
      input.setValue(terminalSafeLine(text));
      bound();
      // The library keeps the cursor; move it to the end of the new text.
      input.handleInput("\x05");
    },
    handleInput(data) {
      input.handleInput(printableKey(data) ?? withSafePaste(data, terminalSafeLine));
      bound();
    },
    row: (width) => input.render(width)[0] ?? "",
    get problem() {
      return problem;
    },
    get focused() {
      return input.focused;
    },
    set focused(isFocused) {
      input.focused = isFocused;
    },
  };
}

/** The key data with pasted text sanitised. */
export function withSafePaste(data: string, safe: (text: string) => string = terminalSafe): string {
  const start = data.indexOf(PASTE_START);
  if (start === -1) return data;
  const end = data.indexOf(PASTE_END, start);
  const pasted = data.slice(start + PASTE_START.length, end === -1 ? data.length : end);
  const rest = end === -1 ? "" : data.slice(end);
  return data.slice(0, start) + PASTE_START + safe(pasted) + rest;
}
