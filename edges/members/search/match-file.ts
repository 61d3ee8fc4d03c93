/** Finds terms in one file and returns the numbers of its best lines, without the text. */
import { definitionOf } from "./definition.ts";
import { splitIdentifier, stem, type Term } from "./terms.ts";

/** Terms are bits: bit i of a mask is term i. */
export interface LineHit {
  /** From 1. */
  line: number;
  matched: number;
  /** Matched as a whole word, not as a prefix. */
  exact: number;
  /** Matched on neighbouring lines. */
  near: number;
  /** The line defines a name that is or contains the term. */
  named: number;
  namedPart: number;
  /** Number of components of the defined name; 0 when no defined name matches. */
  nameSegments: number;
  isHeading: boolean;
  isLocal: boolean;
  isImport: boolean;
}

export interface FileHits {
  path: string;
  counts: readonly number[];
  lines: readonly LineHit[];
}

/** Enough to rank by. */
const MATCHES_PER_TERM_MAX = 200;
const LINES_MAX = 8;
const NEAR_LINES = 4;
const PREFIX_CHARS_MIN = 4;
const IMPORT_CHARS_MAX = 200;
const IMPORT_LINE =
  /^\s*(?:import\b|from\b.*\bimport\b|use\b.*;|#include\b|export\b.*\bfrom\b|(?:module\.)?exports\b|export *[{*]|.*\brequire\()/;

export function matchFile(path: string, text: string, terms: readonly Term[]): FileHits | undefined {
  const lower = lowerCase(text);
  const hits = new Map<number, { matched: number; exact: number }>();
  const counts = terms.map(() => 0);
  let starts: number[] | undefined;
  for (const [index, term] of terms.entries()) {
    let at = lower.indexOf(term.needle);
    while (at !== -1 && (counts[index] ?? 0) < MATCHES_PER_TERM_MAX) {
      const strength = matchStrength(text, lower, at, term);
      if (strength > 0) {
        starts ??= lineStarts(text);
        const line = lineAt(starts, at);
        const hit = hits.get(line) ?? { matched: 0, exact: 0 };
        hits.set(line, { matched: hit.matched | (1 << index), exact: hit.exact | (strength === 2 ? 1 << index : 0) });
        counts[index] = (counts[index] ?? 0) + 1;
      }
      at = lower.indexOf(term.needle, at + term.needle.length);
    }
  }
  if (starts === undefined) return undefined;
  const scanned: Scanned = { text, starts, hits, terms };
  const lines = bestLines(describeLines(path, scanned));
  for (const hit of lines) hit.isImport = IMPORT_LINE.test(lineText(scanned, hit.line - 1).slice(0, IMPORT_CHARS_MAX));
  return { path, counts, lines };
}

/** Some letters change their length in lower case, which would shift offsets; then only ASCII letters are lowered. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
}

/** 0: inside another word; 1: the beginning of a word; 2: the word. */
function matchStrength(text: string, lower: string, at: number, term: Term): 0 | 1 | 2 {
  if (term.kind === "phrase") return 2;
  const end = at + term.needle.length;
  if (isLetter(text, at) && isLetter(text, at - 1) && !startsHump(text, at)) return 0;
  // createAgent is another name than createAgentEvents.
  if (term.kind === "identifier") return isNamePart(text, at - 1) || isNamePart(text, end) ? 1 : 2;
  if (lower.startsWith(term.full, at) && endsWord(text, at + term.full.length)) return 2;
  if (endsWord(text, end)) return 2;
  if (term.needle.length >= PREFIX_CHARS_MIN) return 1;
  return 0;
}

function isNamePart(text: string, at: number): boolean {
  return isLetter(text, at) || /[\w$]/.test(text.charAt(at));
}

function endsWord(text: string, end: number): boolean {
  return !isLetter(text, end) || !isLetter(text, end - 1) || startsHump(text, end);
}

function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  // Scripts without capitals mostly have no spaces: a word may begin anywhere.
  return code === code && /[\p{Lu}\p{Ll}]/u.test(text.charAt(at));
}

function startsHump(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  const isUpper = code >= 65 && code <= 90;
  // The second letter of "HTTPServer" at S: upper before, lower after.
  if (isUpper && before >= 97 && before <= 122) return true;
  const after = text.charCodeAt(at + 1);
  return isUpper && before >= 65 && before <= 90 && after >= 97 && after <= 122;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Zero-based index of the line at this offset. */
function lineAt(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Scanned {
  text: string;
  starts: readonly number[];
  hits: ReadonlyMap<number, { matched: number; exact: number }>;
  terms: readonly Term[];
}

function describeLines(path: string, scanned: Scanned): LineHit[] {
  const { hits, terms } = scanned;
  return [...hits].map(([index, { matched, exact }]) => {
    const definition = definitionOf(lineText(scanned, index), path);
    const name = definition?.name.toLowerCase() ?? "";
    // Most names do not match; splitting them all would be slow.
    const isNamed = definition !== undefined && terms.some((term) => name.includes(term.needle));
    const segments = isNamed ? splitIdentifier(definition.name) : [];
    let near = 0;
    for (let other = index - NEAR_LINES; other <= index + NEAR_LINES; other++) near |= hits.get(other)?.matched ?? 0;
    return {
      line: index + 1,
      matched,
      exact,
      near: near & ~matched,
      named: isNamed ? maskOf(terms, (term) => name === term.full) : 0,
      namedPart: isNamed ? maskOf(terms, (term) => segments.some((one) => isTerm(one, term))) : 0,
      nameSegments: isNamed ? segments.length : 0,
      isHeading: definition?.as === "heading",
      isLocal: definition?.isLocal ?? false,
      isImport: false,
    };
  });
}

function isTerm(segment: string, term: Term): boolean {
  return segment === term.full || (segment.startsWith(term.needle.slice(0, 2)) && stem(segment) === term.needle);
}

function lineText({ text, starts }: Scanned, index: number): string {
  return text.slice(starts[index], (starts[index + 1] ?? text.length + 1) - 1).replace(/\r$/, "");
}

function maskOf(terms: readonly Term[], holds: (term: Term) => boolean): number {
  return terms.reduce((mask, term, index) => (holds(term) ? mask | (1 << index) : mask), 0);
}

/** The rarity of terms is not known yet: all count the same. */
function bestLines(lines: LineHit[]): LineHit[] {
  const worth = (hit: LineHit) =>
    4 * bits(hit.matched) + bits(hit.exact) + bits(hit.near) + 6 * bits(hit.named) + 3 * bits(hit.namedPart);
  return lines.sort((a, b) => worth(b) - worth(a) || a.line - b.line).slice(0, LINES_MAX);
}

export function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
