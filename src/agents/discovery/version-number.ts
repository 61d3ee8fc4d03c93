/** Version numbers as programs print them: found in a line of words, and compared by their numbers only. */

/** Not a part of a longer number, so that an address or a date with dots and more parts is none. */
const NUMBER = /(?<![\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)(?![\d]|\.\d)((?:-[0-9A-Za-z][0-9A-Za-z.]{0,31})?)/;

export function findVersionNumber(text: string): string | undefined {
  const [, number, suffix = ""] = NUMBER.exec(text) ?? [];
  return number === undefined ? undefined : number + suffix;
}

export function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((part) => left[part] !== right[part]);
  return at !== undefined && (left[at] ?? 0) < (right[at] ?? 0);
}

function numbers(version: string): number[] {
  const parts = (version.split("-")[0] ?? "").split(".").map(Number);
  return [0, 1, 2].map((part) => parts[part] ?? 0);
}
