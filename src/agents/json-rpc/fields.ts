/** Reads what a program sent without trusting its shape: a field that is missing or of another kind is null or empty. */
import type { Json } from "../../protocol/index.ts";
import { isRecord } from "./messages.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function recordOf(record: Fields, key: string): Fields {
  return fieldsOf(record[key]);
}

/** Follows several keys down. */
export function recordAt(record: Fields, ...keys: readonly string[]): Fields {
  return keys.reduce(recordOf, record);
}

export function textOf(record: Fields, key: string): string | null {
  const value = record[key];
  return typeof value === "string" ? value : null;
}

export function numberOf(record: Fields, key: string): number | null {
  const value = record[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** Finite and not negative. */
export function countOf(record: Fields, key: string): number | null {
  const value = numberOf(record, key);
  return value === null || value < 0 ? null : value;
}

export function recordsOf(record: Fields, key: string): Fields[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textsOf(record: Fields, key: string): readonly string[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** What came out of `JSON.parse` is JSON already. */
export function jsonOf(value: unknown): Json {
  return value as Json;
}
