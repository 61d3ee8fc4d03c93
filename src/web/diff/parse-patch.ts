/** A unified diff, line by line. Nothing is left out, also when the numbers of a hunk do not fit its lines. */

export interface PatchLine {
  readonly kind: "unchanged" | "removed" | "added";
  readonly text: string;
  /** Absent for lines of the other side, and in a diff without hunks. */
  readonly oldNumber?: number;
  readonly newNumber?: number;
  /** Index of the line among all lines of its side. */
  readonly at: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const HEADER =
  /^(?:diff --git |index [\da-f]+\.\.|new file mode |deleted file mode |old mode |new mode |similarity index |rename (?:from|to) )/;
const KINDS: Readonly<Record<string, PatchLine["kind"]>> = { "-": "removed", "+": "added" };

export function parsePatch(patch: string): PatchLine[] {
  const lines = patch.replace(/\n$/, "").split("\n");
  const hasHunks = lines.some((line) => HUNK.test(line));
  const rows: PatchLine[] = [];
  let [oldNumber, newNumber, oldLeft, newLeft] = [1, 1, 0, 0];
  let [oldAt, newAt] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const isInside = oldLeft > 0 || newLeft > 0;
    const hunk = isInside ? null : HUNK.exec(line);
    if (hunk !== null) {
      [oldNumber, oldLeft, newNumber, newLeft] = numbersOf(hunk);
      continue;
    }
    // The remark about a missing line end is no line.
    if ((!isInside && isHeader(lines, index)) || line.startsWith("\\ ")) continue;
    const kind = KINDS[line[0] ?? ""] ?? "unchanged";
    const text = (line.startsWith(" ") || kind !== "unchanged" ? line.slice(1) : line).replace(/\r$/, "");
    const isOld = kind !== "added";
    const isNew = kind !== "removed";
    rows.push({
      kind,
      text,
      ...(isOld && hasHunks ? { oldNumber } : {}),
      ...(isNew && hasHunks ? { newNumber } : {}),
      at: isNew ? newAt : oldAt,
    });
    if (isOld) [oldNumber, oldLeft, oldAt] = [oldNumber + 1, oldLeft - 1, oldAt + 1];
    if (isNew) [newNumber, newLeft, newAt] = [newNumber + 1, newLeft - 1, newAt + 1];
  }
  return rows;
}

function numbersOf([, oldFrom, oldCount = "1", newFrom, newCount = "1"]: RegExpExecArray) {
  return [oldFrom, oldCount, newFrom, newCount].map(Number) as [number, number, number, number];
}

/** The lines that name a file come as a pair: one alone is content. */
function isHeader(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  if (line.startsWith("--- ")) return lines[index + 1]?.startsWith("+++ ") === true;
  if (line.startsWith("+++ ")) return lines[index - 1]?.startsWith("--- ") === true;
  return line === "" || HEADER.test(line);
}

export interface FilePatch {
  /** Empty when the diff does not say. */
  readonly path: string;
  readonly patch: string;
}

/** The diff of each file. */
export function splitPatch(patch: string): FilePatch[] {
  const starts = [...patch.matchAll(/^--- .*\n\+\+\+ (.*)$/gm)].map((match) => ({
    from: match.index,
    path: pathOf(/^--- (.*)/.exec(match[0])?.[1] ?? "", match[1] ?? ""),
  }));
  if (starts.length < 2) return [{ path: starts[0]?.path ?? "", patch }];
  return starts.map(({ from, path }, index) => ({
    path,
    patch: patch.slice(index === 0 ? 0 : from, starts[index + 1]?.from),
  }));
}

function pathOf(before: string, after: string): string {
  const named = after.startsWith("/dev/null") ? before : after;
  return named.replace(/^[ab]\//, "").replace(/\t.*$/, "");
}
