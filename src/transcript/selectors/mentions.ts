/** Members that a text names as `@name`. A mention points to somebody; it never asks, and code mentions nobody. */

const FENCED = /(^|\n)[ \t]{0,3}(```+|~~~+)[^\n]*(?:\n[\s\S]*?(?:\n[ \t]{0,3}\2[^\n]*|$)|$)/g;
const INLINE_CODE = /`[^`\n]+`/g;
const MENTION = /(?<![\p{L}\p{N}_@./\\-])@([a-z][a-z0-9_-]{0,31})(?![\p{L}\p{N}_@])/giu;
/** A text longer than this is looked at only up to here; nobody is overlooked in silence who was named before it. */
const SCANNED_CHARS_MAX = 64 * 1024;

/** Those among `names` that the text mentions, in the order they are first mentioned. */
export function mentionsIn(text: string, names: readonly string[]): string[] {
  if (!text.includes("@")) return [];
  const prose = text.slice(0, SCANNED_CHARS_MAX).replaceAll(FENCED, "\n").replaceAll(INLINE_CODE, " ");
  const mentioned = new Set<string>();
  for (const [, given = ""] of prose.matchAll(MENTION)) {
    const name = [given, given.replace(/[-_]+$/, "")]
      .map((one) => one.toLowerCase())
      .find((one) => names.includes(one));
    if (name !== undefined) mentioned.add(name);
  }
  return [...mentioned];
}
