/**
 * Which rows of the log are in view, and that they stay there. Rows are laid out from one of three places: the end
 * (following), the start, or an anchor, a row of a message that keeps its row on the screen. Only what is in view is
 * ever measured, so distances are exact although most heights are guesses.
 */
import { LogRows, type RowSource, type Slot } from "./log-rows.ts";

/** Until the first frame has reported the height of the view. */
const FIRST_VIEW_ROWS = 50;
/** Longer distances use estimated heights: nobody reads what flies by, and all of it would have to be rendered. */
const EXACT_SCREENS = 4;

/** A row of a message, and its row on the screen. */
export interface Anchor {
  readonly key: number;
  readonly offset: number;
  readonly row: number;
}

type Intent =
  | { readonly kind: "keep" }
  | { readonly kind: "end" }
  | { readonly kind: "by"; readonly rows: number }
  | { readonly kind: "place"; readonly anchor: Anchor; readonly isToggle: boolean; readonly isReveal?: boolean }
  | { readonly kind: "stand"; readonly key: number }
  | { readonly kind: "reveal"; readonly key: number; readonly offset: number | undefined };

type Layout =
  | { readonly from: "end" }
  | { readonly from: "start" }
  | { readonly from: "anchor"; readonly anchor: Anchor };

const NO_MOVE: Intent = { kind: "keep" };

export class LogWindow {
  readonly rows: LogRows;
  #viewRows = 0;
  #preparedRows = 0;
  #span = 0;
  #layout: Layout = { from: "end" };
  #intent: Intent = NO_MOVE;
  #isFollowing = true;
  /** Decided while laying out, effective once settled: a layout may be prepared more than once. */
  #willFollow = true;
  #slots: readonly Slot[] = [];
  #slotsWidth = 0;
  #top = 0;

  constructor(source: RowSource) {
    this.rows = new LogRows(source);
  }

  get isFollowing(): boolean {
    if (this.#intent.kind === "end") return true;
    return this.#isFollowing && !(this.#intent.kind === "by" && this.#intent.rows < 0);
  }

  /** The messages in view, from top to bottom. */
  get slots(): readonly Slot[] {
    return this.#slots;
  }

  get viewRows(): number {
    return this.#viewRows;
  }

  get top(): number {
    return this.#top;
  }

  get isAtStart(): boolean {
    return this.#top === 0 && this.#intent.kind === "keep";
  }

  get isAtEnd(): boolean {
    return this.#top + this.#viewRows >= this.rows.total;
  }

  /** Scrolls in the next frame, relative to what is in view. */
  scrollBy(rows: number): void {
    const before = this.#intent.kind === "by" ? this.#intent.rows : 0;
    this.#intent = { kind: "by", rows: before + rows };
  }

  toStart(): void {
    this.goTo({ key: this.rows.startKey, offset: 0, row: 0 });
  }

  toEnd(): void {
    this.#intent = { kind: "end" };
  }

  goTo(anchor: Anchor): void {
    this.#intent = { kind: "place", anchor, isToggle: false };
  }

  /** The message at the top, with what precedes it where there is room; nothing when all after it fits. */
  standAt(key: number): void {
    this.#intent = { kind: "stand", key };
  }

  /** Something was expanded or collapsed there; its row keeps its position. */
  holdToggled(anchor: Anchor): void {
    this.#intent = { kind: "place", anchor, isToggle: true };
  }

  /** Scrolls a message, or one of its rows, into view; does nothing if it is. */
  reveal(key: number, offset?: number): void {
    this.#intent = { kind: "reveal", key, offset };
  }

  /** Everything has another height from here on, as after a change of width; the row in the middle stays. */
  remeasure(): void {
    this.rows.remeasure();
    this.#slotsWidth = 0;
  }

  /** Discards everything for another session. */
  restart(): void {
    this.rows.restart();
    this.#slots = [];
    this.#isFollowing = true;
    this.#intent = { kind: "end" };
  }

  /** Sets the number of messages and the first visible one. Costs time for new ones only. */
  update(count: number, first: number): void {
    this.rows.update(count, first);
    if (this.#slots.some(({ key }) => key >= 0 && key < first)) this.#intent = { kind: "end" };
  }

  /** Lays out the rows for this width; returns their total. `rowsMax` is the most that can be in view. */
  prepare(width: number, rowsMax: number): number {
    this.rows.setWidth(width);
    this.#preparedRows = this.#viewRows;
    this.#span = Math.max(this.#viewRows, rowsMax, this.#viewRows === 0 ? FIRST_VIEW_ROWS : 1);
    const intent = this.#resolved(this.#intent);
    this.#arrange(this.#wanted(intent), intent);
    return this.rows.total + this.#padding;
  }

  /** Sets the height of the view and returns the row at its top. */
  settle(viewRows: number): number {
    // A terminal without room for the log must not lose its position.
    if (viewRows <= 0) return this.#top;
    const isNewHeight = viewRows !== this.#viewRows;
    this.#viewRows = viewRows;
    const end = Math.max(0, this.rows.total - viewRows);
    const layout = this.#layout;
    if (layout.from === "end") this.#top = end;
    else if (layout.from === "start") this.#top = 0;
    else {
      const { key, offset, row } = layout.anchor;
      const top = this.rows.before(key) + offset - Math.min(row, Math.max(0, viewRows - 1));
      this.#top = Math.max(0, isNewHeight ? Math.min(top, end) : top);
    }
    this.#intent = NO_MOVE;
    this.#isFollowing = this.#willFollow;
    this.#slots = this.rows.slots(this.#top, viewRows);
    this.#slotsWidth = this.rows.width;
    return this.#top;
  }

  /** True when the view got another height than it was laid out for: it must be drawn again. */
  get isStale(): boolean {
    return this.#viewRows !== this.#preparedRows;
  }

  /** Blank rows after the end, when too few rows are left below an anchored view. */
  get #padding(): number {
    const layout = this.#layout;
    if (layout.from !== "anchor") return 0;
    const top = this.rows.before(layout.anchor.key) + layout.anchor.offset - layout.anchor.row;
    return Math.max(0, top + this.#viewRows - this.rows.total);
  }

  /** Turns a requested position into one that can be laid out. */
  #resolved(intent: Intent): Intent {
    if (intent.kind === "place" && !this.rows.holds(intent.anchor.key)) return { kind: "end" };
    if (intent.kind === "reveal" && !this.rows.holds(intent.key)) return NO_MOVE;
    if (intent.kind === "stand") return this.#standing(intent.key);
    if (intent.kind === "reveal") {
      const anchor = this.#anchorToReveal(intent.key, intent.offset);
      return anchor === undefined ? NO_MOVE : { kind: "place", anchor, isToggle: false, isReveal: true };
    }
    if (intent.kind === "by" && this.#slots.length === 0) return { kind: "end" };
    if (intent.kind === "by" && Math.abs(intent.rows) > this.#viewRows * EXACT_SCREENS) {
      const target = this.rows.find(Math.max(0, Math.min(this.#top + intent.rows, this.rows.total - 1)));
      if (target !== undefined) return { kind: "place", anchor: { ...target, row: 0 }, isToggle: false };
    }
    return intent;
  }

  /** Your message stays in view above the answers when it is short. */
  #standing(key: number): Intent {
    if (!this.rows.holds(key)) return { kind: "end" };
    this.rows.measureFromEnd(this.#span);
    this.rows.measure(key);
    const above = key > 0 && this.rows.holds(key - 1) ? this.rows.measure(key - 1).length : 0;
    const row = above <= Math.floor(this.#viewRows / 4) ? above : 0;
    if (this.rows.total - this.rows.before(key) + row <= this.#viewRows) return { kind: "end" };
    return { kind: "place", anchor: { key, offset: 0, row }, isToggle: false };
  }

  #wanted(intent: Intent): Layout {
    if (intent.kind === "end") return { from: "end" };
    if (intent.kind === "place") return { from: "anchor", anchor: this.#inMessage(intent.anchor) };
    const rows = intent.kind === "by" ? intent.rows : 0;
    if ((this.#isFollowing && rows >= 0) || this.#slots.length === 0) return { from: "end" };
    const anchor = this.#steadyAnchor();
    return { from: "anchor", anchor: { ...anchor, row: anchor.row - rows } };
  }

  /** A row near the middle of the view whose message is unchanged; else the middle row. */
  #steadyAnchor(): Anchor {
    const isNewWidth = this.rows.width !== this.#slotsWidth;
    const middle = Math.floor(this.#viewRows / 2);
    const at = this.#slots.findLastIndex(({ top }) => top <= middle);
    const middleIndex = Math.max(0, at);
    const above = this.#slots.slice(0, middleIndex + 1).toReversed();
    const steady = isNewWidth
      ? undefined
      : [...above, ...this.#slots.slice(middleIndex + 1)].find((slot) => this.#isSteady(slot));
    const slot = steady ?? this.#slots[middleIndex]!;
    const offset = Math.max(0, Math.min(middle - slot.top, slot.height - 1));
    const anchor = { key: slot.key, offset, row: slot.top + offset };
    if (steady !== undefined) return anchor;
    const rows = this.rows.measure(slot.key).length;
    const scaled = isNewWidth ? Math.floor((offset * rows) / Math.max(1, slot.height)) : offset;
    return this.#inMessage({ ...anchor, offset: scaled });
  }

  #isSteady({ key, rows, height }: Slot): boolean {
    const now = this.rows.measure(key);
    return now === rows && now.length === height;
  }

  #anchorToReveal(key: number, offset: number | undefined): Anchor | undefined {
    const rows = this.rows.measure(key).length;
    const wanted = offset === undefined ? undefined : Math.min(offset, Math.max(0, rows - 1));
    const slot = this.#slots.find((shown) => shown.key === key);
    const from = slot === undefined ? undefined : slot.top + (wanted ?? 0);
    const to = from === undefined ? undefined : wanted === undefined ? from + rows : from + 1;
    if (from !== undefined && to !== undefined && from >= 0 && to <= this.#viewRows) return undefined;
    if (wanted !== undefined) return { key, offset: wanted, row: Math.floor(this.#viewRows / 3) };
    const isAbove = (from ?? 0) < 0 || key < (this.#slots.find((shown) => shown.key >= 0)?.key ?? 0);
    return { key, offset: 0, row: isAbove ? 0 : Math.max(0, this.#viewRows - rows) };
  }

  #inMessage(anchor: Anchor): Anchor {
    const rows = this.rows.measure(anchor.key).length;
    return { ...anchor, offset: Math.max(0, Math.min(anchor.offset, rows - 1)) };
  }

  /** Measures what comes into view, and clamps it between start and end as far as the intent allows. */
  #arrange(wanted: Layout, intent: Intent): void {
    this.#layout = wanted;
    this.#willFollow = wanted.from === "end";
    if (wanted.from !== "anchor") {
      this.rows.measureFromEnd(this.#span);
      return;
    }
    this.#measureAround(wanted.anchor);
    const view = this.#viewRows === 0 ? this.#span : this.#viewRows;
    const top = this.rows.before(wanted.anchor.key) + wanted.anchor.offset - wanted.anchor.row;
    const end = this.rows.total - view;
    const isToggle = intent.kind === "place" && intent.isToggle;
    if (intent.kind === "by") this.#willFollow = top >= end && (intent.rows > 0 || end <= 0);
    else if (isToggle) this.#willFollow = top === end || (top > end && this.#isFollowing);
    else if (intent.kind === "place") this.#willFollow = end <= 0 || (intent.isReveal === true && top >= end);
    const mayPad = intent.kind === "keep" || (isToggle && !this.#willFollow);
    if (top >= end && !mayPad) {
      this.#layout = { from: "end" };
      this.rows.measureFromEnd(this.#span);
    } else if (top < 0) {
      this.#layout = { from: "start" };
      this.rows.measureFromStart(this.#span);
    } else {
      this.#layout = { from: "anchor", anchor: this.#anchorInView(wanted.anchor, top, view) };
    }
  }

  /** The anchor after a long scroll, when the row it started from is out of view. */
  #anchorInView(anchor: Anchor, top: number, view: number): Anchor {
    if (anchor.row >= 0 && anchor.row < view) return anchor;
    const row = Math.min(Math.floor(view / 2), this.rows.total - 1 - top);
    const target = this.rows.find(top + row);
    return target === undefined ? anchor : { ...target, row };
  }

  #measureAround({ key, offset, row }: Anchor): void {
    const own = this.rows.measure(key).length;
    this.rows.measureAbove(key, row - offset);
    this.rows.measureBelow(key, this.#span - row - own + offset);
    const below = this.rows.total - this.rows.before(key) - offset;
    if (below < this.#span - row) this.rows.measureFromEnd(this.#span);
  }
}
