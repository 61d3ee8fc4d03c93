/** A unified diff, line by line. Nothing is left out, also when the numbers of a hunk do not fit its lines. */

import { nameInDiff, readDiff } from "../../kit/text/read-diff.ts";

export interface PatchLine {
  readonly kind: "unchanged" | "removed" | "added";
  readonly text: string;
  /** Absent for lines of the other side, and in a diff without hunks. */
  readonly oldNumber?: number;
  readonly newNumber?: number;
  /** Index of the line among all lines of its side. */
  readonly at: number;
}

export function parsePatch(patch: string): PatchLine[] {
  const read = readDiff(patch);
  const hasHunks = read.some((line) => line.kind === "hunk" && line.oldStart !== undefined);
  const rows: PatchLine[] = [];
  let [oldNumber, newNumber] = [1, 1];
  let [oldAt, newAt] = [0, 0];
  for (const line of read) {
    if (line.kind === "file") continue;
    if (line.kind === "hunk") {
      [oldNumber, newNumber] = [line.oldStart ?? oldNumber, line.newStart ?? newNumber];
      continue;
    }
    const { kind } = line;
    const isOld = kind !== "added";
    const isNew = kind !== "removed";
    rows.push({
      kind,
      text: line.text.replace(/\r$/, ""),
      ...(isOld && hasHunks ? { oldNumber } : {}),
      ...(isNew && hasHunks ? { newNumber } : {}),
      at: isNew ? newAt : oldAt,
    });
    if (isOld) [oldNumber, oldAt] = [oldNumber + 1, oldAt + 1];
    if (isNew) [newNumber, newAt] = [newNumber + 1, newAt + 1];
  }
  return rows;
}

export interface FilePatch {
  /** Empty when the diff does not say. */
  readonly path: string;
  readonly patch: string;
}

/** The diff of each file. */
export function splitPatch(patch: string): FilePatch[] {
  const lines = patch.split("\n");
  const files = readDiff(patch).filter((line) => line.kind === "file");
  if (files.length < 2) return [{ path: files[0] === undefined ? "" : nameInDiff(files[0]), patch }];
  return files.map((file, index) => {
    const part = lines.slice(index === 0 ? 0 : file.at, files[index + 1]?.at).join("\n");
    return { path: nameInDiff(file), patch: index === files.length - 1 ? part : `${part}\n` };
  });
}
