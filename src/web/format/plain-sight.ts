/** Shows invisible and reordering characters by their number, so that the text reads as it is. Nothing is shortened. */

/** Includes control characters, since in names, paths, commands and diffs every character counts. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** In prose direction marks and joiners are part of the script; only these reorder whole ranges. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;

/** For exact text: a command, path, name, title or diff. */
export function inPlainSight(text: string): string {
  return text.replaceAll(HIDDEN, numberOf);
}

/** For program output, without terminal colours and cursor movement. */
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
