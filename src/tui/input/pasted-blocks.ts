/**
 * What the box shows for text that it cannot show as it is. A long text is one mark, `[pasted 12,345 lines]`; a control
 * or hidden character is its number, `⟨U+001B⟩`. Each mark moves and is deleted as one character, and stands for
 * exactly what was put in: what is sent is the text as pasted, without NUL, with \n at the end of lines.
 * Promise: what `show` returns holds no control character but \n and \t, and nothing that reorders or hides text.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import type { Draft, PasteSpan } from "./prompt.ts";
import { formatCount } from "../../kit/text/format.ts";

/** Longer pastes become a marker, so that the box stays readable. */
export const PASTE_LIMITS: ShowLimits = { lines: 10, chars: 1_000 };

/** Drafts and history entries may be longer, but not so long that every key gets slow. */
const TEXT_LIMITS: ShowLimits = { lines: 400, chars: 10_000 };

/** A text with more unprintable characters becomes one marker as a whole. */
const HIDDEN_CHARS_MAX = 200;

/** Stored for undo and yank; beyond it the oldest blocks outside the box are dropped. */
const STORED_CHARS_MAX = 64 * 1024 * 1024;

export interface ShowLimits {
  readonly lines: number;
  readonly chars: number;
}

/** Fast path: each of these is one grapheme. */
const ASCII = /^[ -~]*$/;

/** Wider graphemes are split: the editor cannot wrap them, and loops for ever where one does not fit. */
const COLUMNS_MAX = 8;

/** Replaces spaces in a marker, since the editor ends words at a space. */
const BLANK = "\u2800";

const PASTE_MARK = `[pasted${BLANK}`;

/** Rows of the box with every tab three columns wide, as the library measures it. */
export function readableRow(row: string): string {
  return row.replaceAll(BLANK, " ").replaceAll("\t", "   ");
}

export class PastedBlocks {
  readonly #blocks = new Map<string, string>();
  #pattern: RegExp | undefined;
  #storedChars = 0;
  readonly #segmenters = {
    word: new Intl.Segmenter(undefined, { granularity: "word" }),
    grapheme: new Intl.Segmenter(undefined, { granularity: "grapheme" }),
  };

  /** What the box shows for `text`. */
  show(text: string, limits: ShowLimits = TEXT_LIMITS): string {
    const clean = plainText(text);
    if (clean.length > limits.chars) return this.#mark(clean);
    if (countLines(clean) > limits.lines) return this.#mark(clean);
    if (terminalSafe(clean) === clean && !clean.includes(BLANK)) return clean;
    const chars = Array.from(clean);
    const hiddenCount = chars.filter((char) => !isShowable(char)).length;
    return hiddenCount > HIDDEN_CHARS_MAX ? this.#mark(clean) : chars.map((char) => this.#showChar(char)).join("");
  }

  /** The text that `shown` stands for. */
  expand(shown: string): string {
    const pattern = this.#pattern;
    // One pass: a marker inside a pasted text is part of that text.
    return pattern === undefined ? shown : shown.replace(pattern, (mark) => this.#blocks.get(mark) ?? mark);
  }

  /** Like `expand`, with the positions of pasted blocks. */
  draftOf(shown: string): Draft {
    const pastes: PasteSpan[] = [];
    let text = "";
    let from = 0;
    for (const { 0: mark, index } of this.#pattern === undefined ? [] : shown.matchAll(this.#pattern)) {
      const block = this.#blocks.get(mark) ?? mark;
      text += shown.slice(from, index);
      if (mark.startsWith(PASTE_MARK)) pastes.push([text.length, text.length + block.length]);
      text += block;
      from = index + mark.length;
    }
    return { text: text + shown.slice(from), pastes };
  }

  /** What the box shows for a draft: typed text, and a marker for each pasted block. */
  showDraft({ text, pastes }: Draft): string {
    let shown = "";
    let from = 0;
    for (const [start, end] of pastes) {
      shown += this.show(text.slice(from, start)) + this.show(text.slice(start, end), PASTE_LIMITS);
      from = end;
    }
    return shown + this.show(text.slice(from));
  }

  /** Graphemes or words of a line; a marker counts as one. */
  segment(text: string, granularity: "word" | "grapheme"): Intl.SegmentData[] {
    const segments: Intl.SegmentData[] = [];
    let from = 0;
    const addSegments = (part: string, start: number) => {
      if (granularity === "grapheme" && ASCII.test(part)) {
        for (let at = 0; at < part.length; at++)
          segments.push({ segment: part.charAt(at), index: start + at, input: text });
        return;
      }
      for (const { segment, index, isWordLike } of this.#segmenters[granularity].segment(part)) {
        if (granularity === "grapheme" && isTooWide(segment)) {
          for (const codePoint of codePointsOf(segment, start + index)) segments.push({ ...codePoint, input: text });
          continue;
        }
        segments.push({
          segment,
          index: start + index,
          input: text,
          ...(isWordLike === undefined ? {} : { isWordLike }),
        });
      }
    };
    for (const match of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      addSegments(text.slice(from, match.index), from);
      segments.push({ segment: match[0], index: match.index, input: text });
      from = match.index + match[0].length;
    }
    addSegments(text.slice(from), from);
    return segments;
  }

  /** Drops the oldest blocks beyond the limit, except those in the box. */
  forgetBeyondLimit(shown: string): void {
    for (const [mark, block] of this.#blocks) {
      if (this.#storedChars <= STORED_CHARS_MAX) return;
      if (shown.includes(mark)) continue;
      this.#blocks.delete(mark);
      this.#storedChars -= block.length;
      this.#pattern = undefined;
    }
    this.#rebuild();
  }

  #showChar(char: string): string {
    if (isShowable(char)) return char;
    const number = char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? "";
    return this.#store(`⟨U+${number}⟩`, char);
  }

  #mark(text: string): string {
    const lines = countLines(text);
    const size = lines > 1 ? `${formatCount(lines)} lines` : `${formatCount(text.length)} characters`;
    for (let copy = 1; ; copy++) {
      const mark = PASTE_MARK + `${size}${copy === 1 ? "" : ` #${copy}`}]`.replaceAll(" ", BLANK);
      const held = this.#blocks.get(mark);
      if (held === undefined || held === text) return this.#store(mark, text);
    }
  }

  #store(mark: string, text: string): string {
    if (this.#blocks.has(mark)) return mark;
    this.#blocks.set(mark, text);
    this.#storedChars += text.length;
    this.#rebuild();
    return mark;
  }

  #rebuild(): void {
    const marks = [...this.#blocks.keys()].map((mark) => mark.replaceAll(/[[\]#+.,]/g, "\\$&"));
    this.#pattern = marks.length === 0 ? undefined : new RegExp(marks.join("|"), "g");
  }
}

/** Removes NUL, which ends a text for other programs, and lone surrogates; normalises line ends to \n. */
function plainText(text: string): string {
  return text.replaceAll("\0", "").replaceAll(/\r\n?/g, "\n").toWellFormed();
}

function isTooWide(character: string): boolean {
  return character.length > COLUMNS_MAX && visibleWidth(character) > COLUMNS_MAX;
}

function codePointsOf(character: string, start: number): { segment: string; index: number }[] {
  let index = start;
  return Array.from(character, (segment) => {
    const part = { segment, index };
    index += segment.length;
    return part;
  });
}

function isShowable(char: string): boolean {
  return char !== BLANK && terminalSafe(char) === char;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
