/**
 * A person's words as terms of a search. Nothing in them is a query language: quotes hold words together, everything else
 * is text. A plain word is found at the beginning of words; one with signs in it, such as `fooBar(`, as it stands.
 */
import { RoundtableError } from "../../../protocol/index.ts";
import { foldText, isTokenLetter, isUnspacedLetter, tokensOf } from "./fold-text.ts";

const TERMS_MAX = 32;
/** Shorter words are found whole: as beginnings they would be found everywhere. */
const PREFIX_LETTERS_MIN = 3;

export interface Term {
  /** One after the other, as words of the index. Empty for signs alone, which only the text itself can show. */
  readonly tokens: readonly string[];
  /** The last of them may go on. */
  readonly isPrefix: boolean;
  /** What must stand in the folded text exactly so, blanks aside. */
  readonly literal?: string;
}

const TERM_PATTERN = /"([^"]*)"?|[^\s"]+/gu;
/** Nothing a person types, and the end of the text for some programs. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f]+/g;

export function parseQuery(text: string): Term[] {
  const clean = text.toWellFormed().replaceAll(CONTROL, " ").replaceAll(/[“”„]/g, '"');
  const terms = [...clean.matchAll(TERM_PATTERN)].flatMap(([raw, quoted]) =>
    quoted === undefined ? termOf(raw, false) : termOf(quoted, true),
  );
  if (terms.length > TERMS_MAX) {
    throw new RoundtableError(
      "bad_command",
      `A search takes at most ${TERMS_MAX} words, and these are ${terms.length}.`,
    );
  }
  if (terms.some(({ tokens }) => tokens.length > 0)) return terms;
  throw new RoundtableError("bad_command", "There is nothing to look for: a search needs a letter or a digit.", {
    hint: 'Give a word, the beginning of one, or a "phrase in quotes".',
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
