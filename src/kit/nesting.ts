/**
 * How deep a value may nest that a stranger has sent. Values are parsed without recursion, but checked, folded and
 * written with it: one that nests without end would use up the stack of whoever handles it.
 */
export const NESTING_MAX = 128;

export const TOO_DEEP = `it nests deeper than ${NESTING_MAX} levels`;

/** For what JSON can say. */
export function isTooDeep(value: unknown, levels: number = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inside.some((one) => isTooDeep(one, levels - 1));
}
