/** Files changed in a turn, reported once at its end with their diff against the start of the turn. */
import type { FileChange } from "../../../protocol/index.ts";
import type { AgentEvent } from "../../port.ts";
import { truncateText } from "../../../kit/text/truncating-buffer.ts";
import { diffLines } from "../../line-diff.ts";

const FILES_MAX = 100;
/** Shared by all diffs of one report, which must fit into one event. */
const DIFF_BYTES_MAX = 128 * 1024;

export class FileChanges {
  readonly #files = new Map<string, { before: string | undefined; after: string | undefined }>();

  /** Undefined: the file does not exist. */
  add(path: string, before: string | undefined, after: string | undefined): void {
    const known = this.#files.get(path);
    this.#files.set(path, { before: known === undefined ? before : known.before, after });
  }

  /** Undefined when nothing changed. */
  report(): Extract<AgentEvent, { type: "change_report" }> | undefined {
    const changed = [...this.#files].filter(([, { before, after }]) => before !== after);
    if (changed.length === 0) return undefined;
    let roomBytes = DIFF_BYTES_MAX;
    const files = changed.slice(0, FILES_MAX).map(([path, { before, after }]): FileChange => {
      const { text, added, removed } = diffLines(path, before, after);
      const diff = truncateText(text, roomBytes).text;
      roomBytes = Math.max(0, roomBytes - Buffer.byteLength(diff));
      const status = before === undefined ? "added" : after === undefined ? "deleted" : "modified";
      return { path, status, added, removed, diff };
    });
    return { type: "change_report", files, truncatedCount: changed.length - files.length };
  }
}
