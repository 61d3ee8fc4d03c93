/**
 * All rows of the log, as the array that pi-tui wants, without holding them: a row is looked up when it is painted.
 * Only `length` and numbers are answered with the log's own; nothing may walk over all rows.
 */
export function virtualRows(length: number, rowAt: (row: number) => string): string[] {
  return new Proxy<string[]>([], {
    get(target, key, receiver): unknown {
      if (key === "length") return length;
      if (typeof key === "string" && DIGITS.test(key)) return rowAt(Number(key));
      return Reflect.get(target, key, receiver);
    },
    has: (target, key) => (typeof key === "string" && DIGITS.test(key) ? Number(key) < length : key in target),
  });
}

const DIGITS = /^\d+$/;
