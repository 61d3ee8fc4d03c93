/** How large a text is once it is in an event: control characters grow sixfold in JSON, so bytes are counted encoded. */

/** Bytes of the text as a JSON string, without its quotes. */
export function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

export function fitsEncoded(text: string, bytesMax: number): boolean {
  return text.length * 6 <= bytesMax || (text.length <= bytesMax && encodedBytes(text) <= bytesMax);
}

/** The longest beginning of the text that is at most `bytesMax` encoded; never half of a surrogate pair. */
export function beginningOf(text: string, bytesMax: number): string {
  if (fitsEncoded(text, bytesMax)) return text;
  // Text without escapes, which is most of it, needs no counting.
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

/** As `JSON.stringify` writes it, without its other half when it had one. */
function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c || SHORT_ESCAPES.has(unit)) return 2;
  if (unit < 0x20 || (unit >= 0xd800 && unit <= 0xdfff)) return 6;
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

/** Backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** The longest end of the text that is at most `bytesMax` encoded; never half of a surrogate pair. */
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
