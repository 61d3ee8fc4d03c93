/**
 * A turn in the log: whole, or, when it adds nothing to a discussion, one line for all adjacent turns of that kind in
 * its round. The first draws the line and expands to all; the others take no row.
 */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import {
  isSubagent,
  pageAt,
  PAGE_SIZE,
  quietCost,
  quietRunAt,
  formatQuietRun,
  turnById,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { oneRow } from "../markdown/wrap-rows.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { TurnPanel } from "./turn-panel.ts";
import { costFacts } from "./turn-header.ts";

type Run = readonly TurnMessage[];

const NO_ROWS: readonly string[] = [];

export class FoldableTurnPanel implements Panel {
  #turn: TurnMessage;
  #context: PanelContext;
  /** Absent for a turn that is drawn whole. */
  #run: Run | undefined;
  /** By turnId: the turn itself while whole, those of the run while expanded. */
  readonly #panels = new Map<string, TurnPanel>();
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
    this.#run = runOf(turn, context);
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "turn") return;
    if (context.settings.isExpanded !== this.#context.settings.isExpanded) this.#chosen = undefined;
    const page = pageAt(context.transcript, Math.floor(message.position / PAGE_SIZE));
    // An evicted page says nothing about its turns; what was drawn of it holds.
    if (page !== undefined) this.#run = runOf(message, context);
    this.#turn = message;
    this.#context = context;
  }

  render(width: number): readonly string[] {
    const run = this.#run;
    if (this.#isCoveredByParent()) return NO_ROWS;
    if (run === undefined) return this.#panelOf(this.#turn, this.#context).render(width);
    if (run[0]?.turnId !== this.#turn.turnId) return NO_ROWS;
    const shown = { ...this.#context, isSelected: false };
    const opened = this.#isOpen ? run.map((turn) => this.#panelOf(turn, shown).render(width)) : [];
    const sections = [this.#line(run, width), ...opened];
    const isSame = sections.length === this.#drawn.length && sections.every((part, at) => part === this.#drawn[at]);
    if (isSame) return this.#rows;
    this.#drawn = sections;
    this.#rows = opened.length === 0 ? [...sections.flat(), ""] : sections.flat();
    return this.#rows;
  }

  /** A finished subagent is shown in its parent's turn, which continues above it; expanded, it has its own rows. */
  #isCoveredByParent(): boolean {
    const { transcript, settings, isSelected, isForcedOpen = false } = this.#context;
    if (this.#turn.end === undefined || settings.isExpanded || isSelected || isForcedOpen) return false;
    this.#isInParent ||= isShownByParent(this.#turn, transcript);
    return this.#isInParent;
  }

  toggle(row: number): boolean {
    const run = this.#run;
    if (run === undefined) return this.#panels.get(this.#turn.turnId)?.toggle(row) ?? false;
    if (run[0]?.turnId !== this.#turn.turnId) return false;
    if (row === 0) {
      this.#chosen = !this.#isOpen;
      // Expanded again, everything in it has its defaults.
      this.#panels.clear();
      return true;
    }
    if (!this.#isOpen) return false;
    let first = 1;
    for (const [at, rows] of this.#drawn.slice(1).entries()) {
      const turn = run[at];
      if (turn !== undefined && row < first + rows.length)
        return this.#panels.get(turn.turnId)?.toggle(row - first) ?? false;
      first += rows.length;
    }
    return false;
  }

  invalidate(): void {
    for (const panel of this.#panels.values()) panel.invalidate();
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

  #line(run: Run, width: number): string {
    const { theme, settings, isSelected } = this.#context;
    const { round } = this.#turn;
    const facts = [
      formatQuietRun(run),
      ...(round === undefined ? [] : [`round ${round}`]),
      ...(settings.hasTimes || this.#isOpen ? costFacts(quietCost(run)) : []),
    ];
    const text = terminalSafeLine(`${this.#isOpen ? "▾" : "▸"} ${facts.join(" · ")}`);
    return oneRow(`${isSelected ? `${theme.paint("selected", "▶")} ` : ""}${theme.paint("quiet", text)}`, width);
  }
}

function isShownByParent(turn: TurnMessage, transcript: Transcript): boolean {
  if (!isSubagent(turn) || turn.parentTurnId === undefined) return false;
  const parent = turnById(transcript, turn.parentTurnId);
  const block = parent?.blocks.find((one) => one.kind === "subagent" && one.subagentTurnId === turn.turnId);
  return block?.kind === "subagent" && block.outcome !== undefined;
}

/** While one of them matches a search, all turns of a run are drawn whole. */
function runOf({ position }: TurnMessage, { transcript, isForcedOpen = false }: PanelContext): Run | undefined {
  return isForcedOpen ? undefined : quietRunAt(transcript, position);
}
