/**
 * Files that a turn of an ACP agent has changed, from the diffs in its tool calls. Bounded; omitted ones are counted.
 * Pure.
 */
import type { FileChange, Json } from "../../../../protocol/index.ts";
import { diffParts, headName } from "../../../line-diff.ts";
import type { DialectEvent } from "../../../process/dialect.ts";
import { fieldsOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";

const FILES_MAX = 200;
/** Limits of one file's diff and of all together; a file beyond them is listed without its diff. */
const FILE_DIFF_CHARS_MAX = 32_000;
const REPORT_DIFF_CHARS_MAX = 120_000;

/** Change with the diff that is shown with its tool call. */
export type ChangeWithDiff = FileChange & { readonly diff: string };
export type Changes = ReadonlyMap<string, FileChange>;

export function contentChanges(call: Fields): readonly ChangeWithDiff[] {
  return recordsOf(call, "content")
    .filter((part) => part["type"] === "diff")
    .map((part) =>
      describeChange({
        path: textOf(part, "path") ?? "file",
        before: textOf(part, "oldText"),
        after: textOf(part, "newText") ?? "",
      }),
    );
}

/** Change made by a call of opencode's own edit tools; empty for other calls. */
export function argumentChanges(args: Json, { isNew }: { isNew: boolean }): readonly ChangeWithDiff[] {
  const fields = fieldsOf(args);
  const path = textOf(fields, "filePath");
  const after = textOf(fields, "content") ?? textOf(fields, "newString");
  if (path === undefined || after === undefined) return [];
  const change = describeChange({ path, before: textOf(fields, "oldString"), after });
  return [{ ...change, status: isNew ? "added" : "modified" }];
}

function describeChange(change: Change): ChangeWithDiff {
  const { path, before } = change;
  const diff = lineDiff(change);
  const lines = diff.split("\n").slice(2);
  return {
    path,
    status: before === undefined || before === "" ? "added" : "modified",
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    diff,
  };
}

/** Merges several changes of one file in a turn. */
export function addChanges(before: Changes, news: readonly ChangeWithDiff[]): Changes {
  if (news.length === 0) return before;
  const all = new Map(before);
  for (const change of news) all.set(change.path, joined(all.get(change.path), change));
  return all;
}

export function changeReport(changes: Changes, cwd: string): DialectEvent[] {
  if (changes.size === 0) return [];
  let left = REPORT_DIFF_CHARS_MAX;
  const files = [...changes.values()].slice(0, FILES_MAX).map(({ path, diff, ...counts }) => {
    const shown = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    const isIncluded = diff !== undefined && diff.length <= left;
    if (isIncluded) left -= diff.length;
    return Object.assign({ path: shown }, counts, isIncluded ? { diff } : {});
  });
  return [{ type: "change_report", files, truncatedCount: changes.size - files.length }];
}

function joined(before: FileChange | undefined, { diff, ...after }: ChangeWithDiff): FileChange {
  const whole = before === undefined ? diff : before.diff === undefined ? undefined : before.diff + diff;
  return {
    ...after,
    status: before?.status ?? after.status,
    added: (before?.added ?? 0) + (after.added ?? 0),
    removed: (before?.removed ?? 0) + (after.removed ?? 0),
    ...(whole === undefined || whole.length > FILE_DIFF_CHARS_MAX ? {} : { diff: whole }),
  };
}

const TOO_LONG = "(too long to be shown)\n";

/** False when a diff says only that it is too long. */
export function isShownWhole(changes: readonly ChangeWithDiff[]): boolean {
  return !changes.some(({ diff }) => diff.endsWith(`\n${TOO_LONG}`));
}

/** Longer texts are listed as changed without a diff. */
const DIFF_CHARS_MAX = 400_000;

interface Change {
  readonly path: string;
  /** Undefined or empty: the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Unified diff of one change; agents may send only the changed part of a file. */
export function lineDiff({ path, before, after }: Change): string {
  const name = headName(path);
  const head = `--- ${before === undefined || before === "" ? "/dev/null" : name}\n+++ ${name}\n`;
  if ((before?.length ?? 0) + after.length > DIFF_CHARS_MAX) return `${head}${TOO_LONG}`;
  const hunks = diffParts(before ?? "", after);
  const range = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;
  return (
    head +
    hunks
      .map((hunk) => {
        const ranges = `-${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)}`;
        return `@@ ${ranges} @@\n${hunk.lines.join("\n")}\n`;
      })
      .join("")
  );
}
