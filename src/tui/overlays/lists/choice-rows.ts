/** Rows of a list around its chosen item; only visible items are laid out. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Theme } from "../../theme/theme.ts";

/** Longer labels and descriptions are truncated; the chosen item is shown in full if possible. */
const LABEL_ROWS_MAX = 4;
const CHOSEN_ROWS_MAX = 16;
const DESCRIPTION_ROWS_MAX = 2;
/** Characters of a label that are processed; more never fit. */
const CHARS_MAX = 2_000;

export interface ShownChoice {
  readonly label: string;
  /** A text, or parts joined in rows as far as they fit. */
  readonly description?: string | readonly string[] | undefined;
  /** Before the label, such as a number or a checkbox; terminal-safe, may be styled. */
  readonly mark: string;
  /** Style of the label unless chosen. */
  readonly paint?: ((text: string) => string) | undefined;
}

export interface ChoiceRows {
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly at: number;
  readonly choice: (index: number) => ShownChoice;
  /** The cursor is elsewhere, such as in a field below. */
  readonly isAway?: boolean;
  /** Blank columns on each side, which the band of the chosen item covers; not part of the width. */
  readonly margin?: number;
  /** Descriptions are beside the labels, in one column, where there is room. */
  readonly isAligned?: boolean;
}

export interface LaidOutChoices {
  readonly rows: readonly string[];
  /** The item at a row; undefined for the row that counts hidden ones. */
  readonly indexAt: (row: number) => number | undefined;
  readonly isShown: (index: number) => boolean;
}

/** At most `height` rows that include the chosen item, and a count when some are hidden. */
export function layOutChoices(options: ChoiceRows): LaidOutChoices {
  const { theme, width, height, count, at, choice, isAway = false } = options;
  if (count === 0 || height < 1) return { rows: [], indexAt: () => undefined, isShown: () => false };
  const column = options.isAligned === true ? descriptionColumn(options) : undefined;
  const drawing = { theme, width, margin: options.margin ?? 0, column };
  const rowsOf = (index: number) =>
    drawChoice(choice(index), { ...drawing, isChosen: index === at && !isAway }).map((row) => ({ row, index }));
  let lines = rowsOf(at);
  let [first, last] = [at, at];
  // One row is reserved for the count until all items fit.
  const room = (isWhole: boolean) => (isWhole ? height : height - 1);
  for (let grew = true; grew;) {
    grew = false;
    for (const next of [last + 1, first - 1]) {
      if (next < 0 || next >= count) continue;
      const more = rowsOf(next);
      const isWhole = Math.min(first, next) === 0 && Math.max(last, next) === count - 1;
      if (lines.length + more.length > room(isWhole)) continue;
      lines = next > last ? [...lines, ...more] : [...more, ...lines];
      [first, last] = [Math.min(first, next), Math.max(last, next)];
      grew = true;
    }
  }
  const isAll = first === 0 && last === count - 1;
  const shown = lines.slice(0, isAll || height === 1 ? height : height - 1);
  const blank = " ".repeat(2 + (options.margin ?? 0));
  const note = theme.paint(
    "quiet",
    `${blank}${at + 1} of ${count} ${first > 0 ? "▲" : ""}${last < count - 1 ? "▼" : ""}`,
  );
  return {
    rows: [...shown.map(({ row }) => row), ...(isAll || height === 1 ? [] : [note])],
    indexAt: (row) => shown[row]?.index,
    isShown: (index) => shown.some((line) => line.index === index),
  };
}

export function choiceRows(options: ChoiceRows): readonly string[] {
  return layOutChoices(options).rows;
}

/** Choices whose labels are measured for their column. */
const ALIGNED_MAX = 50;
const DESCRIPTION_SHARE = 0.3;
const DESCRIPTION_COLUMNS_MIN = 24;

/** Column in which descriptions begin; undefined when they are below. */
function descriptionColumn({ count, width, margin = 0, choice }: ChoiceRows): number | undefined {
  const labels = Array.from({ length: Math.min(count, ALIGNED_MAX) }, (_, index) => {
    const { label, mark } = choice(index);
    return LEAD_COLUMNS + visibleWidth(mark) + visibleWidth(terminalSafeLine(label.slice(0, CHARS_MAX)));
  });
  const column = Math.max(
    Math.floor((width + 2 * margin) * DESCRIPTION_SHARE) - margin,
    ...labels.map((one) => one + 2),
  );
  return width - column < DESCRIPTION_COLUMNS_MIN ? undefined : column;
}

/** The sign of the chosen item and a blank. */
const LEAD_COLUMNS = 2;

interface ChoiceDrawing {
  readonly theme: Theme;
  readonly width: number;
  readonly margin: number;
  readonly column: number | undefined;
  readonly isChosen: boolean;
}

function drawChoice(
  { label, description, mark, paint = (text) => text }: ShownChoice,
  { theme, width, margin, column, isChosen }: ChoiceDrawing,
): string[] {
  const lead = `${isChosen ? "❯" : " "} ${mark}`;
  const leadColumns = LEAD_COLUMNS + visibleWidth(mark);
  const indent = " ".repeat(leadColumns);
  const edge = " ".repeat(margin);
  const band = (line: string) =>
    theme.paint("selected", edge + line + " ".repeat(Math.max(0, width - visibleWidth(line))) + edge);
  const labels = shortRows(label, Math.max(1, width - leadColumns), isChosen ? CHOSEN_ROWS_MAX : LABEL_ROWS_MAX);
  const lines = labels.map((row, index) => (index === 0 ? lead : indent) + row);
  const isBeside = column !== undefined && lines.length === 1 && typeof description !== "object";
  const below = isBeside ? [] : descriptionRows(description, Math.max(1, width - leadColumns), isChosen);
  const beside = isBeside ? descriptionRows(description, width - column, isChosen) : [];
  const rows = lines.map((line, index) => {
    const named = isChosen ? theme.decorate("bold", line) : paint(line);
    const [first] = index === 0 ? beside : [];
    const gap = " ".repeat(Math.max(0, (column ?? 0) - visibleWidth(line)));
    const whole = first === undefined ? named : `${named}${gap}${theme.paint("quiet", first)}`;
    return isChosen ? band(whole) : edge + whole;
  });
  const more = beside.slice(1).map((row) => " ".repeat(column ?? 0) + theme.paint("quiet", row));
  return [...rows, ...more.map((row) => edge + row), ...below.map((row) => edge + indent + theme.paint("quiet", row))];
}

function descriptionRows(description: ShownChoice["description"], room: number, isChosen: boolean): string[] {
  if (typeof description === "object") return flowParts(description, room).flatMap((row) => shortRows(row, room, 1));
  const rowsMax = isChosen ? CHOSEN_ROWS_MAX : DESCRIPTION_ROWS_MAX;
  return shortRows(description ?? "", room, rowsMax).filter((row) => row !== "");
}

function shortRows(text: string, width: number, rowsMax: number): string[] {
  const safe = terminalSafeLine(text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text);
  const rows = wrapTextWithAnsi(safe, width);
  if (rows.length <= rowsMax) return rows;
  const last = rows[rowsMax - 1] ?? "";
  return [...rows.slice(0, rowsMax - 1), `${truncateToWidth(last, Math.max(0, width - 1), "")}…`];
}

/** Joins parts in as few rows as possible without breaking one. */
function flowParts(parts: readonly string[], width: number): string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const longer = `${rows.at(-1) ?? ""} · ${part}`;
    if (rows.length > 0 && visibleWidth(longer) <= width) rows.splice(-1, 1, longer);
    else rows.push(part);
  }
  return rows;
}

/** Clamped; the list does not wrap around. */
export function moveChoice(at: number, by: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at + by));
}

/** Step of a navigation key; undefined for other keys. Letters count only in lists without a field. */
export function listStep(key: string | undefined, { hasLetters }: { hasLetters: boolean }): number | undefined {
  if (key === "up" || key === "ctrl+p") return -1;
  if (key === "down" || key === "ctrl+n") return 1;
  if (hasLetters && key === "k") return -1;
  if (hasLetters && key === "j") return 1;
  return undefined;
}

/** Index for a digit key; undefined for other keys or without such an item. */
export function choiceByDigit(key: string | undefined, count: number): number | undefined {
  if (key === undefined || !/^[1-9]$/.test(key)) return undefined;
  const index = Number(key) - 1;
  return index < count ? index : undefined;
}
