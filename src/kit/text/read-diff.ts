/**
 * Lines of a unified diff. Whoever wrote a line of the file must not be able to pass it off as a header, which views
 * leave out: an added "++ x" reads "+++ x", and a removed SQL comment "--- x". So names of files are recognised only
 * where no line of a hunk can stand; a line in doubt is content.
 */

export type DiffLine =
  | {
      readonly kind: "file";
      readonly before: string;
      readonly after: string;
      /** Index of its first line. */ readonly at: number;
    }
  /** Without numbers when the diff has none. */
  | { readonly kind: "hunk"; readonly oldStart?: number; readonly newStart?: number }
  | { readonly kind: "unchanged" | "removed" | "added"; readonly text: string };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const OF_GIT =
  /^(?:diff --git |index [\da-f]+\.\.|new file mode |deleted file mode |old mode |new mode |similarity index |rename (?:from|to) |Binary files )/;
const KINDS = { "-": "removed", "+": "added", " ": "unchanged" } as const;

export function readDiff(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const read: DiffLine[] = [];
  let [oldLeft, newLeft] = [0, 0];
  /** In a hunk whose lines are not counted: it ends where the next one begins. */
  let isUncounted = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const isCounted = oldLeft > 0 || newLeft > 0;
    if (!isCounted && line.startsWith("@@")) {
      const hunk = HUNK.exec(line);
      isUncounted = hunk === null;
      [oldLeft, newLeft] = hunk === null ? [0, 0] : [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      read.push({ kind: "hunk", ...(hunk === null ? {} : { oldStart: Number(hunk[1]), newStart: Number(hunk[3]) }) });
      continue;
    }
    const file = isCounted || isUncounted ? undefined : fileAt(lines, at);
    if (file !== undefined) {
      read.push(file);
      at += 1;
      continue;
    }
    if (!isCounted && (line === "" || OF_GIT.test(line))) {
      if (line !== "") isUncounted = false;
      continue;
    }
    // The remark about a missing line end is no line.
    if (line.startsWith("\\ ")) continue;
    const content = contentOf(line);
    read.push(content);
    if (content.kind !== "added") oldLeft -= 1;
    if (content.kind !== "removed") newLeft -= 1;
  }
  return read;
}

/** Names come as a pair: one alone is content. */
function fileAt(lines: readonly string[], at: number): DiffLine | undefined {
  const [before = "", after = ""] = lines.slice(at, at + 2);
  if (!before.startsWith("--- ") || !after.startsWith("+++ ")) return undefined;
  return { kind: "file", before: before.slice(4), after: after.slice(4), at };
}

function contentOf(line: string): Extract<DiffLine, { text: string }> {
  const kind = KINDS[line[0] as keyof typeof KINDS] as (typeof KINDS)[keyof typeof KINDS] | undefined;
  return kind === undefined ? { kind: "unchanged", text: line } : { kind, text: line.slice(1) };
}

/** The name that a diff gives a file, without git's prefix and the time behind it. */
export function nameInDiff({ before, after }: Extract<DiffLine, { kind: "file" }>): string {
  const named = /^\/dev\/null(?:\t|$)/.test(after) ? before : after;
  return named.replace(/^[ab]\//, "").replace(/\t(?:\d{4}-\d\d-\d\d .*)?$/, "");
}
