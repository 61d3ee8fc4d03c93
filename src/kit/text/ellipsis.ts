/** At most so many characters of a text, the last of them "…" where it was longer; never half of a pair. */
export function withEllipsis(text: string, charsMax: number): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
