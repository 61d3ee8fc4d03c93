/**
 * Finds and counts what must be redacted in a text. A secret that was recognised by its context is found everywhere
 * afterwards, also alone.
 */
import { findAssignments, isSecretValue, looksRandom } from "./assignments.ts";
import { findPemBlocks, secretPatterns } from "./secret-patterns.ts";
import { applyRanges, MARKS, mergeRanges, type Range, type RedactedKind } from "./ranges.ts";

/** Further secrets of a session are found only by their context. */
const LEARNED_MAX = 2_000;
const LEARNED_CHARS_MIN = 10;
const NAME_CHARS_MIN = 3;
/** User names that are everyday words: redacting them would spoil the text and hide nothing. */
const EVERYDAY = new Set([
  "root",
  "user",
  "users",
  "admin",
  "home",
  "node",
  "test",
  "ubuntu",
  "debian",
  "runner",
  "dev",
]);

export interface RedactorOptions {
  /** Directories of the user; replaced by `~`. */
  readonly homes?: readonly string[];
  readonly users?: readonly string[];
  /** Replaced everywhere, in any case. */
  readonly terms?: readonly string[];
}

export type RedactionCounts = Readonly<Record<RedactedKind, number>>;

export interface Redactor {
  find(text: string): Range[];
  redact(text: string): string;
  /** For a named value, as in JSON. */
  redactValue(name: string, value: string): string;
  /** Remembers the secrets of this text, to find them anywhere. */
  learn(text: string): void;
  note(ranges: readonly Range[]): void;
  readonly counts: RedactionCounts;
  /** Sentences about terms that were not redacted because they are everyday words. */
  readonly unredacted: readonly string[];
}

export function createRedactor({ homes = [], users = [], terms = [] }: RedactorOptions): Redactor {
  const counts = { secret: 0, home: 0, user: 0, word: 0 };
  const learned = new Set<string>();
  let learnedPattern: RegExp | undefined;
  const named = users.filter(isTellable);
  const literals: readonly { kind: RedactedKind; pattern: RegExp }[] = [
    ...patternOf(
      "word",
      terms.filter((word) => word.trim() !== ""),
      (one) => one,
      "gi",
    ),
    ...patternOf("home", homes.filter(isHome), (one) => `(?<![A-Za-z0-9_])(?:${one})(?![A-Za-z0-9_-])`, "g"),
    { kind: "home", pattern: /(?<![A-Za-z0-9_])\/(?:home|Users)\/[^/\s"'`<>:;,|\\)\]}]{1,64}/g },
    { kind: "home", pattern: /(?<![A-Za-z0-9_])[A-Za-z]:\\{1,2}Users\\{1,2}[^\\/\s"'`<>:;,|)\]}]{1,64}/g },
    ...patternOf("user", named, (one) => `(?<![A-Za-z0-9])(?:${one})(?![A-Za-z0-9])`, "gi"),
  ];

  function find(text: string): Range[] {
    const ranges = secretsIn(text);
    if (learned.size > 0) {
      learnedPattern ??= new RegExp(alternatives([...learned]), "g");
      for (const match of text.matchAll(learnedPattern)) ranges.push(rangeOf(match, "secret"));
    }
    for (const { kind, pattern } of literals) {
      for (const match of text.matchAll(pattern)) ranges.push(rangeOf(match, kind));
    }
    return mergeRanges(ranges);
  }

  function note(ranges: readonly Range[]): void {
    for (const { kind } of ranges) counts[kind] += 1;
  }

  function redact(text: string): string {
    const ranges = find(text);
    if (ranges.length === 0) return text;
    note(ranges);
    return applyRanges(text, ranges);
  }

  return {
    find,
    redact,
    redactValue(name, value) {
      if (!isSecretValue(name, value)) return redact(value);
      counts.secret += 1;
      return MARKS.secret;
    },
    learn(text) {
      for (const { start, end } of secretsIn(text)) {
        const secret = text.slice(start, end);
        if (learned.size >= LEARNED_MAX || !isWorthLearning(secret)) continue;
        learned.add(secret);
        learnedPattern = undefined;
      }
    },
    note,
    counts,
    unredacted: users.flatMap((name) => (name === "" || isTellable(name) ? [] : [formatUnredacted(name)])),
  };
}

function secretsIn(text: string): Range[] {
  const ranges: Range[] = [...findPemBlocks(text), ...findAssignments(text)].map(asSecret);
  for (const { hints, pattern } of secretPatterns) {
    if (!hints.some((hint) => text.includes(hint))) continue;
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.groups?.["secret"] ?? [match.index, match.index + match[0].length];
      ranges.push({ start, end, kind: "secret" });
    }
  }
  return ranges;
}

function formatUnredacted(name: string): string {
  return `The user name "${name}" is too common a word to be redacted.`;
}

function asSecret({ start, end }: { start: number; end: number }): Range {
  return { start, end, kind: "secret" };
}

function rangeOf(match: RegExpExecArray, kind: RedactedKind): Range {
  return { start: match.index, end: match.index + match[0].length, kind };
}

function isTellable(name: string): boolean {
  return name.length >= NAME_CHARS_MIN && !EVERYDAY.has(name.toLowerCase());
}

function isHome(path: string): boolean {
  return path.length > 1;
}

/** Only what cannot be anything else: a password that is an everyday word would redact that word everywhere. */
function isWorthLearning(secret: string): boolean {
  if (secret.length < LEARNED_CHARS_MIN || secret.length > 512) return false;
  return looksRandom(secret) || (/\d/.test(secret) && /[A-Za-z]/.test(secret) && !/[/.:]/.test(secret));
}

function patternOf(
  kind: RedactedKind,
  literals: readonly string[],
  frame: (alternatives: string) => string,
  flags: string,
): { kind: RedactedKind; pattern: RegExp }[] {
  return literals.length === 0 ? [] : [{ kind, pattern: new RegExp(frame(alternatives(literals)), flags) }];
}

/** Longest first, so that a prefix does not hide a longer match. */
function alternatives(literals: readonly string[]): string {
  return literals
    .toSorted((a, b) => b.length - a.length)
    .map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join("|");
}
