/** File changes of a turn, within linggen's limits. */
import type { FileChange } from "../../../src/protocol/index.ts";

const FILES_MAX = 20;
const DIFF_CHARS_MAX = 12_000;

const SUMMARY = { added: "Added", modified: "Modified", deleted: "Deleted", renamed: "Renamed" } as const;

export interface ChangeReport {
  readonly files: readonly { readonly path: string; readonly summary: string; readonly diff: string }[];
  readonly truncated_count: number;
}

export function changeReportOf(files: readonly FileChange[], truncatedCount: number): ChangeReport {
  return {
    files: files.slice(0, FILES_MAX).map(({ path, status, diff }) => ({
      path,
      summary: SUMMARY[status],
      diff: diff === undefined ? "(diff unavailable)" : beginning(diff),
    })),
    truncated_count: truncatedCount + Math.max(0, files.length - FILES_MAX),
  };
}

function beginning(diff: string): string {
  const letters = Array.from(diff);
  return letters.length <= DIFF_CHARS_MAX ? diff : `${letters.slice(0, DIFF_CHARS_MAX).join("")}\n… (cut)`;
}
