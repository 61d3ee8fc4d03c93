/** Fields of a JSON-RPC message by key, on top of `record-fields.ts`: missing or of another type is null or empty. */
import type { Json } from "../../protocol/index.ts";
import { asFields, asNumber, asRecords, asText, asTexts, type Fields } from "../record-fields.ts";

export type { Fields } from "../record-fields.ts";

export function fieldsOf(value: unknown): Fields {
  return asFields(value) ?? {};
}

export function recordOf(record: Fields, key: string): Fields {
  return fieldsOf(record[key]);
}

/** Follows a path of keys. */
export function recordAt(record: Fields, ...keys: readonly string[]): Fields {
  return keys.reduce(recordOf, record);
}

export function textOf(record: Fields, key: string): string | null {
  return asText(record[key]) ?? null;
}

export function numberOf(record: Fields, key: string): number | null {
  return asNumber(record[key]) ?? null;
}

/** Finite and not negative. */
export function countOf(record: Fields, key: string): number | null {
  const value = numberOf(record, key);
  return value === null || value < 0 ? null : value;
}

export function recordsOf(record: Fields, key: string): Fields[] {
  return asRecords(record[key]);
}

export function textsOf(record: Fields, key: string): readonly string[] {
  return asTexts(record[key]);
}

/** The output of `JSON.parse` is JSON. */
export function jsonOf(value: unknown): Json {
  return value as Json;
}
