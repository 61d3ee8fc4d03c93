/** The name somebody most likely meant; undefined when none is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name);
    if (distance < bestDistance && distance <= Math.max(2, Math.floor(name.length / 2))) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (before[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min((before[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced));
    }
    before = current;
  }
  return before[to.length] ?? 0;
}
