/**
 * Immutable records with arbitrary keys. Keys come from outside ("constructor" is a legal member name),
 * so a value is read only where it is the record's own.
 */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function omit<T extends object, Key extends keyof T>(record: T, ...keys: readonly Key[]): Omit<T, Key> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key as Key))) as Omit<T, Key>;
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value, each as the log would read it back. */
export function present<T extends object>(fields: T): Present<T> {
  return plain(fields);
}

/**
 * The value as the log would read it back: without fields that are undefined. An event folded live may have such
 * fields where the one from the file has none, and both must give the same transcript.
 */
export function plain<T>(value: T): T {
  return hasUndefined(value) ? (strip(value) as T) : value;
}

function hasUndefined(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasUndefined);
  return Object.values(value).some((field) => field === undefined || hasUndefined(field));
}

function strip(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(strip);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([key, field]) => [key, strip(field)]),
  );
}
