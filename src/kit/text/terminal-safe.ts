/**
 * The one sanitiser between untrusted text and a terminal.
 *
 * Promise: what comes out holds no control character but \n and \t, no escape sequence, no bidi control and no
 * invisible character that could hide text. Feeding a text in pieces gives the same result as feeding it whole.
 * - Sequences begun by ESC or a C1 control are dropped, also unterminated ones. Of a string sequence (OSC, DCS, APC, PM,
 *   SOS) that has no end on its own line only the introducer is: the rest is shown as text, so that it hides nothing.
 * - Other control characters are shown as ^X, hidden ones as ⟨U+202E⟩. \r\n and a lone \r become a newline.
 * - No character that is put together of many is wider than a narrow column: the rest of it stands on a ◌ of its own.
 */

import { createWidthLimit } from "./width-limit.ts";

/** A string sequence without an end is given up after this many characters, which is also what may be held back of it. */
export const SEQUENCE_CHARS_MAX = 4096;

export interface TerminalSafe {
  /** The safe form of the next piece. */
  push(text: string): string;
  /** What was held back because a piece ended inside a character pair. */
  end(): string;
}

type State = "text" | "escape" | "csi" | "string" | "string-escape" | "charset";

export function terminalSafe(text: string): string {
  if (PLAIN.test(text)) return text;
  const stream = createTerminalSafe();
  return stream.push(text) + stream.end();
}

/** One line of it: newlines and tabs become spaces, so a title or a file name cannot start a line of its own. */
export function terminalSafeLine(text: string): string {
  return terminalSafe(text).replaceAll(/[\n\t]+/g, " ");
}

export function createTerminalSafe(): TerminalSafe {
  return new SafeStream();
}

class SafeStream implements TerminalSafe {
  #state: State = "text";
  #sequenceLength = 0;
  #isAfterReturn = false;
  #highSurrogate = "";
  /** What a string sequence has said so far, for when it has no end. */
  #held = "";
  readonly #widthLimit = createWidthLimit();

  push(text: string): string {
    let whole = this.#highSurrogate + text;
    this.#highSurrogate = isHighSurrogate(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : "";
    if (this.#highSurrogate !== "") whole = whole.slice(0, -1);
    const isAtRest = this.#state === "text" && !this.#isAfterReturn && this.#widthLimit.isAtRest;
    if (isAtRest && PLAIN.test(whole)) return whole;
    let safe = "";
    for (const char of whole) safe += this.#step(char, char.codePointAt(0) ?? 0);
    return safe;
  }

  end(): string {
    const half = this.#highSurrogate;
    const last = half === "" ? "" : this.#step(half, half.charCodeAt(0));
    const rest = last + this.#release();
    this.#highSurrogate = "";
    this.#state = "text";
    this.#isAfterReturn = false;
    this.#widthLimit.reset();
    return rest;
  }

  /** Takes one code point and gives what is shown for it. */
  #step(char: string, code: number): string {
    if (this.#isAfterReturn) {
      this.#isAfterReturn = false;
      if (code === 0x0a) return "";
    }
    if (this.#state === "text") return this.#plain(char, code);
    this.#sequenceLength += 1;
    if (code === 0x0a || code === 0x0d) return this.#release() + this.#leave(char, code);
    if (code === 0x1b && this.#state !== "string") return this.#release() + this.#enter("escape");
    if (code === 0x18 || code === 0x1a) return this.#release() + this.#leave();
    if (this.#sequenceLength > SEQUENCE_CHARS_MAX) return this.#release() + this.#leave(char, code);
    return this.#inSequence(this.#state, char, code);
  }

  #inSequence(state: Exclude<State, "text">, char: string, code: number): string {
    switch (state) {
      case "escape":
        if (code === 0x5b) return this.#enter("csi");
        if (STRING_INTRODUCERS.has(code)) return this.#enter("string");
        if (code >= 0x20 && code <= 0x2f) return this.#enter("charset");
        return code < 0x7f ? this.#leave() : this.#leave(char, code);
      case "charset":
        if (code >= 0x20 && code <= 0x2f) return "";
        return code < 0x7f ? this.#leave() : this.#leave(char, code);
      case "csi":
        if (code >= 0x20 && code <= 0x3f) return "";
        return code >= 0x40 && code <= 0x7e ? this.#leave() : this.#leave(char, code);
      case "string-escape":
        // ESC \ ends the string; ESC and anything else begins a sequence of its own.
        if (code === 0x5c) return this.#finish();
        return this.#release() + this.#inSequence("escape", char, code);
      default:
        if (code === 0x07 || code === 0x9c) return this.#finish();
        if (code === 0x1b) this.#state = "string-escape";
        else this.#held += char;
        return "";
    }
  }

  #plain(char: string, code: number): string {
    if ((code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x09) {
      this.#widthLimit.reset();
      return char;
    }
    if (code === 0x0d) {
      this.#isAfterReturn = true;
      return "\n";
    }
    if (code === 0x1b) return this.#enter("escape");
    if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
    if (code === 0x7f) return "^?";
    if (code === 0x9b) return this.#enter("csi");
    if (C1_STRINGS.has(code)) return this.#enter("string");
    if (code < 0xa0) return "";
    if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
    if (!isHidden(code)) return this.#widthLimit.push(char, code);
    this.#widthLimit.reset();
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  }

  #enter(next: State): string {
    if (this.#state === "text") this.#sequenceLength = 0;
    this.#state = next;
    return "";
  }

  /** The string sequence has its end. */
  #finish(): string {
    this.#held = "";
    return this.#leave();
  }

  /** The string sequence has none, so what it said is text; in it no other sequence begins. */
  #release(): string {
    const held = this.#held;
    this.#held = "";
    let safe = "";
    for (const char of held) {
      const code = char.codePointAt(0) ?? 0;
      if (code < 0x80 || code > 0x9f) safe += this.#plain(char, code);
    }
    this.#isAfterReturn = false;
    return safe;
  }

  /** The sequence is over; a character that does not belong to it is shown as text. */
  #leave(char?: string, code = 0): string {
    this.#state = "text";
    return char === undefined ? "" : this.#plain(char, code);
  }
}

/** Nearly all text; checked by one expression so that the common case costs no walk. Without scripts whose letters join. */
const PLAIN =
  // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
  /^[\n\t\x20-\x7e\u00a0-\u00ac\u00ae-\u061b\u061d-\u065e\u0660-\u08ff\u0e00-\u0e32\u0e34-\u0eb2\u0eb4-\u0eff\u10a0-\u115e\u1161-\u16ff\u1810-\u18ff\u1950-\u19ff\u1d00-\u200a\u2010-\u2027\u2030-\u205f\u2070-\u302d\u3030-\u3163\u3165-\ua7ff\uac00-\ud7ff\ue000-\ufefe\uff00-\uff9d\uffa1-\uffef\ufffc-\uffff]*$/;

/** Bytes after ESC that open a string sequence: DCS, SOS, OSC, PM, APC. */
const STRING_INTRODUCERS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
const C1_STRINGS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/** Characters that reorder text or take no room. ZWJ, ZWNJ and the emoji variation selectors stay: scripts and emoji need them. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isHidden(code: number): boolean {
  return HIDDEN.some(([from, to]) => code >= from && code <= to);
}
