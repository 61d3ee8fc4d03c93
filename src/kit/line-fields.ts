/** Looks into lines of unknown files, for the little that a list needs. */

export function fieldOf(value: unknown, key: string): string | undefined {
  const field = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof field === "string" ? field : undefined;
}

export function partOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

export function firstOf(values: readonly unknown[], key: string): string | undefined {
  return values.map((value) => fieldOf(value, key)).find((field) => field !== undefined);
}

export function countOf(values: readonly unknown[], isMeant: (value: unknown) => boolean): number {
  return values.filter(isMeant).length;
}
