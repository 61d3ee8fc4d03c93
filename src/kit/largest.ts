/** `Math.max` for any number of values; spreading more than about 100,000 arguments overflows the stack. */
export function largest(numbers: Iterable<number>, least = Number.NEGATIVE_INFINITY): number {
  let most = least;
  for (const number of numbers) if (number > most) most = number;
  return most;
}
