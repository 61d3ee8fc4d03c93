/**
 * Nesting limit for untrusted JSON. Values are parsed iteratively but validated, folded and serialised recursively, so
 * unlimited nesting would overflow the stack.
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
