/** A unified diff of one change: what both texts share at either end is left out, the rest is one hunk. Pure. */

const CONTEXT_LINES = 3;
/** Longer texts are told as a change without its lines. */
const DIFF_CHARS_MAX = 400_000;

export interface Change {
  readonly path: string;
  /** Null or empty: the file is new. */
  readonly before: string | null;
  readonly after: string;
}

export function lineDiff({ path, before, after }: Change): string {
  const head = `--- ${before === null || before === "" ? "/dev/null" : path}\n+++ ${path}\n`;
  if ((before?.length ?? 0) + after.length > DIFF_CHARS_MAX) return `${head}(too long to be shown)\n`;
  const old = linesOf(before ?? "");
  const now = linesOf(after);
  const start = countSame(old, now);
  const end = countSame(old.slice(start).toReversed(), now.slice(start).toReversed());
  const from = Math.max(0, start - CONTEXT_LINES);
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  if (removed.length === 0 && added.length === 0) return head;
  const leading = old.slice(from, start);
  const trailing = old.slice(old.length - end, old.length - end + CONTEXT_LINES);
  const size = leading.length + trailing.length;
  const formatRange = (count: number): string => `${count === 0 ? from : from + 1},${count}`;
  const body = [
    `@@ -${formatRange(size + removed.length)} +${formatRange(size + added.length)} @@`,
    ...leading.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trailing.map((line) => ` ${line}`),
  ];
  return `${head}${body.join("\n")}\n`;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function countSame(left: readonly string[], right: readonly string[]): number {
  const most = Math.min(left.length, right.length);
  let count = 0;
  while (count < most && left[count] === right[count]) count += 1;
  return count;
}
