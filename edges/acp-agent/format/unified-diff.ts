/** A unified diff as pairs of old and new text, made of its joined hunks. */

export interface FileDiff {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
}

interface Reading {
  path: string | undefined;
  isNew: boolean;
  old: string[];
  new: string[];
}

const FILES_MAX = 100;

export function fileDiffs(unified: string): FileDiff[] {
  const files: Reading[] = [];
  let oldPath: string | undefined;
  let isInHunk = false;
  for (const line of unified.split("\n")) {
    if (line.startsWith("--- ") && !(isInHunk && /^--- [^ab/"]/.test(line))) {
      oldPath = pathIn(line);
      isInHunk = false;
    } else if (line.startsWith("+++ ") && !isInHunk) {
      const path = pathIn(line) ?? oldPath;
      files.push({ path, isNew: oldPath === undefined, old: [], new: [] });
    } else if (line.startsWith("@@")) isInHunk = true;
    else if (isInHunk) addLine(files.at(-1), line);
  }
  return files
    .slice(0, FILES_MAX)
    .flatMap(({ path, isNew, old, new: fresh }) =>
      path === undefined ? [] : [{ path, oldText: isNew ? null : old.join("\n"), newText: fresh.join("\n") }],
    );
}

function addLine(file: Reading | undefined, line: string): void {
  if (file === undefined) return;
  const text = line.slice(1);
  if (line.startsWith("-") || line.startsWith(" ")) file.old.push(text);
  if (line.startsWith("+") || line.startsWith(" ")) file.new.push(text);
}

/** Undefined for the side without a file. */
function pathIn(line: string): string | undefined {
  const path = line.slice(4).split("\t")[0]?.trim() ?? "";
  if (path === "" || path === "/dev/null") return undefined;
  return path.replace(/^[ab]\//, "");
}
