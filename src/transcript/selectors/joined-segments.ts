/**
 * The segments of a turn as one text: paragraphs, except where a segment only ended because it was full. Its text goes
 * on in the next one, often in the middle of a word, and a blank line there would be nobody's.
 */

/** Counted as JSON. A longer text goes on in the next segment. */
export const SEGMENT_BYTES_MAX = 128 * 1024;
const BETWEEN = "\n\n";
/** A full segment has no room for one more character, which takes at most six bytes; as many units cannot be fuller. */
const CHARACTER_BYTES_MAX = 6;

export function joinSegments(texts: readonly string[]): string {
  const nonEmpty = texts.filter((text) => text !== "");
  const last = nonEmpty.length - 1;
  return nonEmpty.map((text, at) => (at === last || isFull(text) ? text : `${text}${BETWEEN}`)).join("");
}

function isFull(text: string): boolean {
  if (text.length * CHARACTER_BYTES_MAX <= SEGMENT_BYTES_MAX - CHARACTER_BYTES_MAX) return false;
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length - 2;
  return bytes > SEGMENT_BYTES_MAX - CHARACTER_BYTES_MAX;
}
