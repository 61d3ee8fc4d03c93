/** The names a person may have meant, nearest first; none when nothing is near. They are shown, never acted upon. */
const SHOWN_MAX = 3;
const DISTANCE_MAX = 2;
/** Longer words are not compared letter by letter. */
const WORD_MAX = 64;

export function nearNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase().slice(0, WORD_MAX);
  return known
    .map((one) => ({ one, distance: one.startsWith(wanted) ? 0 : editDistance(wanted, one) }))
    .filter(({ one, distance }) => distance <= Math.min(DISTANCE_MAX, Math.max(1, Math.floor(one.length / 2))))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SHOWN_MAX)
    .map(({ one }) => one);
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substitute = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(substitute, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
