/** Reads single fields of records that a foreign program wrote: a field of another type counts as missing. */
import { isRecord } from "../json-rpc/messages.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function textOf(record: Fields, key: string): string | null {
  const value = record[key];
  return typeof value === "string" ? value : null;
}

export function numberOf(record: Fields, key: string): number | null {
  const value = record[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function recordOf(record: Fields, key: string): Fields {
  const value = record[key];
  return isRecord(value) ? value : {};
}

export function recordsOf(record: Fields, key: string): readonly Fields[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textsOf(record: Fields, key: string): readonly string[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
