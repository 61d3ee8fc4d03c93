/**
 * How letters are compared: without case, without accents, wide and narrow forms alike. Scripts that are written without
 * spaces are taken letter by letter, so that any part of a run is found. Index, question and marks use the same folding.
 */
const ASCII = /^[\0-\x7f]*$/;
const ACCENTS = /[\u0300-\u036f]/g;
/** Scripts without spaces between words, and the two marks that repeat or lengthen a letter in them. */
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

/** The words of folded text, in order. */
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
  /** Where in the original each unit of the folded text begins, and at last where it ends. */
  readonly origin: (at: number) => number;
}

/** A letter with what is written onto it, or a run of Hangul parts: what may change its length by folding. */
const CLUSTER = /[\u1100-\u11ff]+|[\s\S]\p{M}*/gu;

/** For marking what was found in the text as it was written. */
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
