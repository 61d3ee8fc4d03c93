/** Reads fields of untrusted JSON: a field that is missing or has another type is undefined. Never throws. */
import type { Json } from "../protocol/index.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function asRecords(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map(asFields).filter((one) => one !== undefined);
}

export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** For values that came from JSON.parse. */
export function asJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/** Undefined when the line is not a JSON object. */
export function readRecord(line: string): Fields | undefined {
  try {
    return asFields(JSON.parse(line));
  } catch {
    // Not a protocol line; the caller reports it.
    return undefined;
  }
}
