/** Readers of untrusted JSON: a value that is missing or of another type is undefined or empty. Never throw. */
export type Fields = Readonly<Record<string, unknown>>;

/** Latest plausible time; a larger number is no time. */
const TIME_MS_MAX = 8_640_000_000_000;
/** Numbers below it are seconds: as milliseconds they would lie in January 1970. */
const SECONDS_MAX = 31_536_000_000;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** Undefined when the line is not a JSON object. */
export function parseFields(line: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    // Not JSON; the caller reports it.
    return undefined;
  }
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

/** Text as it came: a chunk of a stream may end inside a surrogate pair. */
export function rawTextOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A text with something in it. */
export function nonBlankText(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.trim() === "" ? undefined : text;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Tokens, bytes, milliseconds. */
export function amountOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined || number < 0 ? undefined : number;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function recordsOf(value: unknown): readonly Fields[] {
  return listOf(value).flatMap((one) => {
    const fields = fieldsOf(one);
    return fields === undefined ? [] : [fields];
  });
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

/** Milliseconds since 1970, out of an ISO date, milliseconds or seconds. */
export function timeOf(value: unknown): number | undefined {
  const number = typeof value === "string" ? Date.parse(value) : numberOf(value);
  if (number === undefined || Number.isNaN(number) || number <= 0 || number > TIME_MS_MAX) return undefined;
  return Math.floor(typeof value === "number" && number < SECONDS_MAX ? number * 1000 : number);
}

/** A text field of a record. */
export function fieldOf(value: unknown, key: string): string | undefined {
  const field = partOf(value, key);
  return typeof field === "string" ? field : undefined;
}

export function partOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Fields)[key] : undefined;
}

export function firstOf(values: readonly unknown[], key: string): string | undefined {
  return values.map((value) => fieldOf(value, key)).find((field) => field !== undefined);
}

export function countOf(values: readonly unknown[], matches: (value: unknown) => boolean): number {
  return values.filter(matches).length;
}
