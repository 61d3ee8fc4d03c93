/**
 * Characters that reorder what stands around them or take no room, shown by their number: what is read is what is there.
 * Everything else is left alone; no text is made shorter by it.
 */

/** Also control characters, since these texts are names, paths, commands and changes, in which each character counts. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** In prose marks of direction and joiners are part of how a language is written; only these turn whole stretches round. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;

/** For what is exact: a command, a path, a name, a title, a change. */
export function inPlainSight(text: string): string {
  return text.replaceAll(HIDDEN, numberOf);
}

/** For what a program printed: its colours and moves in a terminal say nothing here. */
export function outputInPlainSight(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const uncoloured = text.replaceAll(/\u001B\[[\d;?]*[ -/]*[@-~]/g, "");
  return inPlainSight(uncoloured.replaceAll(/\r\n?/g, "\n")).trimEnd();
}

/** For prose. */
export function inOrder(text: string): string {
  return text.replaceAll(REORDERING, numberOf);
}

function numberOf(char: string): string {
  return `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
