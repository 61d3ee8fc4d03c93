/** Fields of a JSON-RPC message by key, on top of `kit/fields.ts`: missing or of another type is undefined or empty. */
import type { Json } from "../../protocol/index.ts";
import * as read from "../../kit/fields.ts";
import type { Fields } from "../../kit/fields.ts";

export type { Fields } from "../../kit/fields.ts";

export function fieldsOf(value: unknown): Fields {
  return read.fieldsOf(value) ?? {};
}

export function recordOf(record: Fields, key: string): Fields {
  return fieldsOf(record[key]);
}

/** Follows a path of keys. */
export function recordAt(record: Fields, ...keys: readonly string[]): Fields {
  return keys.reduce(recordOf, record);
}

export function textOf(record: Fields, key: string): string | undefined {
  return read.rawTextOf(record[key]);
}

export function numberOf(record: Fields, key: string): number | undefined {
  return read.numberOf(record[key]);
}

/** Finite and not negative. */
export function countOf(record: Fields, key: string): number | undefined {
  const value = numberOf(record, key);
  return value === undefined || value < 0 ? undefined : value;
}

export function recordsOf(record: Fields, key: string): readonly Fields[] {
  return read.recordsOf(record[key]);
}

export function textsOf(record: Fields, key: string): readonly string[] {
  return read.textsOf(record[key]);
}

/** The output of `JSON.parse` is JSON. */
export function jsonOf(value: unknown): Json {
  return value as Json;
}

/** As JSON, where what is missing is null. */
export function asJson(value: unknown): Json {
  return jsonOf(value ?? null);
}
