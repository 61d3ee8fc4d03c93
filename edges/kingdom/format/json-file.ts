/** JSON as kingdom's programs write it: keys sorted, two spaces, ASCII only, one newline at the end. */
import type { Json } from "../../../src/protocol/index.ts";

export type JsonObject = Record<string, Json>;

export function encodeJsonFile(data: JsonObject): string {
  const text = JSON.stringify(sortKeys(data), undefined, 2);
  return `${escapeNonAscii(text)}\n`;
}

/** Undefined for anything but a JSON object. An empty file counts as an empty object, as in kingdom. */
export function decodeJsonFile(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: the caller says which file it is and leaves it alone.
    return undefined;
  }
  return isObject(value) ? (value as JsonObject) : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key that looks like a number would be moved to the front by the engine; none of these files has one. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key] ?? null)]));
}

/** Strings inside a JSON text. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
