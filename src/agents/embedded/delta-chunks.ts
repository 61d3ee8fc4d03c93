/** Splits text into small chunks for streaming: after white space where possible, never inside a character. */

const DELTA_CHARS = 48;

export function* deltaChunks(text: string, charsMax = DELTA_CHARS): Generator<string> {
  let at = 0;
  while (at < text.length) {
    const end = cutAfter(text, at, charsMax);
    yield text.slice(at, end);
    at = end;
  }
}

function cutAfter(text: string, from: number, charsMax: number): number {
  const limit = from + charsMax;
  if (limit >= text.length) return text.length;
  for (let at = limit; at > from + charsMax / 2; at--) {
    if (/\s/.test(text.charAt(at - 1))) return at;
  }
  // A surrogate pair is one character: half of it would become a replacement character in the log.
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit + 1 : limit;
}
