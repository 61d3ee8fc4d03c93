/** The known word somebody most likely meant, or none when nothing is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.floor(candidate.length / 2)))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = Array.from({ length: from.length + 1 }, (_, row) => [row]);
  const at = (row: number, column: number) => rows[row]?.[column] ?? row + column;
  for (let column = 1; column <= to.length; column++) rows[0]?.push(column);
  for (let row = 1; row <= from.length; row++) {
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      let best = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + cost);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, at(row - 2, column - 2) + 1);
      }
      rows[row]?.push(best);
    }
  }
  return at(from.length, to.length);
}
