/**
 * Limits for untrusted JSON. Values are parsed iteratively but validated, folded and serialised recursively, so unlimited
 * nesting would overflow the stack. And each value that is wrong is reported: millions of them would fill the memory.
 */
export const NESTING_MAX = 128;

export const TOO_DEEP = `it nests deeper than ${NESTING_MAX} levels`;

/** For JSON values (no cycles). */
export function isTooDeep(value: unknown, levels: number = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inside.some((one) => isTooDeep(one, levels - 1));
}

/** Of one message; more take seconds to validate. */
const VALUES_MAX = 100_000;

const TOO_MANY = `it has more than ${VALUES_MAX} values`;

/** For JSON values (no cycles), of any depth. */
export function hasTooMany(value: unknown): boolean {
  const waiting = [value];
  let left = VALUES_MAX;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const inside: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    left -= inside.length;
    if (left < 0) return true;
    for (const each of inside) if (typeof each === "object" && each !== null) waiting.push(each);
  }
  return false;
}

/** Why it must not be validated; undefined when it may be. */
export function excessOf(value: unknown): string | undefined {
  if (isTooDeep(value)) return TOO_DEEP;
  return hasTooMany(value) ? TOO_MANY : undefined;
}
