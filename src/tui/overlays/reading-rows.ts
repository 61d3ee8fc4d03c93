/** Untrusted text as rows of a width: prose wraps at words, commands are shown exactly. */
import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { plural } from "../../kit/text/format.ts";

const TAB = "    ";
/** Marks the continuation of a wrapped line. */
const CONTINUED = "↪ ";
const BEGUN = "  ";

/** Paragraphs wrapped at words. */
export function proseRows(text: string, width: number, paint: (text: string) => string = (row) => row): string[] {
  if (text === "") return [];
  return terminalSafe(text)
    .replaceAll("\t", TAB)
    .split("\n")
    .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width)))
    .map((row) => paint(row));
}

/** Everything before the last column of a line, and that column: columns are separated by two or more spaces. */
const COLUMNS = /^(\s*\S.*?\s{2,})(\S(?:(?!\s{2,}\S).)*)$/;
/** Indent on narrow screens, where nothing fits beside the first column. */
const NARROW_INDENT = 4;

/** A table row: wraps below its last column. */
export function hangingRows(line: string, width: number): string[] {
  const match = COLUMNS.exec(line);
  if (match === null || visibleWidth(line) <= width) return proseRows(line, width);
  const [, before = "", last = ""] = match;
  const column = visibleWidth(before);
  const isWide = column <= width / 2;
  const indent = isWide ? column : Math.min(NARROW_INDENT, Math.max(0, width - 1));
  const rows = proseRows(last, width - indent).map((row) => " ".repeat(indent) + row);
  return isWide
    ? rows.with(0, before + (rows[0] ?? "").slice(indent))
    : [...proseRows(before.trimEnd(), width), ...rows];
}

/**
 * Every character of a command, none omitted: control and hidden characters are named, long lines continue behind a
 * mark.
 */
export function exactRows(text: string, width: number, theme: Theme, tone: Tone = "code"): string[] {
  return nameControls(text)
    .split("\n")
    .flatMap((line) => hardWrapped(line, Math.max(1, width - BEGUN.length)))
    .map(
      ({ text: row, isContinued }) => theme.paint("quiet", isContinued ? CONTINUED : BEGUN) + theme.paint(tone, row),
    );
}

/** The same without marks, for what stands in a column of its own. */
export function exactLines(text: string, width: number): string[] {
  return nameControls(text)
    .split("\n")
    .flatMap((line) => hardWrapped(line, Math.max(1, width)).map((row) => row.text));
}

/**
 * A command exactly, in the colours of a shell. It breaks at blanks; a break inside a word, and every break of a command
 * of several lines, has a mark.
 */
export function commandRows(command: string, width: number, theme: Theme): string[] {
  const lines = nameControls(command).split("\n");
  return lines.flatMap((line, at) =>
    wordWrapped(line, Math.max(1, width - BEGUN.length)).map(({ text, isContinued, isInWord }, row) => {
      const isMarked = isContinued && (isInWord || lines.length > 1);
      const lead = at === 0 && row === 0 ? "$ " : isMarked ? CONTINUED : BEGUN;
      const mark = lead === CONTINUED ? theme.paint("quiet", lead) : theme.decorate("bold", lead);
      return mark + theme.decorate("bold", shellColours(text, theme));
    }),
  );
}

const SHELL_WORD = /("[^"]*"|'[^']*')|(?<=^|\s)(&&|\|\|?|;|>>?|<|2>&1)(?=\s|$)|(?<=\s)(--?[\w-]+)/g;

/** Strings, operators and options, which are what one looks for in a command; a grammar marks names of programs. */
function shellColours(line: string, theme: Theme): string {
  return line.replaceAll(SHELL_WORD, (word, string?: string, operator?: string) =>
    theme.paint(string === undefined ? (operator === undefined ? "type" : "keyword") : "string", word),
  );
}

interface WordRow extends WrappedRow {
  readonly isInWord: boolean;
}

function wordWrapped(line: string, width: number): WordRow[] {
  const rows: WordRow[] = [];
  // An operator stays with the word after it.
  for (const word of line === "" ? [""] : line.split(/(?<= )(?! )(?<!(?:^| )(?:&&|\|\|?|;|>>?|<) )/)) {
    const before = rows.at(-1);
    const joined = (before?.text ?? "") + word;
    if (before !== undefined && visibleWidth(joined) <= width) rows.splice(-1, 1, { ...before, text: joined });
    else
      rows.push(
        ...hardWrapped(word, width).map(({ text, isContinued }) => ({
          text,
          isContinued: isContinued || before !== undefined,
          isInWord: isContinued,
        })),
      );
  }
  return rows;
}

const FIELD_COLUMNS_MIN = 11;

/** Arguments of a tool exactly, their names in one column. `linesMax` of one; the others are counted. */
export function fieldRows(
  fields: readonly { readonly name: string; readonly text: string }[],
  { width, theme, linesMax = Infinity }: { width: number; theme: Theme; linesMax?: number },
): string[] {
  const names = fields.map(({ name }) => visibleWidth(terminalSafeLine(name)) + 2);
  const column = Math.min(Math.max(FIELD_COLUMNS_MIN, ...names), Math.max(FIELD_COLUMNS_MIN, Math.floor(width / 3)));
  return fields.flatMap(({ name, text }) => {
    const indent = name === "" ? "" : " ".repeat(column);
    const rows = nameControls(text)
      .split("\n")
      .flatMap((line) => hardWrapped(line, Math.max(1, width - indent.length)))
      .map(
        (row) =>
          (row.isContinued && indent !== "" ? indent.slice(2) + theme.paint("quiet", CONTINUED) : indent) + row.text,
      );
    const left = rows.length - linesMax;
    const shown =
      left <= 1
        ? rows
        : [
            ...rows.slice(0, linesMax),
            indent + theme.paint("quiet", `${theme.glyph("more")} ${plural(left, "more line")} (v)`),
          ];
    const label = terminalSafeLine(name);
    if (visibleWidth(label) + 2 > column)
      return [...proseRows(label, width, (row) => theme.paint("quiet", row)), ...shown];
    const [first = "", ...rest] = shown;
    return name === "" ? shown : [theme.paint("quiet", fitName(label, column)) + first.slice(indent.length), ...rest];
  });
}

function fitName(name: string, width: number): string {
  return name + " ".repeat(Math.max(0, width - visibleWidth(name)));
}

/** A unified diff as it is written: each row starts with its sign; colour only repeats it. */
export function diffRows(diff: string, width: number, theme: Theme): string[] {
  return nameControls(diff.replace(/\n$/, ""))
    .split("\n")
    .flatMap((line) => {
      const tone = diffTone(line);
      return hardWrapped(line, Math.max(1, width - BEGUN.length)).map(
        ({ text, isContinued }) => theme.paint("quiet", isContinued ? CONTINUED : BEGUN) + theme.paint(tone, text),
      );
    });
}

/** A diff whose hidden characters are named, so that none is approved unseen. */
export function namedDiff(diff: string): string {
  return nameControls(diff.replaceAll("\r\n", "\n").replace(/\n$/, ""));
}

/** Number of characters that are invisible on their own. */
export function countHidden(text: string): number {
  return countNames(nameControls(text)) - countNames(text);
}

function countNames(text: string): number {
  return text.match(NAMED)?.length ?? 0;
}

/** Tone of a diff line by its sign. */
export function diffTone(line: string): Tone {
  if (line.startsWith("+++") || line.startsWith("---")) return "you";
  if (line.startsWith("@@")) return "quiet";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "text";
}

const NAMED = /⟨U\+[0-9A-F]{4,6}⟩/g;

/** The sanitiser drops whole sequences; here their bytes must be visible, because they would run. */
function nameControls(text: string): string {
  const named = text
    .replaceAll("\t", TAB)
    // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
    .replaceAll(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, (char) => `⟨U+${hex(char)}⟩`);
  return terminalSafe(named);
}

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

const PLAIN = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

interface WrappedRow {
  readonly text: string;
  readonly isContinued: boolean;
}

/** Breaks between graphemes and keeps every space. */
function hardWrapped(line: string, width: number): WrappedRow[] {
  const rows: string[] = [];
  if (PLAIN.test(line)) {
    for (let at = 0; at < line.length; at += width) rows.push(line.slice(at, at + width));
  } else {
    let row = "";
    let columns = 0;
    for (const { segment } of graphemes.segment(line)) {
      const wide = visibleWidth(segment);
      if (columns + wide > width && row !== "") {
        rows.push(row);
        row = "";
        columns = 0;
      }
      row += segment;
      columns += wide;
    }
    rows.push(row);
  }
  if (rows.length === 0) rows.push("");
  return rows.map((text, index) => ({ text, isContinued: index > 0 }));
}
