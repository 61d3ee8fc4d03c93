/**
 * Text of an overlay. Screens draw it unchanged in half their height, and overflow hides the choices: control
 * characters are escaped, and a text that is too tall is sent in full before the overlay.
 */
import { terminalSafe, terminalSafeLine } from "../../../src/kit/text/terminal-safe.ts";
import type { Option, Overlay } from "./overlay-forms.ts";
import { shortFields, wholeCharacters } from "./line-limits.ts";

const LINES_MAX = 5;
const CHARS_MAX = 240;

/** The overlay as screens can draw it, and the text that does not fit. */
export interface Drawable {
  readonly overlay: Overlay;
  readonly whole?: string;
}

export function drawable(overlay: Overlay): Drawable {
  const { params } = overlay;
  const opts = shortFields(params.opts);
  const title = visible(params.title);
  if (overlay.method !== "confirm") {
    const options = "options" in params ? { options: params.options.map(visibleOption) } : {};
    const fitted = { ...params, ...options, title: fit(title), opts };
    return { overlay: { ...overlay, params: fitted } as Overlay, ...wholeOf(title, fitted.title) };
  }
  const message = visible(overlay.params.message);
  const fitted = { ...overlay.params, title: fit(title), message: fit(message), opts };
  const whole = `${title}\n\n${message}`;
  return { overlay: { ...overlay, params: fitted }, ...wholeOf(whole, `${fitted.title}\n\n${fitted.message}`) };
}

function wholeOf(whole: string, shown: string): Pick<Drawable, "whole"> {
  return whole === shown ? {} : { whole };
}

/** Control characters are made visible, so that a call is seen as it is. */
function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- They are what is looked for.
  const spelled = text.replaceAll("\r\n", "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, spelledOut);
  return terminalSafe(spelled);
}

function spelledOut(control: string): string {
  return `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

function visibleOption({ label, value, description }: Option): Option {
  const line = (text: string): string => terminalSafeLine(visible(text));
  return { label: line(label), value, description: description === null ? null : line(description) };
}

function fit(text: string): string {
  const lines = text.split("\n");
  if (lines.length <= LINES_MAX && text.length <= CHARS_MAX) return text;
  const shown = wholeCharacters(lines.slice(0, LINES_MAX - 1).join("\n"), CHARS_MAX);
  return `${shown.trimEnd()}\n[${text.length - shown.length} more characters, sent earlier]`;
}
