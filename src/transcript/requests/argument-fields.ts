/** Arguments of a tool call as names and texts instead of JSON. No value is left out. */
import type { Json } from "../../protocol/index.ts";

export interface ArgumentField {
  /** Nested names are joined by dots; empty for an argument without a name. */
  readonly name: string;
  readonly text: string;
}

/** Lines of one text are indented, so that none of them looks like another argument. */
export function fieldText({ name, text }: ArgumentField): string {
  return name === "" ? text : `${name}: ${text.replaceAll("\n", "\n    ")}`;
}

/** Deeper values are written as JSON. */
const DEPTH_MAX = 8;

export function argumentFields(value: Json): ArgumentField[] {
  return value === null ? [] : fieldsIn("", value, 0);
}

function fieldsIn(name: string, value: Json, depth: number): ArgumentField[] {
  if (typeof value !== "object" || value === null) return [{ name, text: scalarText(value) }];
  const isList = Array.isArray(value);
  if (isList && value.every((one) => isShort(one))) return [{ name, text: value.map(scalarText).join(", ") || "none" }];
  if (depth >= DEPTH_MAX) return [{ name, text: JSON.stringify(value) }];
  const entries = isList ? value.map((one, at) => [String(at + 1), one] as const) : Object.entries(value);
  if (entries.length === 0) return name === "" ? [] : [{ name, text: "none" }];
  return entries.flatMap(([key, inner]) => fieldsIn(name === "" ? key : `${name}.${key}`, inner, depth + 1));
}

/** Short enough to share a row. */
function isShort(value: Json): boolean {
  return typeof value === "string" ? !/[\n,]/.test(value) : typeof value !== "object" || value === null;
}

function scalarText(value: Json): string {
  if (value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}
