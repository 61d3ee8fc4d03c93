/** Which of the page's colours a member has: the same in every session. Its name always stands beside the colour. */
const HUES = 6;

export function memberHue(name: string): number {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}
