/** A unified diff as lines with their numbers in the old and the new file. */
export type DiffLineKind = "added" | "removed" | "kept" | "hunk" | "file";

export interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
}

const HEADER = /^(?:diff |index |--- |\+\+\+ |new file|deleted file|rename )/;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function diffLines(diff: string): DiffLine[] {
  const position = { oldNumber: 0, newNumber: 0, isInHunk: false };
  return diff
    .trimEnd()
    .split("\n")
    .map((text) => lineOf(text, position));
}

function lineOf(text: string, position: { oldNumber: number; newNumber: number; isInHunk: boolean }): DiffLine {
  const hunk = HUNK.exec(text);
  if (hunk !== null) {
    Object.assign(position, { isInHunk: true, oldNumber: Number(hunk[1]), newNumber: Number(hunk[2]) });
    return { kind: "hunk", text };
  }
  if (HEADER.test(text) && !isContent(text, position.isInHunk)) return { kind: "file", text };
  const kind = text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "kept";
  if (!position.isInHunk) return { kind, text };
  if (kind === "added") return { kind, text, newNumber: position.newNumber++ };
  if (kind === "removed") return { kind, text, oldNumber: position.oldNumber++ };
  return { kind, text, oldNumber: position.oldNumber++, newNumber: position.newNumber++ };
}

/** Inside a hunk a line of dashes may be a removed line; only a header that begins the next file is not. */
function isContent(text: string, isInHunk: boolean): boolean {
  return (
    isInHunk && /^(?:--- |\+\+\+ )/.test(text) && !/^(?:--- (?:a\/|\/dev\/null)|\+\+\+ (?:b\/|\/dev\/null))/.test(text)
  );
}

export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diffLines(diff);
  const count = (kind: DiffLineKind) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}
