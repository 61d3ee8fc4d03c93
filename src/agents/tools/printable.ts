/**
 * Replaces characters that could move the cursor, ring the bell or change the text direction with U+FFFD. Line breaks
 * and tabs stay.
 */
const UNPRINTABLE = /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\t\n]]/gv;

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "\uFFFD");
}

/** Same, for text that must stay on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, "\uFFFD");
}
