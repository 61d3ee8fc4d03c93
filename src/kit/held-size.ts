/** About how many bytes a value of JSON takes in memory. Cheap: nothing is encoded. The value must not nest without end. */

/** Of whatever is no text. */
const VALUE_BYTES = 8;

export function heldBytes(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + heldBytes(one), VALUE_BYTES);
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + heldBytes(one), VALUE_BYTES);
}
