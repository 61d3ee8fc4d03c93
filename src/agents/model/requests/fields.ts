/** How what a model server sends is looked into: nothing is taken for granted, and what is not there is empty. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or a list of parts of which those are taken that are text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map((part) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}
