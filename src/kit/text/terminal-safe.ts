/**
 * The one sanitiser between untrusted text and a terminal.
 *
 * Output holds no control character but \n and \t, no escape sequence, no bidi control and no invisible character that
 * could hide text. Feeding a text in chunks gives the same result as feeding it whole.
 * - Sequences begun by ESC or a C1 control are dropped, also unterminated ones. Of a string sequence (OSC, DCS, APC,
 *   PM, SOS) without an end on its line, only the introducer is dropped; the rest is shown, so that it hides nothing.
 * - Other control characters are shown as ^X, hidden ones as ⟨U+202E⟩. \r\n and a lone \r become a newline.
 * - The width of a grapheme cluster is capped; excess marks are shown on a ◌ of their own.
 */

/** An unterminated string sequence is given up after this many characters; bounds what is held back. */
export const SEQUENCE_CHARS_MAX = 4096;

export interface TerminalSafe {
  /** Sanitised form of the next chunk. */
  push(text: string): string;
  /** Flushes what was held back because a chunk ended inside a surrogate pair. */
  end(): string;
}

type State = "text" | "escape" | "csi" | "string" | "string-escape" | "charset";

export function terminalSafe(text: string): string {
  if (PLAIN.test(text)) return text;
  const stream = createTerminalSafe();
  return stream.push(text) + stream.end();
}

/** For one line: newlines and tabs become spaces, so that a title or file name cannot start a line. */
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
  /** Content of the open string sequence, shown when it has no end. */
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

  /** Output for one code point. */
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
        // ESC \ terminates the string; ESC and anything else starts a new sequence.
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

  /** The string sequence is terminated: drop it. */
  #finish(): string {
    this.#held = "";
    return this.#leave();
  }

  /** The string sequence is unterminated: its content is text, and no sequence begins inside it. */
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

  /** The sequence is over; a character that does not belong to it is text. */
  #leave(char?: string, code = 0): string {
    this.#state = "text";
    return char === undefined ? "" : this.#plain(char, code);
  }
}

/** Fast path for nearly all text, one regular expression; excludes scripts with joining letters. */
const PLAIN =
  // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
  /^[\n\t\x20-\x7e\u00a0-\u00ac\u00ae-\u061b\u061d-\u065e\u0660-\u08ff\u0e00-\u0e32\u0e34-\u0eb2\u0eb4-\u0eff\u10a0-\u115e\u1161-\u16ff\u1810-\u18ff\u1950-\u19ff\u1d00-\u200a\u2010-\u2027\u2030-\u205f\u2070-\u302d\u3030-\u3163\u3165-\ua7ff\uac00-\ud7ff\ue000-\ufefe\uff00-\uff9d\uffa1-\uffef\ufffc-\uffff]*$/;

/** Bytes after ESC that open DCS, SOS, OSC, PM and APC strings. */
const STRING_INTRODUCERS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
const C1_STRINGS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

/**
 * Characters that reorder text or have no width. ZWJ, ZWNJ and emoji variation selectors stay: scripts and emoji need
 * them.
 */
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

/**
 * Caps the width of a grapheme cluster: spacing marks and joined letters have width but cannot be wrapped, so a hundred
 * of them would be one character of a hundred columns. No word of any language needs more.
 */
export const CLUSTER_WIDTH_MAX = 7;

/** Carries a mark without a letter. */
const BASE = "\u25cc";

/** Extends the cluster before it. */
const MARK = /^[\p{M}\u200c\u200d]$/u;
/** Extends it and has width. */
const WIDE = /^[\p{Mc}\u065f\u0e33\u0eb3\u1033-\u1035\u103a-\u103e\uff9e\uff9f\p{Emoji_Modifier}]$/u;
/** After a joiner, extends the cluster too. */
const JOINED = /^[\p{L}\p{Extended_Pictographic}]$/u;
const JOINING =
  /^(?:\u200d|[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1baa\u1bab\ua9c0\uaaf6\u{10a3f}\u{11046}\u{1107f}\u{110b9}\u{11133}\u{111c0}\u{11235}\u{1134d}\u{113d0}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1193e}\u{11a47}\u{11a99}\u{11f42}])$/u;

/** Properties per character, cached: they are needed for every character of such a script. */
const SEEN = 1;
const IS_MARK = 2;
const IS_WIDE = 4;
const IS_JOINED = 8;
const IS_JOINING = 16;
const PLANES = 0x20000;
const known = new Uint8Array(PLANES);

function traitsOf(char: string, code: number): number {
  const traits = known[code] ?? SEEN;
  if (traits !== 0) return traits;
  const is = (pattern: RegExp, bit: number) => (pattern.test(char) ? bit : 0);
  return (known[code] = SEEN | is(MARK, IS_MARK) | is(WIDE, IS_WIDE) | is(JOINED, IS_JOINED) | is(JOINING, IS_JOINING));
}

interface WidthLimit {
  /** Nothing is open that the next character could widen. */
  readonly isAtRest: boolean;
  /** Output for the next character: itself, or itself on a base of its own. */
  push(char: string, code: number): string;
  /** Starts a new cluster with the next character. */
  reset(): void;
}

function createWidthLimit(): WidthLimit {
  let width = 0;
  let isJoining = false;
  const reset = () => {
    width = 0;
    isJoining = false;
  };
  return {
    get isAtRest() {
      return width === 0 && !isJoining;
    },
    reset,
    push(char, code) {
      const traits = traitsOf(char, code);
      const isPart = (traits & (IS_MARK | IS_WIDE)) !== 0 || (isJoining && (traits & IS_JOINED) !== 0);
      if (!isPart) {
        reset();
        return char;
      }
      isJoining = (traits & IS_JOINING) !== 0 || (isJoining && (traits & (IS_MARK | IS_WIDE)) !== 0);
      if ((traits & IS_MARK) !== 0 && (traits & IS_WIDE) === 0) return char;
      width += 1;
      if (width <= CLUSTER_WIDTH_MAX) return char;
      width = 1;
      return BASE + char;
    },
  };
}
