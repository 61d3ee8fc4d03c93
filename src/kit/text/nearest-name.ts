/** "Did you mean" suggestions by edit distance. For messages only: a guess is never acted on. */

const SHOWN_MAX = 3;
/** Longer words are not compared. */
const WORD_MAX = 64;

/** Undefined when nothing is close. */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  const isNear = (distance: number, name: string) => distance <= Math.max(2, Math.floor(name.length / 2));
  return ranked(known, (name) => editDistance(word.toLowerCase(), name.toLowerCase())).find(({ distance, name }) =>
    isNear(distance, name),
  )?.name;
}

/** At most three names within `slipsMax` edits, prefix matches first. */
export function nearNames(
  word: string,
  known: readonly string[],
  { slipsMax }: { readonly slipsMax: number },
): string[] {
  const wanted = word.toLowerCase().slice(0, WORD_MAX);
  const isNear = (distance: number, name: string) =>
    distance <= Math.min(slipsMax, Math.max(1, Math.floor(name.length / 2)));
  return ranked(known, (name) => (name.startsWith(wanted) ? 0 : editDistance(wanted, name)))
    .filter(({ distance, name }) => isNear(distance, name))
    .slice(0, SHOWN_MAX)
    .map(({ name }) => name);
}

function ranked(known: readonly string[], distanceOf: (name: string) => number) {
  return known.map((name) => ({ name, distance: distanceOf(name) })).sort((a, b) => a.distance - b.distance);
}

/** Insertions, deletions, replacements and transpositions (Damerau-Levenshtein). */
export function editDistance(from: string, to: string): number {
  const [a, b] = [from.slice(0, WORD_MAX), to.slice(0, WORD_MAX)];
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, row) => [row]);
  const at = (row: number, column: number) => rows[row]?.[column] ?? row + column;
  for (let column = 1; column <= b.length; column++) rows[0]?.push(column);
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + cost);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, at(row - 2, column - 2) + 1);
      }
      rows[row]?.push(best);
    }
  }
  return at(a.length, b.length);
}
