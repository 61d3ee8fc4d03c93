/** What waits to be said, between the log and the input: visible, so nobody wonders whether it was lost. */
import type { Head } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";
import { rowWords } from "./row-words.ts";

const ROWS_MAX = 3;

export function queueRows(head: Head | undefined, theme: Theme): string[] {
  const queue = head?.queue ?? [];
  if (queue.length === 0) return [];
  const rows = queue
    .slice(0, ROWS_MAX)
    .map(
      (item, index) =>
        theme.paint("dim", ` ${index + 1}. queued → ${rowWords(item.to.join(", "))}: `) + rowWords(item.text),
    );
  const more = queue.length > ROWS_MAX ? ` · ${queue.length - ROWS_MAX} more` : "";
  return [...rows, theme.paint("dim", ` Alt+Up takes the last one back · /queue edits${more}`)];
}
