/** File changes, shared by all drivers. */
import type { FileChange } from "../protocol/index.ts";

/** A longer diff is truncated with a note. */
const DIFF_CHARS_MAX = 64 * 1024;

/** Joins edits of one file in one turn into one change. */
export function joinChanges(before: FileChange | undefined, after: FileChange): FileChange {
  if (before === undefined) return after;
  const diff = cutDiff([before.diff, after.diff].filter((one) => one !== undefined).join("\n"));
  const added = (before.added ?? 0) + (after.added ?? 0);
  return { ...after, status: before.status, added, removed: (before.removed ?? 0) + (after.removed ?? 0), diff };
}

export function cutDiff(diff: string): string {
  if (diff.length <= DIFF_CHARS_MAX) return diff;
  return `${diff.slice(0, DIFF_CHARS_MAX)}\n(diff truncated; ${diff.length} characters in total)`;
}

/** For a request: a change that is not seen whole cannot be approved by its diff, so its arguments are shown instead. */
export function uncutDiff(diff: string): string | undefined {
  return diff.length <= DIFF_CHARS_MAX ? diff : undefined;
}

/** Without the empty element after a trailing newline. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
