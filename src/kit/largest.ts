/** The largest of any number of numbers: as arguments of one call, more than about a hundred thousand end the program. */
export function largest(numbers: Iterable<number>, least = Number.NEGATIVE_INFINITY): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
