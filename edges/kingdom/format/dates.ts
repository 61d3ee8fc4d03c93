/** Times in thread files: UTC, whole seconds, a `Z` at the end. */

export function encodeDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Undefined for an invalid date. */
export function decodeDate(text: unknown): number | undefined {
  if (typeof text !== "string") return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.trim());
  const ms = Date.parse(hasZone ? text.trim() : `${text.trim()}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
