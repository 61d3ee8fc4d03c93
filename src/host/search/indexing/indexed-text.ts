/** What of a text goes into the index: its words, and beside them the parts of names that are written together. */
import { foldText, spaceLetters } from "../query/fold-text.ts";

/** A name with a hump: `takeLock`, `HTTPServer`, `parse2Lines`. */
const HUMPED = /[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z]{2}[a-z])[A-Za-z0-9]*/g;
const PARTS_MAX = 5_000;

export function bodyOf(text: string): string {
  return spaceLetters(foldText(text));
}

/** Each part once, in lower case: `takeLock` gives `take lock`. */
export function splitIdentifiers(text: string): string[] {
  const parts = new Set<string>();
  for (const [name] of text.matchAll(HUMPED)) {
    for (const part of splitName(name)) parts.add(part);
    if (parts.size > PARTS_MAX) break;
  }
  return [...parts];
}

function splitName(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
}
