/**
 * Full-text search as on a runner's own index, in the terms of PostgreSQL: our tokeniser makes the words, so a tsvector
 * holds what a search on the laptop would find, positions for phrases included.
 */
import { foldText, holds, makeSnippet, splitIdentifiers, tokensOf } from "../../host/index.ts";
import type { Entry, Term } from "../../host/index.ts";
import type { StoredHit } from "./team-store.ts";

/** PostgreSQL allows 2,046 bytes; longer ones are no words. */
const TOKEN_CHARS_MAX = 200;
/** Of one entry; the limit of PostgreSQL is 1 MiB with positions. */
const VECTOR_CHARS_MAX = 256 * 1024;
/** Limits of PostgreSQL for one word. */
const POSITION_MAX = 16_383;
const POSITIONS_MAX = 255;
/** Stored per entry; the rest of a longer text is in the event. */
export const ENTRY_CHARS_MAX = 64 * 1024;

/** PostgreSQL stores neither zero characters nor halves of a surrogate pair. */
export function storable<Value>(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\uFFFD") as Value;
  if (Array.isArray(value)) return value.map(storable) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, storable(one)])) as Value;
}

/** The text form of a tsvector. Tokens have only letters and digits, so nothing needs escaping. */
export function toVector(text: string): string {
  const positions = new Map<string, number[]>();
  let chars = 0;
  for (const [index, token] of tokensOf(foldText(text)).entries()) {
    const short = token.slice(0, TOKEN_CHARS_MAX).toWellFormed();
    const at = positions.get(short);
    if (at !== undefined && at.length < POSITIONS_MAX) at.push(Math.min(index + 1, POSITION_MAX));
    if (at !== undefined || chars > VECTOR_CHARS_MAX) continue;
    chars += short.length;
    positions.set(short, [Math.min(index + 1, POSITION_MAX)]);
  }
  const lexemes = [...positions].map(([token, at]) => `'${token}':${[...new Set(at)].join(",")}`);
  // Without positions: phrases are searched in the text alone.
  const names = splitIdentifiers(text).filter((part) => /^[\p{L}\p{N}]+$/u.test(part) && !positions.has(part));
  return [...lexemes, ...names.map((name) => `'${name.slice(0, TOKEN_CHARS_MAX)}'`)].join(" ");
}

/** The text form of a tsquery: every term must match. */
export function toQuery(terms: readonly Term[]): string {
  return terms
    .filter(({ tokens }) => tokens.length > 0)
    .map(({ tokens, isPrefix }) => {
      const lexemes = tokens.map((token) => `'${token.slice(0, TOKEN_CHARS_MAX).toWellFormed()}'`);
      return `(${lexemes.join(" <-> ")}${isPrefix ? ":*" : ""})`;
    })
    .join(" & ");
}

/** Of a text that matches the words of the query; undefined when a literal with punctuation does not occur in it. */
export function toHit(
  session: { readonly sessionId: string; readonly title: string; readonly cwd: string },
  entry: Entry,
  terms: readonly Term[],
): StoredHit | undefined {
  if (!holds(entry.text, terms)) return undefined;
  const { text, retracts: _, ...position } = entry;
  return { ...session, ...position, ...makeSnippet(text, terms) };
}
