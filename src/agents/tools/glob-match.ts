/**
 * Glob matching by path segment with `**`, `*`, `?` and `[…]`. Time is at most pattern × path: patterns and paths come
 * from models, and regular expressions built from globs can take exponential time.
 */

export function matchesGlob(pattern: readonly string[], path: readonly string[]): boolean {
  return matchRun(pattern.length, path.length, {
    isStar: (at) => pattern[at] === "**",
    matches: (at, pathAt) => matchesSegment(pattern[at] ?? "", path[pathAt] ?? ""),
  });
}

function matchesSegment(pattern: string, name: string): boolean {
  const parts = parseSegment(pattern);
  return matchRun(parts.length, name.length, {
    isStar: (at) => parts[at] === "*",
    matches: (at, nameAt) => {
      const part = parts[at];
      return typeof part === "function" && part(name.charAt(nameAt));
    },
  });
}

type Part = "*" | ((character: string) => boolean);

function parseSegment(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    const close = character === "[" ? pattern.indexOf("]", at + 2) : -1;
    if (character === "*") parts.push("*");
    else if (character === "?") parts.push(() => true);
    else if (close !== -1) {
      parts.push(parseClass(pattern.slice(at + 1, close)));
      at = close;
    } else {
      const literal = character === "\\" ? pattern.charAt(++at) : character;
      parts.push((one) => one === literal);
    }
  }
  return parts;
}

function parseClass(body: string): (character: string) => boolean {
  const negated = body.startsWith("!") || body.startsWith("^");
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < body.length; at++) {
    const low = body.charAt(at);
    const isRange = body.charAt(at + 1) === "-" && at + 2 < body.length;
    ranges.push([low, isRange ? body.charAt(at + 2) : low]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([low, high]) => low <= character && character <= high) !== negated;
}

/** Greedy with one backtrack point: after a later star an earlier one never needs another try. */
function matchRun(
  patternLength: number,
  length: number,
  rules: { isStar: (at: number) => boolean; matches: (at: number, against: number) => boolean },
): boolean {
  let at = 0;
  let against = 0;
  let starAt = -1;
  let starAgainst = 0;
  while (against < length) {
    if (at < patternLength && rules.isStar(at)) {
      starAt = at++;
      starAgainst = against;
    } else if (at < patternLength && rules.matches(at, against)) {
      at++;
      against++;
    } else if (starAt !== -1) {
      at = starAt + 1;
      against = ++starAgainst;
    } else return false;
  }
  while (at < patternLength && rules.isStar(at)) at++;
  return at === patternLength;
}
