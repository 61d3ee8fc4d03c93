/**
 * A turn in the log: by itself, in columns with those that ran beside it, or folded to one line with those of its round.
 * The first turn of such a cluster draws it; the others take no row.
 */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import {
  formatQuietRun,
  formatRound,
  isSubagent,
  laterRoundAt,
  messageAt,
  pageAt,
  PAGE_SIZE,
  quietCost,
  quietRunAt,
  type ShownMessage,
  type Transcript,
  turnById,
  turnGroupAt,
  type TurnMessage,
} from "../../transcript/index.ts";
import { oneRow } from "../markdown/wrap-rows.ts";
import { type ColumnBounds, ColumnsPanel } from "./columns-panel.ts";
import type { Arrangement, Panel, PanelContext } from "./panel.ts";
import { costFacts } from "./turn-header.ts";
import { MARGIN_WIDTH_MIN, TurnPanel } from "./turn-panel.ts";

/** Turns that are drawn at the position of the first. */
export interface Cluster {
  readonly kind: "round" | "quiet" | "columns";
  readonly positions: readonly number[];
}

const NO_ROWS: readonly string[] = [];

/** The same for the same transcript, so that the log and its panels agree. */
export function clusterAt(
  transcript: Transcript,
  position: number,
  arrangement: Arrangement = "stack",
): Cluster | undefined {
  const round = laterRoundAt(transcript, position);
  if (round !== undefined) return { kind: "round", positions: round };
  const quiet = quietRunAt(transcript, position);
  if (quiet !== undefined) return { kind: "quiet", positions: quiet.map((turn) => turn.position) };
  const group = arrangement === "stack" ? undefined : turnGroupAt(transcript, position);
  return group === undefined ? undefined : { kind: "columns", positions: group };
}

export class FoldableTurnPanel implements Panel {
  #turn: TurnMessage;
  #context: PanelContext;
  #cluster: Cluster | undefined;
  /** The turn itself, or those of an unfolded cluster. */
  readonly #panels = new Map<string, TurnPanel>();
  #columns: ColumnsPanel | undefined;
  /** The user's choice; settings apply until then. */
  #chosen: boolean | undefined;
  /** Its block is in the parent's turn, permanently. */
  #isInParent = false;
  #rows: readonly string[] = NO_ROWS;
  /** Inputs of `#rows`. */
  #drawn: readonly (string | readonly string[])[] = [];

  constructor(turn: TurnMessage, context: PanelContext) {
    this.#turn = turn;
    this.#context = context;
    this.#cluster = clusterOf(turn, context);
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "turn") return;
    if (context.settings.isExpanded !== this.#context.settings.isExpanded) this.#chosen = undefined;
    const page = pageAt(context.transcript, Math.floor(message.position / PAGE_SIZE));
    // An evicted page says nothing about its turns; what was drawn of it holds.
    if (page !== undefined) this.#cluster = clusterOf(message, context);
    this.#turn = message;
    this.#context = context;
  }

  /** Where its columns are in the rows drawn last; empty unless it has some. */
  get columns(): readonly ColumnBounds[] {
    return this.#cluster?.kind === "columns" ? (this.#columns?.columns ?? []) : [];
  }

  hiddenRows(turnId: string): { readonly above: number; readonly below: number } {
    return this.#columns?.hiddenRows(turnId) ?? { above: 0, below: 0 };
  }

  render(width: number): readonly string[] {
    const cluster = this.#cluster;
    if (this.#isCoveredByParent()) return NO_ROWS;
    if (cluster === undefined) return this.#panelOf(this.#turn, this.#context).render(width);
    if (cluster.positions[0] !== this.#turn.position) return NO_ROWS;
    const turns = this.#turnsOf(cluster);
    if (cluster.kind === "columns") return this.#columnsOf(turns).render(width);
    const opened = this.#isOpen ? this.#openedRows(turns, width) : [];
    const sections = [this.#line(cluster, turns, width), ...opened];
    const isSame = sections.length === this.#drawn.length && sections.every((part, at) => part === this.#drawn[at]);
    if (isSame) return this.#rows;
    this.#drawn = sections;
    this.#rows = opened.length === 0 ? [...sections.flat(), ""] : sections.flat();
    return this.#rows;
  }

  #openedRows(turns: readonly TurnMessage[], width: number): (readonly string[])[] {
    const shown = { ...this.#context, isSelected: false };
    return turns.map((turn) => this.#panelOf(turn, shown).render(width));
  }

  #columnsOf(turns: readonly TurnMessage[]): ColumnsPanel {
    this.#columns ??= new ColumnsPanel();
    this.#columns.update(turns, this.#context);
    return this.#columns;
  }

  #turnsOf({ positions }: Cluster): TurnMessage[] {
    return positions.flatMap((position) => {
      const message = position === this.#turn.position ? this.#turn : messageAt(this.#context.transcript, position);
      return message?.kind === "turn" ? [message] : [];
    });
  }

  /** A subagent is shown in its parent's turn; expanded, it has its own rows. */
  #isCoveredByParent(): boolean {
    const { transcript, settings, isSelected, isForcedOpen = false } = this.#context;
    if (settings.isExpanded || isSelected || isForcedOpen) return false;
    this.#isInParent ||= isShownByParent(this.#turn, transcript);
    return this.#isInParent;
  }

  toggle(row: number, column?: number): boolean {
    const cluster = this.#cluster;
    if (cluster === undefined) return this.#panels.get(this.#turn.turnId)?.toggle(row) ?? false;
    if (cluster.positions[0] !== this.#turn.position) return false;
    if (cluster.kind === "columns") return this.#columns?.toggle(row, column) ?? false;
    if (row === 0) {
      this.#chosen = !this.#isOpen;
      // Expanded again, everything in it has its defaults.
      this.#panels.clear();
      return true;
    }
    if (!this.#isOpen) return false;
    let first = 1;
    const turns = this.#turnsOf(cluster);
    for (const [at, rows] of this.#drawn.slice(1).entries()) {
      const turn = turns[at];
      if (turn !== undefined && row < first + rows.length)
        return this.#panels.get(turn.turnId)?.toggle(row - first) ?? false;
      first += rows.length;
    }
    return false;
  }

  toggleAll(): boolean {
    const cluster = this.#cluster;
    if (cluster === undefined) return this.#panels.get(this.#turn.turnId)?.toggleAll() ?? false;
    return cluster.kind === "columns" ? (this.#columns?.toggleAll(this.#context.selected) ?? false) : this.toggle(0);
  }

  invalidate(): void {
    for (const panel of this.#panels.values()) panel.invalidate();
    this.#columns?.invalidate();
    this.#drawn = [];
  }

  get #isOpen(): boolean {
    return this.#chosen ?? this.#context.settings.isExpanded;
  }

  #panelOf(turn: TurnMessage, context: PanelContext): TurnPanel {
    const known = this.#panels.get(turn.turnId);
    if (known !== undefined) {
      known.update(turn, context);
      return known;
    }
    const panel = new TurnPanel(turn, context);
    this.#panels.set(turn.turnId, panel);
    return panel;
  }

  #line({ kind }: Cluster, turns: readonly TurnMessage[], width: number): string {
    const { theme, settings, isSelected } = this.#context;
    const { round } = this.#turn;
    const facts = [
      ...(kind === "round"
        ? [formatRound(turns)]
        : [formatQuietRun(turns), ...(round === undefined ? [] : [`round ${round}`])]),
      ...(settings.hasTimes || this.#isOpen ? costFacts(quietCost(turns)) : []),
    ];
    const glyph = theme.glyph(this.#isOpen ? "unfolded" : "folded");
    const text = terminalSafeLine(`${glyph} ${facts.join(` ${theme.glyph("dot")} `)}`);
    const margin = width < MARGIN_WIDTH_MIN ? "" : " ";
    return oneRow(`${margin}${theme.paint(isSelected ? "selected" : "quiet", text)}`, width);
  }
}

function isShownByParent(turn: TurnMessage, transcript: Transcript): boolean {
  if (!isSubagent(turn) || turn.parentTurnId === undefined) return false;
  const parent = turnById(transcript, turn.parentTurnId);
  return parent?.blocks.some((one) => one.kind === "subagent" && one.subagentTurnId === turn.turnId) ?? false;
}

/** While one of them matches a search, all turns of a cluster are drawn whole. */
function clusterOf({ position }: TurnMessage, context: PanelContext): Cluster | undefined {
  const { transcript, arrangement, isForcedOpen = false } = context;
  return isForcedOpen ? undefined : clusterAt(transcript, position, arrangement);
}
