/**
 * Makes text from files and from the user fit to be shown: what could move a cursor, ring a bell or turn the reading
 * direction becomes U+FFFD. Line breaks and tabs stay.
 */
const UNPRINTABLE = /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\t\n]]/gv;

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "\uFFFD");
}

/** The same for text that must stay on one line, a file name for example. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\n]/g, "\uFFFD");
}
