/** Immutable records with keys from outside ("constructor" is a valid member name), so only own properties are read. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function omit<T extends object, Key extends keyof T>(record: T, ...keys: readonly Key[]): Omit<T, Key> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key as Key))) as Omit<T, Key>;
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The defined fields, as the log would read them back. */
export function present<T extends object>(fields: T): Present<T> {
  return plain(fields);
}

/**
 * The value as the log would read it back, without undefined fields. An event folded live may have such fields where
 * the stored one has none, and both must give the same transcript.
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
