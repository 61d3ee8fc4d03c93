/** Files that a turn changed, from a git diff or from Codex's file changes. Bounded; omitted ones are counted. */
import type { AgentEvent } from "../../../port.ts";
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { headName } from "../../../line-diff.ts";

type ChangeReport = Extract<AgentEvent, { type: "change_report" }>;
type FileChange = ChangeReport["files"][number];

export const FILES_MAX = 200;
/** Limits of one file's diff and of all together; a file beyond them is listed without its diff. */
export const FILE_DIFF_CHARS_MAX = 32_000;
const REPORT_DIFF_CHARS_MAX = 120_000;
const DIFF_CHARS_MAX = 64_000;

/** From Codex's file changes, for turns without a diff. Undefined when there are none. */
export function reportFileItems(changes: readonly Fields[], cwd: string): ChangeReport | undefined {
  const byPath = Map.groupBy(
    changes,
    (change) => textOf(recordOf(change, "kind"), "move_path") ?? textOf(change, "path"),
  );
  const all = [...byPath].flatMap(([path, ofPath]) => (path === undefined ? [] : [{ path, ofPath }]));
  if (all.length === 0) return undefined;
  let left = REPORT_DIFF_CHARS_MAX;
  const files = all.slice(0, FILES_MAX).map(({ path, ofPath }) => {
    const diff = diffOf(ofPath);
    const isIncluded = diff.length <= FILE_DIFF_CHARS_MAX && diff.length <= left;
    if (isIncluded) left -= diff.length;
    return describeItem(
      path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path,
      ofPath,
      isIncluded ? diff : undefined,
    );
  });
  return { type: "change_report", files, truncatedCount: all.length - files.length };
}

function describeItem(path: string, changes: readonly Fields[], diff: string | undefined): FileChange {
  const kinds = changes.map((change) => recordOf(change, "kind"));
  const last = textOf(kinds.at(-1) ?? {}, "type");
  const isNew = textOf(kinds[0] ?? {}, "type") === "add";
  const isMoved = kinds.some((kind) => textOf(kind, "move_path") !== undefined);
  const status = last === "delete" ? "deleted" : isNew ? "added" : isMoved ? "renamed" : "modified";
  return { path, status, ...(diff === undefined ? {} : { diff }) };
}

/** Undefined for an empty diff. */
export function reportChanges(diff: string): ChangeReport | undefined {
  const fileDiffs = diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  if (fileDiffs.length === 0) return undefined;
  let left = REPORT_DIFF_CHARS_MAX;
  const files = fileDiffs.slice(0, FILES_MAX).map((part) => {
    const isIncluded = part.length <= FILE_DIFF_CHARS_MAX && part.length <= left;
    if (isIncluded) left -= part.length;
    return describeFile(part, isIncluded);
  });
  return { type: "change_report", files, truncatedCount: fileDiffs.length - files.length };
}

function describeFile(part: string, hasDiff: boolean): FileChange {
  const lines = part.split("\n");
  const body = lines.findIndex((line) => line.startsWith("@@"));
  const head = body === -1 ? lines : lines.slice(0, body);
  const changed = body === -1 ? [] : lines.slice(body);
  return {
    path: pathOf(head),
    status: statusOf(head),
    added: changed.filter((line) => line.startsWith("+")).length,
    removed: changed.filter((line) => line.startsWith("-")).length,
    ...(hasDiff ? { diff: part } : {}),
  };
}

function statusOf(head: readonly string[]): FileChange["status"] {
  if (head.some((line) => line.startsWith("new file mode"))) return "added";
  if (head.some((line) => line.startsWith("deleted file mode"))) return "deleted";
  return head.some((line) => line.startsWith("rename to ")) ? "renamed" : "modified";
}

function pathOf(head: readonly string[]): string {
  const after = head.find((line) => line.startsWith("+++ ") && line !== "+++ /dev/null");
  const before = head.find((line) => line.startsWith("--- ") && line !== "--- /dev/null");
  const named = after ?? before;
  if (named !== undefined) return unquote(named.slice(4)).replace(/^[ab]\//, "");
  const renamed = head.find((line) => line.startsWith("rename to "));
  if (renamed !== undefined) return unquote(renamed.slice("rename to ".length));
  // Without a body (a binary or an empty file) both names are the same, so each is half of the first line.
  const both = (head[0] ?? "").slice("diff --git ".length);
  return unquote(both.slice(0, (both.length - 1) / 2)).replace(/^a\//, "");
}

/** Git quotes names with unusual characters, and ends names with blanks by a tab. */
function unquote(name: string): string {
  const bare = name.replace(/\t$/, "");
  return bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1) : bare;
}

/** Undefined when it is too long to be shown whole. */
export function wholeDiffOf(changes: readonly Fields[]): string | undefined {
  const diff = joinedDiff(changes);
  return diff.length <= DIFF_CHARS_MAX ? diff : undefined;
}

export function diffOf(changes: readonly Fields[]): string {
  const diff = joinedDiff(changes);
  return diff.length <= DIFF_CHARS_MAX ? diff : `${diff.slice(0, DIFF_CHARS_MAX)}\n… (${diff.length} characters)\n`;
}

/** Readable diff of file changes; Codex sends whole contents for new files and hunks for changed ones. */
function joinedDiff(changes: readonly Fields[]): string {
  const diffs = changes.map((change) => {
    const path = headName(textOf(change, "path") ?? "");
    const kind = textOf(recordOf(change, "kind"), "type") ?? "update";
    const body = textOf(change, "diff") ?? "";
    const moved = textOf(recordOf(change, "kind"), "move_path");
    if (kind === "update") return `--- ${path}\n+++ ${moved === undefined ? path : headName(moved)}\n${body}`;
    const sign = kind === "add" ? "+" : "-";
    const lines = body.replace(/\n$/, "").split("\n");
    const head =
      kind === "add"
        ? `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,${lines.length} @@`
        : `--- ${path}\n+++ /dev/null\n@@ -1,${lines.length} +0,0 @@`;
    return `${head}\n${lines.map((line) => sign + line).join("\n")}\n`;
  });
  return diffs.join("");
}
