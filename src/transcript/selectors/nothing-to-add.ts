/**
 * Recognises an answer that adds nothing: a few short sentences, each of which says that there is nothing more to say,
 * agrees, or thanks. A longer answer, a question, code, or any other sentence makes it a contribution. In doubt it is a
 * contribution: the discussion then runs to its limit instead of ending early.
 */

/** Longer answers are contributions without further checks. */
export const NOTHING_CHARS_MAX = 240;

/** Whole sentences: lower case, without punctuation, mentions and forms of address. */
const SAYS_SO: readonly RegExp[] = [
  // "nothing to add", "I have nothing more to add here", "there is nothing further to add from my side"
  /^(?:(?:i|we) (?:still |really )?have |(?:i|we)'ve got |i've |there is |there's )?(?:absolutely |really )?nothing (?:else |more |new |further |left )?(?:to (?:add|say|contribute|report)|from (?:me|my side|my end|here))(?: (?:here|now|then|at this point|for now|at the moment|beyond that|to that|to this|on this|on that|from me|from my side|from my end|in this round|this round|either))*$/,
  // "I don't have anything to add", "I do not have anything further to say"
  /^(?:i|we) (?:do not|don't|have not got|haven't got) (?:have )?anything (?:else |more |new |further )?to (?:add|say|contribute|report)(?: (?:here|now|at this point|for now|either|to that|to this))*$/,
  // "no further comments", "no more points from my side"
  /^(?:i have |i've )?no (?:further |more |other |new |additional )(?:comments?|points?|remarks?|additions?|notes?|input)(?: (?:here|now|for now|at this point|from me|from my side|from my end|to add))*$/,
];

/** Add nothing to a discussion, but may answer a question. */
const EMPTY_SENTENCES: readonly RegExp[] = [
  ...SAYS_SO,
  // "no comments", "no objections", "no further questions from my side"
  /^(?:i have |i've )?no (?:further |more |other |new |additional )?(?:comments?|points?|remarks?|objections?|additions?|notes?|input|questions?|changes)(?: (?:here|now|for now|at this point|from me|from my side|from my end|to add))*$/,
  /^(?:that is|that's|this is) (?:all|everything|it)(?: (?:from me|from my side|i have|for now))*$/,
  // "I agree", "agreed with bob", "I fully agree with everything above", "+1", "same here"
  /^(?:i |we )?(?:fully |completely |entirely |totally |still |also )?(?:agree|concur|agreed)(?: (?:completely|entirely|fully))?(?: with (?:(?:the )?(?:others|above|everyone|everybody|both|all of (?:it|this|that|you)|everything (?:above|said)|that|this|what (?:was|has been) said|[a-z][a-z0-9_-]{0,31}(?:(?:,| and) [a-z][a-z0-9_-]{0,31})*)))?$/,
  /^(?:\+1|same(?: here)?|ditto|me too|seconded|pass|i pass|skip|none|nope?|no|nothing|n\/a)$/,
  // "sounds good", "looks good to me", "good point", "makes sense", "well said"
  /^(?:(?:that |this |it )?(?:sounds|looks) (?:good|great|fine|right)(?: to me)?|(?:good|great|fair|excellent) points?|makes sense|well said|exactly|right|correct|great|perfect|ok(?:ay)?|fine(?: by me| with me)?|understood|noted|lgtm|yes|indeed)$/,
  // "thanks", "thank you all", "thanks for the details", "you're welcome", "glad to help"
  /^(?:many |great )?(?:thanks|thank you|thx|cheers)(?: (?:so much|very much|a lot|again|all|everyone|everybody|both))*(?:,? [a-z][a-z0-9_-]{0,31})?(?: for (?:the|your|that|this|all)(?: [a-z-]{1,20}){0,4})?$/,
  /^(?:you(?:'re| are) (?:very )?welcome|no problem|my pleasure|happy to help|glad (?:to help|that helped|we agree))$/,
];

/** May be the complete answer to a question. */
const ANSWER = /^(?:no|nope|none|nothing|n\/a|yes|right|correct|exactly|indeed|lgtm)$/;

const CODE = /`|^\s{0,3}(?:[-*+] |\d+[.)] |#{1,6} |>|\|)/m;

export function isNothingToAdd(text: string): boolean {
  return emptyClauses(text) !== undefined;
}

/** Stricter: says explicitly that there is nothing to add, and nothing that could be an answer. */
export function saysNothingToAdd(text: string): boolean {
  const clauses = emptyClauses(text);
  if (clauses === undefined || clauses.some((part) => ANSWER.test(part))) return false;
  return clauses.some((part) => SAYS_SO.some((pattern) => pattern.test(part)));
}

/** The sentences of an answer that adds nothing; undefined for any other answer. */
function emptyClauses(text: string): string[] | undefined {
  const whole = text.trim();
  if (whole === "" || whole.length > NOTHING_CHARS_MAX || CODE.test(whole) || whole.includes("?")) return undefined;
  const sentences = whole
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u2018\u2019]/g, "'")
    .split(/[.!;\n\u2026\u3002]+|\s[-\u2013\u2014]\s/)
    .map(bare)
    .filter((sentence) => sentence !== "");
  const clausesPerSentence = sentences.map(clausesOf);
  return clausesPerSentence.length > 0 && clausesPerSentence.every((clauses) => clauses.length > 0)
    ? clausesPerSentence.flat()
    : undefined;
}

/** Without emphasis, quotes, emoji and mentions. */
function bare(sentence: string): string {
  return sentence
    .replaceAll(/@(?=[a-z])/g, "")
    .replaceAll(/[*_"\u201c\u201d()\p{Extended_Pictographic}\ufe0f\u200d]/gu, (char) => (/\d/.test(char) ? char : ""))
    .replaceAll(/[,:]\s*$/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Splits two short sentences joined by a comma or a dash: "Agreed, nothing to add". Empty for a sentence that says
 * something.
 */
function clausesOf(sentence: string): string[] {
  if (matches(sentence)) return [sentence];
  const clauses = sentence.split(/,\s+(?:and |but |so )?|\s+(?:and|but|so)\s+(?=i |nothing|no |have )/);
  const isEmpty =
    clauses.length > 1 && clauses.length <= 4 && clauses.every((part) => isAddress(part) || matches(part));
  return isEmpty ? clauses : [];
}

function matches(clause: string): boolean {
  return EMPTY_SENTENCES.some((pattern) => pattern.test(clause));
}

/** "all", "everyone": a form of address. */
function isAddress(clause: string): boolean {
  return /^(?:all|everyone|everybody|folks|team)$/.test(clause);
}

/** Members that a text mentions as `@name`. Mentions in code do not count. */

const FENCED = /(^|\n)[ \t]{0,3}(```+|~~~+)[^\n]*(?:\n[\s\S]*?(?:\n[ \t]{0,3}\2[^\n]*|$)|$)/g;
const INLINE_CODE = /`[^`\n]+`/g;
const MENTION = /(?<![\p{L}\p{N}_@./\\-])@([a-z][a-z0-9_-]{0,31})(?![\p{L}\p{N}_@])/giu;
/** Only this much of a text is scanned for mentions. */
const SCANNED_CHARS_MAX = 64 * 1024;

/** Names that the text mentions, by first mention. */
export function mentionsIn(text: string, names: readonly string[]): string[] {
  if (!text.includes("@")) return [];
  const prose = text.slice(0, SCANNED_CHARS_MAX).replaceAll(FENCED, "\n").replaceAll(INLINE_CODE, " ");
  const mentioned = new Set<string>();
  for (const [, given = ""] of prose.matchAll(MENTION)) {
    const name = [given, given.replace(/[-_]+$/, "")]
      .map((one) => one.toLowerCase())
      .find((one) => names.includes(one));
    if (name !== undefined) mentioned.add(name);
  }
  return [...mentioned];
}
