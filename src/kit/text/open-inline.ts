/**
 * Closes unfinished inline markup (bold, strikethrough, code, link targets) in the last block of streaming Markdown, so
 * that markers do not flicker into formatting.
 */

/** Longer paragraphs show their markers literally. */
const TAIL_CHARS_MAX = 4_000;
/** Block starts that no emphasis can cross: empty line, list item, quote, heading, table row. */
const FRESH_LINE = /\n(?=[ \t]*(?:\n|[-*+][ \t]|\d{1,9}[.)][ \t]|>|#{1,6}[ \t]|\|))/g;
const MARKS = ["**", "~~"] as const;
const HALF = /(?<![*~\\])[*~]$/;

export function closeOpenInline(source: string): string {
  const start = tailStart(source);
  const tail = source.slice(start);
  if (tail.length > TAIL_CHARS_MAX || !/[*~`[]/.test(tail)) return source;
  return source.slice(0, start) + closed(tail);
}

function tailStart(source: string): number {
  let start = 0;
  for (const { index } of source.matchAll(FRESH_LINE)) start = index + 1;
  return start;
}

interface Opened {
  readonly mark: string;
  readonly at: number;
}

function closed(tail: string): string {
  const open: Opened[] = [];
  const brackets: number[] = [];
  let at = 0;
  while (at < tail.length) {
    const sign = tail[at] ?? "";
    const mark = MARKS.find((one) => tail.startsWith(one, at));
    if (sign === "\\") at += 2;
    else if (sign === "`") {
      const after = afterCode(tail, at);
      if (after === undefined) return withClosers(withCode(tail, at), open);
      at = after;
    } else if (mark !== undefined) {
      if (open.at(-1)?.mark === mark) open.pop();
      else if (/\S|^$/.test(tail[at + 2] ?? "")) open.push({ mark, at });
      at += 2;
    } else if (sign === "[") brackets.push(at++);
    else if (sign === "]") {
      const label = brackets.pop();
      const after = label !== undefined && tail[at + 1] === "(" ? afterAddress(tail, at + 1) : at + 1;
      if (after === undefined) return withClosers(withoutAddress(tail, label ?? 0, at), open);
      at = after;
    } else at += 1;
  }
  return withClosers(tail, open);
}

/** Index after the code span that begins here; undefined while it is open. */
function afterCode(text: string, at: number): number | undefined {
  const ticks = ticksAt(text, at);
  let next = text.indexOf("`", at + ticks);
  while (next !== -1) {
    const length = ticksAt(text, next);
    if (length === ticks) return next + length;
    next = text.indexOf("`", next + length);
  }
  return undefined;
}

function ticksAt(text: string, at: number): number {
  let end = at;
  while (text[end] === "`") end += 1;
  return end - at;
}

/** Empty code spans are hidden; closing backticks may be partial. */
function withCode(tail: string, at: number): string {
  const before = tail.slice(0, at);
  const ticks = "`".repeat(ticksAt(tail, at));
  const code = tail.slice(at + ticks.length).replace(/`+$/, "");
  return code.trim() === "" ? before : before + ticks + code + ticks;
}

/** Index after an address in parentheses; undefined while it is open. */
function afterAddress(text: string, at: number): number | undefined {
  let depth = 0;
  for (let next = at; next < text.length; next += 1) {
    if (text[next] === "\\") next += 1;
    else if (text[next] === "(") depth += 1;
    else if (text[next] === ")" && --depth === 0) return next + 1;
  }
  return undefined;
}

/** A link without its target is its text; an image is nothing yet. */
function withoutAddress(tail: string, from: number, to: number): string {
  return tail[from - 1] === "!" ? tail.slice(0, from - 1) : tail.slice(0, from) + tail.slice(from + 1, to);
}

function withClosers(tail: string, open: readonly Opened[]): string {
  let text = tail.trimEnd();
  const space = tail.slice(text.length);
  const isEmpty = (open.at(-1)?.at ?? Number.NaN) + 2 === text.length;
  const left = isEmpty ? open.slice(0, -1) : open;
  if (isEmpty) text = text.slice(0, -2);
  // First half of a two-character marker, closing or opening.
  else if (HALF.test(text) && (left.at(-1)?.mark[0] === text.at(-1) || /(?:^|\s).$/s.test(text)))
    text = text.slice(0, -1);
  return (
    text +
    left
      .map(({ mark }) => mark)
      .toReversed()
      .join("") +
    space
  );
}
