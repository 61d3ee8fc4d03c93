/** Diffs of files: proposed by a call of Pi, and made by it. */
import type { FileChange } from "../../../protocol/index.ts";
import { cutDiff, uncutDiff } from "../../file-changes.ts";
import { diffParts, headName } from "../../line-diff.ts";
import { recordsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";

/** `before` is the file's content; null when there is none, undefined when it was not read. */
export function proposedChange(tool: string, args: Fields, before: string | null | undefined): FileChange | undefined {
  const path = rawTextOf(args["path"]);
  if (path === undefined) return undefined;
  if (tool === "write") {
    const status = before === null ? "added" : "modified";
    return change(path, status, [replaced(before ?? "", rawTextOf(args["content"]) ?? "")]);
  }
  if (tool !== "edit") return undefined;
  const edits = Array.isArray(args["edits"]) ? recordsOf(args["edits"]) : [args];
  const hunks = edits.map((edit) => replaced(rawTextOf(edit["oldText"]) ?? "", rawTextOf(edit["newText"]) ?? ""));
  return change(path, "modified", hunks);
}

/** Pi's own patch is more exact than the proposal. */
export function changeOf(details: Fields | undefined, announced: FileChange | undefined): FileChange | undefined {
  if (announced === undefined) return undefined;
  const patch = rawTextOf(details?.["patch"]);
  if (patch === undefined) return announced;
  const lines = patch.split("\n").filter((line) => !/^(---|\+\+\+)( |$)/.test(line));
  return { ...announced, ...counts(lines), diff: cutDiff(patch) };
}

function change(path: string, status: FileChange["status"], hunks: readonly (readonly string[])[]): FileChange {
  const lines = hunks.flat();
  const name = headName(path);
  const diff = uncutDiff([`--- ${name}`, `+++ ${name}`, ...hunks.flatMap((hunk) => ["@@ @@", ...hunk])].join("\n"));
  return { path, status, ...counts(lines), ...(diff === undefined ? {} : { diff }) };
}

/** Removed and added lines, without context. */
function replaced(before: string, after: string): string[] {
  return diffParts(before, after)
    .flatMap(({ lines }) => lines)
    .filter((line) => !line.startsWith(" "));
}

function counts(lines: readonly string[]): { added: number; removed: number } {
  const starting = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { added: starting("+"), removed: starting("-") };
}
