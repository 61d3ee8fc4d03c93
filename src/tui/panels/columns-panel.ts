/**
 * Turns of the same time as one panel: side by side, or one in full with a row for each other one. Rows are composed
 * from those of the members' panels; a row is composed again only when one of its cells has changed.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { formatTurnTime, formatWork, type ToolBlock, toolAction, type TurnMessage } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { memberLabel, paintMember } from "./member-name.ts";
import { hasBlankRows, isTiny, type PanelContext } from "./panel.ts";
import { activityLabel, liveGlyph, stateOf } from "./turn-header.ts";
import { MARGIN_WIDTH_MIN, TurnPanel } from "./turn-panel.ts";

/** Bar, blank and text. */
const COLUMN_WIDTH_MIN = 44;

const GAP = 2;

const MARGIN = 1;

/** A row of columns is never lower than this while it is live. */
const COLUMN_ROWS_MIN = 6;

/** When fewer rows than this remain for the full one, the others share a row. */
const FULL_ROWS_MIN = 4;

export interface ColumnBounds {
  readonly turnId: string;
  /** Columns of the screen, the first and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** Rows of the panel. */
  readonly top: number;
  readonly bottom: number;
}

/** Number of columns side by side: as many as fit, in balanced rows. */
export function columnsPerRow(width: number, count: number): number {
  const most = Math.max(1, Math.floor((width - 2 * MARGIN + GAP) / (COLUMN_WIDTH_MIN + GAP)));
  return Math.ceil(count / Math.ceil(count / most));
}

export class ColumnsPanel {
  readonly #panels = new Map<string, TurnPanel>();
  #turns: readonly TurnMessage[] = [];
  #context: PanelContext | undefined;
  #rows: readonly string[] = [];
  /** Cells of `#rows`, column by column. */
  #cells: readonly (readonly string[])[] = [];
  #padded = new Map<string, string>();
  #columnWidth = 0;
  #columns: ColumnBounds[] = [];

  update(turns: readonly TurnMessage[], context: PanelContext): void {
    this.#turns = turns;
    this.#context = context;
  }

  /** Where each column is in the rows drawn last. */
  get columns(): readonly ColumnBounds[] {
    return this.#columns;
  }

  /** How far a column can be scrolled. */
  hiddenRows(turnId: string): { readonly above: number; readonly below: number } {
    return this.#panels.get(turnId)?.hidden ?? { above: 0, below: 0 };
  }

  render(width: number): readonly string[] {
    const context = this.#context;
    if (context === undefined) return [];
    const wide = this.#turns.find(({ turnId }) => turnId === context.focus?.turnId && context.focus.isWide);
    if (context.arrangement === "focus" || wide !== undefined) {
      return this.#replace(this.#oneInFull(wide ?? this.#chosen(context), context, width));
    }
    const perRow = columnsPerRow(width, this.#turns.length);
    const columnWidth = Math.floor((width - 2 * MARGIN - GAP * (perRow - 1)) / perRow);
    const rowCount = Math.ceil(this.#turns.length / perRow);
    const isLive = this.#turns.some(({ end }) => end === undefined);
    const height = Math.max(COLUMN_ROWS_MIN, Math.floor(((context.groupRows ?? 0) - rowCount + 1) / rowCount));
    if (columnWidth !== this.#columnWidth) {
      this.#padded.clear();
      this.#cells = [];
    }
    this.#columnWidth = columnWidth;
    const cells: string[][] = [];
    const allBounds: ColumnBounds[] = [];
    for (let first = 0; first < this.#turns.length; first += perRow) {
      const turns = this.#turns.slice(first, first + perRow);
      const rows = isLive && turns.some(({ end }) => end === undefined) ? height : undefined;
      const columns = turns.map((turn) => this.#panelOf(turn, { ...context, column: { rows } }).render(columnWidth));
      const own = Math.max(...columns.map(({ length }) => length));
      // Earlier text stays in view while there is room for it.
      const least = rowCount === 1 ? (context.freeRows ?? height) : height;
      const tallest = rows === undefined ? own : Math.min(rows, Math.max(own, least, COLUMN_ROWS_MIN));
      turns.forEach(({ turnId }, at) => {
        const from = MARGIN + at * (columnWidth + GAP);
        allBounds.push({ turnId, from, to: from + columnWidth, top: cells.length, bottom: cells.length + tallest });
      });
      const bars = turns.map((turn) => (rows === undefined ? "" : this.#bar(turn, context)));
      for (let row = 0; row < tallest; row += 1) cells.push(columns.map((column, at) => column[row] ?? bars[at] ?? ""));
      cells.push([]);
    }
    this.#columns = allBounds;
    return this.#compose(cells, columnWidth);
  }

  toggle(row: number, column: number | undefined): boolean {
    const bounds =
      this.#columns.find(
        ({ from, to, top, bottom }) =>
          row >= top && row < bottom && column !== undefined && column >= from - 1 && column < to,
      ) ?? (column === undefined ? this.#columns.find(({ top, bottom }) => row >= top && row < bottom) : undefined);
    if (bounds === undefined) return false;
    return this.#panels.get(bounds.turnId)?.toggle(row - bounds.top) ?? false;
  }

  toggleAll(position: number | undefined): boolean {
    const turn = this.#turns.find((one) => one.position === position) ?? this.#turns[0];
    return (turn === undefined ? undefined : this.#panels.get(turn.turnId)?.toggleAll()) ?? false;
  }

  invalidate(): void {
    for (const panel of this.#panels.values()) panel.invalidate();
    this.#padded.clear();
    this.#cells = [];
  }

  #bar({ turnId, member }: TurnMessage, { theme, transcript, focus }: PanelContext): string {
    return paintMember(transcript.head, theme, member, theme.glyph(focus?.turnId === turnId ? "focusedBar" : "bar"));
  }

  #panelOf(turn: TurnMessage, context: PanelContext): TurnPanel {
    const isSelected = context.selected === turn.position;
    const own = isSelected === context.isSelected ? context : { ...context, isSelected };
    const known = this.#panels.get(turn.turnId);
    if (known !== undefined) {
      known.update(turn, own);
      return known;
    }
    const panel = new TurnPanel(turn, own);
    this.#panels.set(turn.turnId, panel);
    return panel;
  }

  #compose(cells: readonly (readonly string[])[], columnWidth: number): readonly string[] {
    const before = this.#cells;
    let isSame = before.length === cells.length && this.#rows.length === cells.length;
    const padded = new Map<string, string>();
    const pad = (cell: string): string => {
      const known = this.#padded.get(cell) ?? cell + " ".repeat(Math.max(0, columnWidth - visibleWidth(cell)));
      padded.set(cell, known);
      return known;
    };
    const rows = cells.map((row, at) => {
      const old = before[at];
      const isKnown = old?.length === row.length && row.every((cell, column) => cell === old[column]);
      if (isKnown && this.#rows[at] !== undefined) {
        for (const cell of row) padded.set(cell, this.#padded.get(cell) ?? pad(cell));
        return this.#rows[at];
      }
      isSame = false;
      const last = row.findLastIndex((cell) => cell !== "");
      if (last === -1) return "";
      return `${" ".repeat(MARGIN)}${row
        .slice(0, last + 1)
        .map((cell, column) => (column === last ? cell : pad(cell)))
        .join(" ".repeat(GAP))}`;
    });
    this.#padded = padded;
    this.#cells = cells;
    if (!isSame) this.#rows = rows;
    return this.#rows;
  }

  #replace(rows: readonly string[]): readonly string[] {
    this.#cells = [];
    const isSame = rows.length === this.#rows.length && rows.every((row, at) => row === this.#rows[at]);
    if (!isSame) this.#rows = rows;
    return this.#rows;
  }

  #chosen({ inFull }: PanelContext): TurnMessage | undefined {
    const isLive = ({ end }: TurnMessage) => end === undefined;
    return this.#turns.find(({ turnId }) => turnId === inFull) ?? this.#turns.find(isLive) ?? this.#turns[0];
  }

  /** One member in full, a row for each other one. */
  #oneInFull(turn: TurnMessage | undefined, context: PanelContext, width: number): string[] {
    if (turn === undefined) return [];
    const { theme, groupRows = 0 } = context;
    const others = this.#turns.filter((one) => one !== turn);
    const apart = hasBlankRows(context) ? 2 : 1;
    const isLow = groupRows > 0 && (isTiny(context) || groupRows < FULL_ROWS_MIN + apart + others.length);
    const strip = isLow
      ? [this.#stripInOne(others, context, width)]
      : others.map((one) => stripRow(one, context, width));
    const isLive = this.#turns.some(({ end }) => end === undefined);
    const least = isLow ? COLUMN_ROWS_MIN : FULL_ROWS_MIN;
    const rows = isLive ? Math.max(least, groupRows - strip.length - (isLow ? 0 : apart)) : undefined;
    const margin = width < MARGIN_WIDTH_MIN ? 0 : MARGIN;
    const inner = Math.max(1, width - 2 * margin);
    const full = this.#panelOf(turn, { ...context, column: { rows } }).render(inner);
    const shown = full.map((row) => " ".repeat(margin) + row);
    for (let row = shown.length; row < (rows ?? 0); row += 1) shown.push(" ".repeat(margin) + this.#bar(turn, context));
    this.#columns = [{ turnId: turn.turnId, from: margin, to: width - margin, top: 0, bottom: shown.length }];
    const line = theme.paint("faint", theme.glyph("rule").repeat(width));
    const rule = isLow ? [] : hasBlankRows(context) ? ["", line] : [line];
    return [...shown, ...rule, ...strip, ""];
  }

  #stripInOne(turns: readonly TurnMessage[], context: PanelContext, width: number): string {
    const { theme, transcript } = context;
    const shown = turns.map((turn) => {
      const name = memberLabel(transcript.head, theme, turn.member);
      const state =
        turn.end === undefined
          ? `${liveGlyph(turn, context)} ${theme.paint("quiet", activityLabel(turn))}`
          : stateOf(turn, context);
      return `${this.#bar(turn, context)} ${name} ${state.trimStart()}`;
    });
    return oneRow(shown.join("  "), width);
  }
}

/** Bar, name, state and activity; at the right its work and time. */
function stripRow(turn: TurnMessage, context: PanelContext, width: number): string {
  const { theme, transcript, now } = context;
  const margin = width < MARGIN_WIDTH_MIN ? 0 : MARGIN;
  const bar = paintMember(transcript.head, theme, turn.member, theme.glyph("bar"));
  const name = memberLabel(transcript.head, theme, turn.member);
  const isOpen = turn.end === undefined;
  const state = isOpen
    ? `${liveGlyph(turn, context)} ${theme.paint("quiet", terminalSafeLine(activityLabel(turn)))}`.trimStart()
    : stateOf(turn, context);
  const tools = turn.blocks.filter((block): block is ToolBlock => block.kind === "tool" && block.state !== "pending");
  const work =
    formatWork(tools)
      .replace(/ · .*$/, "")
      .split(", ")
      .at(-1) ?? "";
  const request = transcript.head.requests.find(({ turnId }) => turnId === turn.turnId);
  const time = request === undefined ? formatTurnTime(now - turn.ts) : `waits ${formatTurnTime(now - request.ts)}`;
  const facts = isOpen ? [...(width < 90 || work === "" || request !== undefined ? [] : [work]), time] : [];
  const right = theme.paint("quiet", facts.join(` ${theme.glyph("dot")} `));
  const left = `${" ".repeat(margin)}${bar} ${fill(name, 8)} ${fill(state, 11)} `;
  const room = width - margin - visibleWidth(left) - visibleWidth(right) - 2;
  const line = room < 8 ? "" : oneRow(newestLine(turn, context), room);
  const gap = Math.max(1, width - margin - visibleWidth(left) - visibleWidth(line) - visibleWidth(right));
  return closeRow(`${left}${line}${" ".repeat(gap)}${right}`, width);
}

/** Current activity of a turn, or its last text, in one line. */
function newestLine(turn: TurnMessage, { theme, transcript }: PanelContext): string {
  const running = turn.blocks.findLast((block) => block.kind === "tool" && block.state === "pending");
  if (running?.kind === "tool") {
    const { verb, target } = toolAction(running, transcript.head.cwd);
    return terminalSafeLine(`${verb} ${target}`.trim());
  }
  const last = turn.blocks.findLast((block) => block.kind === "text" || block.kind === "thinking");
  if (last?.kind !== "text" && last?.kind !== "thinking") return "";
  const lines = last.text.trim().split("\n");
  const line = terminalSafeLine((turn.end === undefined ? lines.at(-1) : lines[0]) ?? "");
  if (last.kind === "text") return line.replaceAll(/[*`#]+/g, "").trim();
  return theme.paint("quiet", theme.decorate("italic", `${theme.glyph("thinking")} ${line}`));
}

function fill(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}
