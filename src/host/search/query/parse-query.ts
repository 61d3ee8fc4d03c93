/**
 * Parses a search query into terms. There is no query language but quotes, which make a phrase. A plain word matches
 * the start of words; one with punctuation, such as `fooBar(`, matches literally.
 */
import { RoundtableError } from "../../../protocol/index.ts";

const TERMS_MAX = 32;
/** Shorter words match whole words only: as prefixes they would match almost everything. */
const PREFIX_LETTERS_MIN = 3;

export interface Term {
  /** Consecutive index tokens. Empty for punctuation alone, which only the text itself can match. */
  readonly tokens: readonly string[];
  /** The last token matches as a prefix. */
  readonly isPrefix: boolean;
  /** Must occur in the folded text literally, apart from whitespace. */
  readonly literal?: string;
}

const TERM_PATTERN = /"([^"]*)"?|[^\s"]+/gu;
/** Control characters; NUL would end the text for some programs. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]+/g;

export function parseQuery(text: string): Term[] {
  const clean = text.toWellFormed().replaceAll(CONTROL, " ").replaceAll(/[“”„]/g, '"');
  const terms = [...clean.matchAll(TERM_PATTERN)].flatMap(([raw, quoted]) =>
    quoted === undefined ? termOf(raw, false) : termOf(quoted, true),
  );
  if (terms.length > TERMS_MAX) {
    throw new RoundtableError("bad_command", `The query has ${terms.length} words; at most ${TERMS_MAX} are allowed.`);
  }
  if (terms.some(({ tokens }) => tokens.length > 0)) return terms;
  throw new RoundtableError("bad_command", "The query is empty: it needs at least one letter or digit.", {
    hint: 'Search for a word, the start of a word, or a "phrase in quotes".',
  });
}

function termOf(text: string, isQuoted: boolean): Term[] {
  const folded = collapseBlanks(foldText(text)).trim();
  if (folded === "") return [];
  const tokens = tokensOf(folded);
  const last = tokens.at(-1) ?? "";
  const isPrefix =
    !isQuoted &&
    last.length >= PREFIX_LETTERS_MIN &&
    isTokenLetter(lastLetter(folded)) &&
    !isUnspacedLetter(lastLetter(folded));
  return [{ tokens, isPrefix, ...(tokens.join("") === folded.replaceAll(" ", "") ? {} : { literal: folded }) }];
}

export function collapseBlanks(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function lastLetter(text: string): string | undefined {
  return text.match(/.$/su)?.[0];
}

/*
 * Folding: ignores case, accents and full-width forms. Scripts without spaces are tokenised letter by letter, so that any
 * substring matches. Index, query and marks use the same folding.
 */
const ASCII = /^[\0-\x7f]*$/;
const ACCENTS = /[\u0300-\u036f]/g;
/** Scripts without spaces between words, plus their iteration and length marks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3005\u30fc]/gu;
const TOKEN = /[\p{L}\p{N}\p{Co}]+/gu;

export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .toWellFormed()
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(ACCENTS, "")
    .replaceAll("ς", "σ")
    .normalize("NFC");
}

/** Folded text with a space on both sides of each letter of an unspaced script. */
export function spaceLetters(folded: string): string {
  return ASCII.test(folded) ? folded : folded.replaceAll(UNSPACED, " $& ");
}

/** Tokens of folded text, in order. */
export function tokensOf(folded: string): string[] {
  return spaceLetters(folded).match(TOKEN) ?? [];
}

export function isTokenLetter(char: string | undefined): boolean {
  return char !== undefined && /^[\p{L}\p{N}\p{Co}]$/u.test(char);
}

export function isUnspacedLetter(char: string | undefined): boolean {
  return char !== undefined && ASCII.test(char) ? false : (char?.search(UNSPACED) ?? -1) >= 0;
}

export interface FoldedText {
  readonly text: string;
  /** Offset in the original for each unit of the folded text, including its end. */
  readonly origin: (at: number) => number;
}

/** A letter with its combining marks, or a run of Hangul jamo: units whose length folding may change. */
const CLUSTER = /[\u1100-\u11ff]+|[\s\S]\p{M}*/gu;

/** Folds with an offset map, for marking matches in the original text. */
export function foldWithOrigin(original: string): FoldedText {
  if (ASCII.test(original)) return { text: original.toLowerCase(), origin: (at) => at };
  const origins: number[] = [];
  let text = "";
  for (const { 0: cluster, index } of original.toWellFormed().matchAll(CLUSTER)) {
    const folded = foldText(cluster);
    for (let unit = 0; unit < folded.length; unit += 1) origins.push(index);
    text += folded;
  }
  origins.push(original.length);
  return { text, origin: (at) => origins[at] ?? original.length };
}
