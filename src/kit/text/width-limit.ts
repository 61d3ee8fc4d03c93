/**
 * Keeps one character from being wider than a row. Some marks and joined letters take room of their own, yet count as one
 * character, which cannot be wrapped: a hundred of them would be one character of a hundred columns.
 */

/** More than any word of any language needs in one character. */
export const CLUSTER_WIDTH_MAX = 7;

/** Stands under a mark that has no letter. */
const BASE = "\u25cc";

/** They belong to the character before. */
const MARK = /^[\p{M}\u200c\u200d]$/u;
/** They do too, and take room. */
const WIDE = /^[\p{Mc}\u065f\u0e33\u0eb3\u1033-\u1035\u103a-\u103e\uff9e\uff9f\p{Emoji_Modifier}]$/u;
/** After a joining mark these belong to the character before, too. */
const JOINED = /^[\p{L}\p{Extended_Pictographic}]$/u;
const JOINING =
  /^(?:\u200d|[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u1039\u17d2\u1a60\u1b44\u1baa\u1bab\ua9c0\uaaf6\u{10a3f}\u{11046}\u{1107f}\u{110b9}\u{11133}\u{111c0}\u{11235}\u{1134d}\u{113d0}\u{11442}\u{114c2}\u{115bf}\u{1163f}\u{116b6}\u{1193e}\u{11a47}\u{11a99}\u{11f42}])$/u;

/** What a character can do, looked up once: these are asked for every character of a text in such a script. */
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

export interface WidthLimit {
  /** Nothing has begun that the next character could make wider. */
  readonly isAtRest: boolean;
  /** What is shown for the next character: it alone, or on a base of its own. */
  push(char: string, code: number): string;
  /** The next character begins anew. */
  reset(): void;
}

export function createWidthLimit(): WidthLimit {
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
