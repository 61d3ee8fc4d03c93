/** Search terms of a question: words, identifiers and quoted phrases, without stop words. */

export interface Term {
  /** Lower case; searched for. */
  needle: string;
  /** As the user wrote it, for the answer. */
  shown: string;
  /** `part`: a component of an identifier, a weak hint. */
  kind: "identifier" | "word" | "phrase" | "part";
  /** The full word in lower case; the needle may be only its stem. */
  full: string;
}

export interface Terms {
  terms: readonly Term[];
  /** Names that look like files or paths ("src/port.ts", "Makefile"), to be compared with those that exist. */
  paths: readonly string[];
  /** How many words were left out because there were too many. */
  leftOut: number;
}

/** More terms do not improve a search, and each costs a pass over every file. */
export const TERMS_MAX = 16;
const PHRASE_CHARS_MAX = 80;
const NEEDLE_CHARS_MIN = 2;

/** Stop words of questions. */
const STOPWORDS = new Set(
  `a about above actually after again all already also am an and any anybody anyone anything are around as ask asked asks at
  be because been before being below best between both but by came can cannot case come comes could current currently
  did do does doing done dont down each else ever every everything example exactly exist exists explain
  few find finds first for from get gets give gives go goes going good got
  had handle handled handles happen happening happens has have having he hello help here hey hi how i if in inside into is isn it its itself
  just kind know last let lets like likely list live lives located look looking looks lot made main make makes making many may maybe me mean
  means might mine more most much must my need needs never new next no not nothing now of off often ok on once one only or other
  our out over own part parts people place places please possible put quite rather really related responsible right
  same say says see seem seems set shall she should show shows so some somebody someone something somewhere sort still such sure
  take takes tell than thank thanks that the their them then there these they thing things think this those through to too toward
  try two under until up upon us use used uses using usually various very via want wants was way ways we well were what whatever when
  where whether which while who whole whom whose why will with within without wonder work working works would yes yet you your
  code codebase file files folder directory project repo repository source implement implemented implementation implements
  define defined defines definition definitions declared declaration called calls call function functions method methods class classes
  variable line lines scout answer question`.split(/\s+/),
);

const QUOTED = /`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”/gu;
const TOKEN = /[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:[-./:\\]+[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*)*/gu;
const FILE_NAME = /\.[a-z][a-z0-9]{0,7}$|^(?:makefile|dockerfile|license|readme|changelog)$/iu;
const CONTRACTION = /(\p{L})['’](?:s|re|ll|ve|d|m|t)\b/giu;

export function parseTerms(question: string): Terms {
  const terms = new Map<string, Term>();
  const paths = new Set<string>();
  const add = (term: Term) => {
    if (term.needle.length < NEEDLE_CHARS_MIN) return;
    const known = terms.get(term.needle);
    if (known === undefined || known.kind === "part") terms.set(term.needle, term);
  };
  const rest = question
    .replace(QUOTED, (_whole, ...groups: unknown[]) => {
      const quoted = groups.slice(0, 3).find((one) => typeof one === "string" && one !== "");
      if (typeof quoted === "string") addQuoted(quoted.trim().slice(0, PHRASE_CHARS_MAX), add, paths);
      return " ";
    })
    .replace(CONTRACTION, "$1 ");
  for (const [token] of rest.matchAll(TOKEN)) addToken(token, { add, paths, isLiteral: false });
  const ordered = [...terms.values()].sort((a, b) => KIND_ORDER[a.kind] - KIND_ORDER[b.kind]);
  return { terms: ordered.slice(0, TERMS_MAX), paths: [...paths], leftOut: Math.max(0, ordered.length - TERMS_MAX) };
}

const KIND_ORDER = { phrase: 0, identifier: 1, word: 2, part: 3 };

function addQuoted(quoted: string, add: (term: Term) => void, paths: Set<string>): void {
  if (/^\S+$/.test(quoted)) addToken(quoted.replace(/\(\)$/, ""), { add, paths, isLiteral: true });
  else add({ needle: quoted.toLowerCase(), shown: quoted, kind: "phrase", full: quoted.toLowerCase() });
}

function addToken(token: string, into: { add: (term: Term) => void; paths: Set<string>; isLiteral: boolean }): void {
  const looksLikePath = token.includes("/") || FILE_NAME.test(token);
  if (looksLikePath) into.paths.add(token.replace(/:\d+$/, "").replace(/^\.\//, ""));
  const lower = token.toLowerCase();
  const segments = splitIdentifier(token);
  if (looksLikePath && segments.length > 1) {
    // A path is looked up as such; its components help if there is no such file.
    for (const segment of segments) addPart(segment, into.add);
  } else if (into.isLiteral || isIdentifier(token, segments)) {
    into.add({ needle: lower, shown: token, kind: "identifier", full: lower });
    if (segments.length > 1) for (const segment of segments) addPart(segment, into.add);
  } else if (!isStopword(lower)) into.add({ needle: stem(lower), shown: token, kind: "word", full: lower });
}

function addPart(segment: string, add: (term: Term) => void): void {
  if (segment.length > 2 && !isStopword(segment))
    add({ needle: stem(segment), shown: segment, kind: "part", full: segment });
}

/** A hyphen alone makes no identifier: "read-only" is a word. */
function isIdentifier(token: string, segments: readonly string[]): boolean {
  return (
    /[_$]|\p{Ll}\p{Lu}|\p{L}\p{N}|::|\p{L}\.\p{L}|-.*-/u.test(token) || (segments.length > 1 && token.includes("-"))
  );
}

/** camelCase, PascalCase, HTTPServer, snake_case, kebab-case, dotted and path-like names, in lower case. */
export function splitIdentifier(name: string): string[] {
  return name.match(SEGMENT)?.map((segment) => segment.toLowerCase()) ?? [];
}

const SEGMENT =
  /\p{Lu}+(?![\p{Ll}\p{M}])\p{N}*|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}][\p{Ll}\p{Lm}\p{Lo}\p{M}\p{N}]*|\p{N}+[\p{Ll}\p{N}]*/gu;

/** A light stemmer: "queries", "streaming" and "locked" match "query", "stream" and "lock". */
export function stem(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  // "query" and "queries" share only their beginning.
  if (word.length > 5 && word.endsWith("ies")) return word.slice(0, -3);
  if (word.length > 4 && /[^aeiou]y$/.test(word)) return word.slice(0, -1);
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (/[^su]s$/.test(word)) return stem(word.slice(0, -1));
  const base = word.replace(/(?:ing|ed)$/, "");
  if (base.length === word.length || base.length < 3 || !/[aeiouy]/.test(base)) return word;
  return /([^aeiouls])\1$/.test(base) ? base.slice(0, -1) : base;
}

function isStopword(word: string): boolean {
  return STOPWORDS.has(word) || /^\p{N}{1,2}$/u.test(word);
}
