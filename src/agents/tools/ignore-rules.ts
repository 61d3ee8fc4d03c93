/**
 * The basics of .gitignore: comments, `!`, a leading and a trailing `/`, `*`, `?`, `[…]` and `**`.
 * Matching takes time in proportion to pattern × path whatever the pattern says, because the file is not ours.
 */
import { matchesGlob } from "./glob-match.ts";

export interface IgnoreScope {
  /** The directory the rules came from, relative to the root: "" or "a/b". */
  base: string;
  rules: readonly IgnoreRule[];
}

interface IgnoreRule {
  negated: boolean;
  directoriesOnly: boolean;
  segments: readonly string[];
}

/** Rules beyond this are not read: an ignore file that long is not written by hand. */
const RULES_MAX = 2_000;

export function parseIgnoreFile(text: string): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.replace(/\r$/, "").trimEnd();
    if (line === "" || line.startsWith("#")) continue;
    const negated = line.startsWith("!");
    const pattern = (negated ? line.slice(1) : line).replace(/^\\(?=[#!])/, "");
    const directoriesOnly = pattern.endsWith("/");
    const body = pattern.replace(/\/+$/, "");
    if (body === "") continue;
    // A pattern without a slash matches at any depth; one with a slash is tied to its directory.
    const segments = body.includes("/") ? body.replace(/^\/+/, "").split("/") : ["**", body];
    rules.push({ negated, directoriesOnly, segments });
    if (rules.length === RULES_MAX) break;
  }
  return rules;
}

/** The last rule that matches decides, inner directories after outer ones. */
export function isIgnored(scopes: readonly IgnoreScope[], path: string, isDirectory: boolean): boolean {
  for (const { base, rules } of scopes.toReversed()) {
    const segments = (base === "" ? path : path.slice(base.length + 1)).split("/");
    const rule = rules.findLast((one) => (isDirectory || !one.directoriesOnly) && matchesGlob(one.segments, segments));
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}
