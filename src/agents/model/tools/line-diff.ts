/** The difference of two texts as a unified diff, line by line, in bounded time. */

export interface LineDiff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

type Step = { readonly mark: " " | "-" | "+"; readonly line: string };

const CONTEXT_LINES = 3;
/** Texts that differ in more lines than this are shown as wholly replaced between their common ends. */
const STEPS_MAX = 400;

/** Null on one side: the file was not there. */
export function diffLines(path: string, before: string | null, after: string | null): LineDiff {
  const steps = compare(linesOf(before), linesOf(after));
  const added = steps.filter((step) => step.mark === "+").length;
  const removed = steps.filter((step) => step.mark === "-").length;
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  const body = hunks(steps);
  return { text: body === "" ? "" : `--- ${from}\n+++ ${to}\n${body}`, added, removed };
}

const NO_NEWLINE = "\\ No newline at end of file";

/** A last line without an end carries the mark, so that it differs from the same line with one. */
function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n${NO_NEWLINE}`];
}

function compare(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const same = (lines: readonly string[]): Step[] => lines.map((line) => ({ mark: " ", line }));
  const middle = shortestWay(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

/** Myers: the furthest reach for each number of steps, and the way back through them. */
function shortestWay(before: readonly string[], after: readonly string[]): Step[] {
  const reached: Map<number, number>[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(STEPS_MAX, before.length + after.length); steps++) {
    reached.push(new Map(furthest));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const left = furthest.get(diagonal - 1) ?? -1;
      const up = furthest.get(diagonal + 1) ?? -1;
      let x = diagonal === -steps || (diagonal !== steps && left < up) ? up : left + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return wayBack(reached, before, after);
    }
  }
  const removed = before.map((line): Step => ({ mark: "-", line }));
  return [...removed, ...after.map((line): Step => ({ mark: "+", line }))];
}

function wayBack(reached: readonly Map<number, number>[], before: readonly string[], after: readonly string[]): Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let count = reached.length - 1; count >= 0; count--) {
    const furthest = reached[count] ?? new Map<number, number>();
    const diagonal = x - y;
    const left = furthest.get(diagonal - 1) ?? -1;
    const up = furthest.get(diagonal + 1) ?? -1;
    const isDown = diagonal === -count || (diagonal !== count && left < up);
    const fromX = isDown ? up : left;
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      steps.push({ mark: " ", line: before[--x] ?? "" });
      y--;
    }
    if (count === 0) break;
    if (isDown) steps.push({ mark: "+", line: after[--y] ?? "" });
    else steps.push({ mark: "-", line: before[--x] ?? "" });
  }
  return steps.toReversed();
}

function hunks(steps: readonly Step[]): string {
  const changed = steps.flatMap((step, at) => (step.mark === " " ? [] : [at]));
  const parts: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  let at = 0;
  for (let first = 0; first < changed.length;) {
    let last = first;
    while (last + 1 < changed.length && (changed[last + 1] ?? 0) - (changed[last] ?? 0) <= CONTEXT_LINES * 2) last++;
    const from = Math.max(0, (changed[first] ?? 0) - CONTEXT_LINES);
    const to = Math.min(steps.length, (changed[last] ?? 0) + CONTEXT_LINES + 1);
    for (; at < from; at++) {
      oldLine++;
      newLine++;
    }
    const hunk = steps.slice(from, to);
    const olds = hunk.filter((step) => step.mark !== "+").length;
    const news = hunk.filter((step) => step.mark !== "-").length;
    parts.push(`@@ -${span(oldLine, olds)} +${span(newLine, news)} @@`);
    for (const { mark, line } of hunk) parts.push(mark + line);
    oldLine += olds;
    newLine += news;
    at = to;
    first = last + 1;
  }
  return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
}

function span(line: number, count: number): string {
  return count === 0 ? `${line - 1},0` : count === 1 ? `${line}` : `${line},${count}`;
}
