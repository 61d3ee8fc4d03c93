/** Searchable text of a message, and matches in rendered rows. */
import { sliceByColumn, stripTerminalSequences, visibleWidth } from "@earendil-works/pi-tui";
import { type Block, eventLine, type ShownMessage } from "../../transcript/index.ts";
import { isSilent } from "../panels/event-rows.ts";
import type { Theme } from "../theme/theme.ts";

/** Borders of a panel; a match may continue behind them in the next row. */
const FRAME = /^[\s│┃┆┊╎▌▎▏|>]+|[\s│┃┆┊╎▌▎▏|]+$/gu;

export function searchText(message: ShownMessage): string {
  if (message.kind === "user") return message.text;
  if (message.kind === "notice") return isSilent(message.event) ? "" : eventLine(message.event);
  return message.blocks.map(blockText).join("\n");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "tool":
      return block.title ?? block.name;
    case "exchange":
      return block.answer === undefined ? block.text : `${block.text}\n${block.answer.text}`;
    case "subagent":
      return block.text === undefined ? block.task : `${block.task}\n${block.text}`;
    case "finished":
      return block.summary;
    case "plan":
      return block.items.map((item) => item.text).join("\n");
    case "changes":
      return block.files.map((file) => file.path).join("\n");
    case "request":
    case "thinking":
    case "steering":
    case "event":
      return "";
    default:
      return "";
  }
}

/** Part of a match: a wrapped match has one per row. */
export interface MatchSpan {
  readonly match: number;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

export function findInRows(rows: readonly string[], pattern: RegExp): MatchSpan[] {
  const plain = rows.map((row) => stripTerminalSequences(row));
  const { text, starts } = joinRows(plain);
  const spans: MatchSpan[] = [];
  let match = 0;
  let firstRow = 0;
  for (const occurrence of text.matchAll(pattern)) {
    const [from, to] = [occurrence.index, occurrence.index + occurrence[0].length];
    while (firstRow < starts.length && endOf(starts[firstRow]!) <= from) firstRow += 1;
    for (let row = firstRow; row < starts.length && starts[row]!.at < to; row += 1) {
      const { at, length, skipped } = starts[row]!;
      if (length === 0) continue;
      const line = plain[row] ?? "";
      const first = visibleWidth(line.slice(0, skipped + Math.max(0, from - at)));
      const last = visibleWidth(line.slice(0, skipped + Math.min(length, to - at)));
      spans.push({ match, row, from: first, to: last });
    }
    match += 1;
  }
  return spans;
}

/** `spans` of this row, from left to right. */
export function markRow(row: string, spans: readonly MatchSpan[], current: number | undefined, theme: Theme): string {
  let marked = "";
  let column = 0;
  for (const { from, to, match } of spans) {
    const text = stripTerminalSequences(sliceByColumn(row, from, to - from));
    const painted =
      match === current ? theme.decorate("bold", theme.paint("selected", text)) : theme.paint("match", text);
    marked += sliceByColumn(row, column, from - column) + painted;
    column = to;
  }
  return marked + sliceByColumn(row, column, visibleWidth(row) + 1);
}

interface RowStart {
  /** Offset of the row's text in the joined text. */
  readonly at: number;
  readonly length: number;
  /** Characters of the row before its text. */
  readonly skipped: number;
}

function endOf({ at, length }: RowStart): number {
  return at + length;
}

function joinRows(plain: readonly string[]): { text: string; starts: readonly RowStart[] } {
  const starts: RowStart[] = [];
  const texts: string[] = [];
  let at = 0;
  for (const row of plain) {
    const text = row.replaceAll(FRAME, "");
    starts.push({ at, length: text.length, skipped: text === "" ? 0 : row.indexOf(text) });
    texts.push(text);
    at += text.length + 1;
  }
  return { text: texts.join(" "), starts };
}
