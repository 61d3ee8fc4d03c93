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
  let high = Math.min(text.length, bytesMax);
  // Text without escapes, which is most of it, needs no search.
  let low = fitsEncoded(text.slice(0, pairEnd(text, high)), bytesMax) ? high : 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsEncoded(text.slice(0, pairEnd(text, middle)), bytesMax)) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, pairEnd(text, low));
}

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

function pairEnd(text: string, at: number): number {
  return isInsidePair(text, at) ? at + 1 : at;
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
