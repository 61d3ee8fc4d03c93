/** Reads what a foreign program wrote: a field that is missing or of another type is undefined, never an exception. */
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

/** The entries of a list that are records. */
export function asRecords(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map(asFields).filter((one) => one !== undefined);
}

export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** What JSON.parse gave is JSON. */
export function asJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/** The record of one line; undefined when the line is none. */
export function readRecord(line: string): Fields | undefined {
  try {
    return asFields(JSON.parse(line));
  } catch {
    // Not of this protocol; whoever reads the line says so.
    return undefined;
  }
}
