/** Sizes of texts as encoded in events: control characters grow sixfold in JSON. */

/** Bytes as a JSON string, without quotes. */
export function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

export function fitsEncoded(text: string, bytesMax: number): boolean {
  return text.length * 6 <= bytesMax || (text.length <= bytesMax && encodedBytes(text) <= bytesMax);
}

/** Longest prefix of at most `bytesMax` encoded bytes; never splits a surrogate pair. */
export function beginningOf(text: string, bytesMax: number): string {
  if (fitsEncoded(text, bytesMax)) return text;
  // Fast path: most text has no escapes.
  const plain = text.slice(0, isInsidePair(text, bytesMax) ? bytesMax - 1 : bytesMax);
  if (fitsEncoded(plain, bytesMax)) return plain;
  let at = 0;
  for (let bytes = 0; at < text.length;) {
    const isPair = isInsidePair(text, at + 1);
    bytes += isPair ? 4 : unitBytes(text.charCodeAt(at));
    if (bytes > bytesMax) break;
    at += isPair ? 2 : 1;
  }
  return text.slice(0, at);
}

/** Bytes that `JSON.stringify` writes for one UTF-16 unit, without the other half of a pair. */
function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c || SHORT_ESCAPES.has(unit)) return 2;
  if (unit < 0x20 || (unit >= 0xd800 && unit <= 0xdfff)) return 6;
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

/** Backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Longest suffix of at most `bytesMax` encoded bytes; never splits a surrogate pair. */
export function endOf(text: string, bytesMax: number): string {
  if (fitsEncoded(text, bytesMax)) return text;
  let low = Math.max(0, text.length - bytesMax);
  let high = text.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fitsEncoded(text.slice(pairStart(text, middle)), bytesMax)) high = middle;
    else low = middle + 1;
  }
  return text.slice(pairStart(text, low));
}

function pairStart(text: string, at: number): number {
  return isInsidePair(text, at) ? at - 1 : at;
}

function isInsidePair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** Approximate memory of a JSON value, without encoding it. Check the nesting first. */
const VALUE_BYTES = 8;

export function heldBytes(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + heldBytes(one), VALUE_BYTES);
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + heldBytes(one), VALUE_BYTES);
}
