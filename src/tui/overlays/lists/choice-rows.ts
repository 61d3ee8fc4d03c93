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
  /** Before the label, such as a number or a checkbox; trusted. */
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
  const rowsOf = (index: number) =>
    drawChoice(choice(index), { theme, width, isChosen: index === at && !isAway }).map((row) => ({ row, index }));
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
  const note = theme.paint("quiet", `  ${at + 1} of ${count} ${first > 0 ? "▲" : ""}${last < count - 1 ? "▼" : ""}`);
  return {
    rows: [...shown.map(({ row }) => row), ...(isAll || height === 1 ? [] : [note])],
    indexAt: (row) => shown[row]?.index,
    isShown: (index) => shown.some((line) => line.index === index),
  };
}

export function choiceRows(options: ChoiceRows): readonly string[] {
  return layOutChoices(options).rows;
}

function drawChoice(
  { label, description, mark, paint = (text) => text }: ShownChoice,
  { theme, width, isChosen }: { theme: Theme; width: number; isChosen: boolean },
): string[] {
  const lead = `${isChosen ? "❯" : " "} ${mark}`;
  const indent = " ".repeat(lead.length);
  const room = Math.max(1, width - lead.length);
  const labels = shortRows(label, room, isChosen ? CHOSEN_ROWS_MAX : LABEL_ROWS_MAX);
  const descriptions =
    typeof description === "object"
      ? flowParts(description, room).flatMap((row) => shortRows(row, room, 1))
      : shortRows(description ?? "", room, isChosen ? CHOSEN_ROWS_MAX : DESCRIPTION_ROWS_MAX).filter(
          (row) => row !== "",
        );
  return [
    ...labels.map((row, index) => {
      const line = (index === 0 ? lead : indent) + row;
      return isChosen
        ? theme.paint("selected", line + " ".repeat(Math.max(0, width - visibleWidth(line))))
        : paint(line);
    }),
    ...descriptions.map((row) => indent + theme.paint("quiet", row)),
  ];
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
