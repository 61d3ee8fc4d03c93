/** Which turn has the focus, and how far live columns are scrolled away from their ends. */
import { describeFailure, turnGroupAt, type TurnMessage } from "../../transcript/index.ts";
import { FoldableTurnPanel } from "../panels/foldable-turn-panel.ts";
import type { ColumnFocus } from "../panels/panel.ts";
import type { LogContent } from "./log-content.ts";
import { messagesIn } from "./log-steps.ts";
import type { LogWindow } from "./log-window.ts";

export class ColumnFocusing {
  readonly #content: LogContent;
  readonly #window: LogWindow;

  /** Turns whose work was unfolded with the focus on them. */
  readonly #unfolded = new Set<string>();

  constructor(content: LogContent, window: LogWindow) {
    this.#content = content;
    this.#window = window;
  }

  get focused(): TurnMessage | undefined {
    const turnId = this.#content.focus?.turnId;
    return turnId === undefined ? undefined : this.#turnsInView().find((turn) => turn.turnId === turnId);
  }

  /**
   * Moves the focus to the next turn among those in view and those that ran beside them: first to failed turns of the
   * newest message, then to its others. A step continues from a turn that is shown in full. False when there is none.
   */
  move(direction: "previous" | "next", { isStep }: { isStep: boolean }): boolean {
    const turns = this.#turnsInReach();
    if (turns.length === 0) return false;
    const focused = turns.findIndex(({ turnId }) => turnId === this.#content.focus?.turnId);
    const at = focused === -1 && isStep ? this.#inFull(turns) : focused;
    const isNewest = ({ rootMessageId }: TurnMessage) => rootMessageId === turns.at(-1)?.rootMessageId;
    const failed = turns.findIndex((turn) => isNewest(turn) && describeFailure(turn) !== undefined);
    const newest = failed === -1 ? turns.findIndex(isNewest) : failed;
    const step = direction === "next" ? 1 : turns.length - 1;
    const next = turns[at === -1 ? newest : (at + step) % turns.length];
    this.#set(next === undefined ? undefined : { turnId: next.turnId, isWide: this.#content.focus?.isWide ?? false });
    return true;
  }

  /** The head of the focused turn; undefined while it grows in view, which is followed. */
  get headPosition(): { readonly key: number; readonly offset: number } | undefined {
    const turnId = this.#content.focus?.turnId;
    const turn = this.#turnsInReach().find((one) => one.turnId === turnId);
    if (turn === undefined || (turn.end === undefined && this.focused !== undefined)) return undefined;
    const { key, bounds } = this.#columnOf(turn);
    return { key, offset: bounds?.top ?? 0 };
  }

  /** False when nothing had the focus. */
  clear(): boolean {
    if (this.#content.focus === undefined) return false;
    this.#set(undefined);
    return true;
  }

  /** True when the focused turn is widened over those beside it; undefined where it cannot be. */
  get isWide(): boolean | undefined {
    const { focus, transcript, settings } = this.#content;
    const turn = this.focused;
    if (focus === undefined || transcript === undefined || turn === undefined) return undefined;
    if (settings.arrangement === "focus" || turnGroupAt(transcript, turn.position) === undefined) return undefined;
    return focus.isWide;
  }

  /** Widens the focused turn over those beside it, or undoes that; false where it cannot. */
  widen(): boolean {
    const { focus } = this.#content;
    if (focus === undefined || this.isWide === undefined) return false;
    this.#set({ ...focus, isWide: !focus.isWide });
    return true;
  }

  /** Unfolds or folds the work of the focused turn. */
  toggle(): boolean {
    const turn = this.focused;
    if (turn === undefined) return false;
    const { key, bounds } = this.#columnOf(turn);
    const [top, bottom] = [bounds?.top ?? 0, bounds?.bottom ?? Number.MAX_SAFE_INTEGER];
    if (!this.#content.panels.toggleFirst(key, top, bottom, bounds?.from)) return false;
    if (!this.#unfolded.delete(turn.turnId)) this.#unfolded.add(turn.turnId);
    return true;
  }

  /** The work of the focused turn was unfolded by `toggle`. */
  get isOpen(): boolean {
    const turnId = this.#content.focus?.turnId;
    return turnId !== undefined && this.#unfolded.has(turnId);
  }

  /** Moves live columns: the focused one, or all in step. False when none can move that way. */
  scroll(rows: number, which: "focused" | "all"): boolean {
    let hasMoved = false;
    for (const { panel, turn } of this.#liveColumns()) {
      if (which === "focused" && turn.turnId !== this.#content.focus?.turnId) continue;
      const { above, below } = panel.hiddenRows(turn.turnId);
      const scrolled = new Map(this.#content.scrolled);
      // Of several steps in one frame only the first is drawn already.
      const from = scrolled.get(turn.turnId) ?? above;
      if (rows < 0 ? from === 0 : !scrolled.has(turn.turnId)) continue;
      const top = Math.max(0, from + rows);
      if (top >= above + below) scrolled.delete(turn.turnId);
      else scrolled.set(turn.turnId, top);
      this.#content.scrolled = scrolled;
      hasMoved = true;
    }
    return hasMoved;
  }

  /** All columns follow their ends again. */
  follow(): void {
    if (this.#content.scrolled.size > 0) this.#content.scrolled = new Map();
  }

  /** Columns of the screen that belong to the turn at this row of the log; undefined outside of columns. */
  columnAt(row: number, column: number): { readonly from: number; readonly to: number } | undefined {
    const target = this.#window.rows.find(row);
    const panel = target === undefined ? undefined : this.#content.panels.panelAt(target.key);
    if (target === undefined || !(panel instanceof FoldableTurnPanel)) return undefined;
    const inRow = panel.columns.filter(({ top, bottom }) => target.offset >= top && target.offset < bottom);
    return inRow.length < 2 ? undefined : inRow.find(({ from, to }) => column >= from - 1 && column <= to);
  }

  /** Where the turn stands; the bounds are those of its column. */
  #columnOf({ position, turnId }: TurnMessage) {
    const key = this.#content.shownPosition(position);
    const panel = this.#content.panels.panelAt(key);
    const columns = panel instanceof FoldableTurnPanel ? panel.columns : [];
    return { key, bounds: columns.find((bounds) => bounds.turnId === turnId) };
  }

  #set(focus: ColumnFocus | undefined): void {
    const before = this.isWide;
    if (before !== undefined && before !== (focus?.isWide ?? false)) {
      if (this.#content.arrangement !== "columns") this.#hold(before ? "narrowing" : "widening");
      this.#window.remeasure();
    }
    this.#content.focus = focus;
    if (focus !== undefined) this.#content.inFull = focus.turnId;
  }

  /** What is in view of the turn stays where it is: widened it is drawn at the position of the first beside it. */
  #hold(change: "widening" | "narrowing"): void {
    const { transcript } = this.#content;
    const turn = this.focused;
    const first = transcript && turn?.end && turnGroupAt(transcript, turn.position)?.[0];
    if (turn === undefined || first === undefined) return;
    const [from, to] = change === "widening" ? [turn.position, first] : [first, turn.position];
    const top = messagesIn(this.#window.slots).find(({ key }) => key === from)?.top ?? 0;
    this.#window.goTo({ key: to, offset: Math.max(0, -top), row: Math.max(0, top) });
  }

  /** The newest turn beside which others have only a row; -1 where there is none. */
  #inFull(turns: readonly TurnMessage[]): number {
    if (this.#content.arrangement !== "focus") return -1;
    return turns.findLastIndex((turn) => this.#columnOf(turn).bounds !== undefined);
  }

  #liveColumns(): { panel: FoldableTurnPanel; turn: TurnMessage }[] {
    return messagesIn(this.#window.slots).flatMap(({ key }) => {
      const panel = this.#content.panels.panelAt(key);
      if (!(panel instanceof FoldableTurnPanel)) return [];
      return this.#turnsAt(key)
        .filter(({ turnId }) => panel.columns.some((bounds) => bounds.turnId === turnId))
        .map((turn) => ({ panel, turn }));
    });
  }

  #turnsInView(): TurnMessage[] {
    return messagesIn(this.#window.slots).flatMap(({ key, height }) => (height === 0 ? [] : this.#turnsAt(key)));
  }

  /** Turns in view, and those that ran beside them, which may be above or below it. */
  #turnsInReach(): TurnMessage[] {
    const { transcript } = this.#content;
    if (transcript === undefined) return [];
    const beside = ({ position }: TurnMessage) =>
      turnGroupAt(transcript, position)?.filter((at) => !this.#content.isFoldedAt(at)) ?? [position];
    return this.#messages(new Set(this.#turnsInView().flatMap(beside)));
  }

  #turnsAt(key: number): TurnMessage[] {
    const cluster = this.#content.clusterAt(key);
    return this.#messages(cluster?.kind === "columns" ? cluster.positions : [key]);
  }

  #messages(positions: Iterable<number>): TurnMessage[] {
    return [...positions].flatMap((position) => {
      const message = this.#content.messageAt(position);
      return message?.kind === "turn" ? [message] : [];
    });
  }
}
