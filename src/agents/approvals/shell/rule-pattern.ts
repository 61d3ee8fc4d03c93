/**
 * A rule's pattern as words. A trailing `*` means any further arguments, with or without a blank before it; inside a
 * word it matches any part of that word. Quotes work as in a shell.
 */

export interface RulePattern {
  /** One glob per word; quoted parts are escaped. Without the trailing `*`. */
  readonly globs: readonly string[];
  /** Whether more arguments may follow. */
  readonly isOpen: boolean;
  /** The last word may continue too: `test:*`, `src/*`. */
  readonly isPrefix: boolean;
  readonly isLiteral: boolean;
}

const WILD = /[*?[]/;

/** Undefined for more than one simple command; such a rule matches exactly its own text. */
export function rulePattern(match: string): RulePattern | undefined {
  const globs = splitArguments(match);
  const last = globs?.at(-1);
  if (globs === undefined || last === undefined) return undefined;
  const before = globs.slice(0, -1);
  const isLiteral = !globs.some((one) => WILD.test(one.replaceAll(/\\./g, "")));
  if (/^\*+$/.test(last)) return { globs: before, isOpen: true, isPrefix: false, isLiteral };
  if (!last.endsWith("*") || last.endsWith("\\*")) return { globs, isOpen: false, isPrefix: false, isLiteral };
  const stem = last.replace(/\*+$/, "");
  // `git status*` is git status with any arguments, not `git status-x`.
  const isPrefix = !/[\w\])}]$/.test(stem);
  return { globs: [...before, isPrefix ? last : stem], isOpen: true, isPrefix, isLiteral };
}

/** Undefined for syntax beyond words and quotes. */
function splitArguments(text: string): string[] | undefined {
  const result: string[] = [];
  const token = /\s+|"([^"$`\\]*)"|'([^']*)'|\\([\s\S])|[;&|<>()`$]|[^\s"'\\;&|<>()`$]+|["']/gy;
  let word: string | undefined;
  for (const [all, double, single, escaped] of text.matchAll(token)) {
    if (/^\s/.test(all)) {
      if (word !== undefined) result.push(word);
      word = undefined;
    } else if (/^[;&|<>()`$"']$/.test(all)) return undefined;
    else word = (word ?? "") + (literalOf(double ?? single ?? escaped) ?? all);
  }
  if (word !== undefined) result.push(word);
  return result;
}

function literalOf(quoted: string | undefined): string | undefined {
  return quoted?.replaceAll(/[*?[\\\]]/g, String.raw`\$&`);
}
