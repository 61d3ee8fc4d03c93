/** Reads what a foreign program wrote: a field that is missing or of another type is undefined, never an exception. */
import type { Json } from "../../protocol/index.ts";

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

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function asTexts(value: unknown): string[] {
  return asList(value).filter((one) => typeof one === "string");
}

/** The entries of a list that are records. */
export function asRecords(value: unknown): Fields[] {
  return asList(value).flatMap((one): Fields[] => {
    const fields = asFields(one);
    return fields === undefined ? [] : [fields];
  });
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
