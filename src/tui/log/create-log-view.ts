/**
 * Composes the log: a window that keeps its position, content rendered on demand, and navigation. `show` costs time for
 * open turns and new messages only, whatever the length of the session.
 */
import type { Component, TuiMouseEvent, TuiMouseEventResult } from "@earendil-works/pi-tui";
import { isRunning, PAGE_SIZE, type ShownMessage, type Transcript, type TurnMessage } from "../../transcript/index.ts";
import { createPanel } from "../panels/create-panel.ts";
import type { Arrangement, ViewSettings } from "../panels/panel.ts";
import { createWaitingRows } from "../panels/waiting-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { LogContent, type LogDeps } from "./log-content.ts";
import { LogScroll, virtualRows } from "./log-scroll.ts";
import { ColumnFocusing } from "./column-focus.ts";
import { type Direction, MessageJump, messagesIn, nextSelected, PageLoader, SearchWalk } from "./log-steps.ts";
import type { LogPosition, LogView, LogViewOptions, SearchState } from "./log-view.ts";
import { LogWindow } from "./log-window.ts";
import { UnseenMessages } from "./unseen-messages.ts";

/** Pages this many messages beyond the view are prefetched. */
const NEAR_MESSAGES = 32;

/** Rows that stay visible when paging. */
const PAGE_OVERLAP = 2;

/** More are not counted. */
const ANSWERS_MAX = 99;

export function createLogView(options: LogViewOptions): LogView {
  return new Log(options, { createPanel, waitingRows: createWaitingRows() });
}

/** The same with other panels. */
export function createLogViewOf(deps: LogDeps, options: LogViewOptions): LogView {
  return new Log(options, deps);
}

class Log implements LogView {
  readonly component: Component;
  readonly scroll: LogScroll;
  readonly #options: LogViewOptions;
  readonly #content: LogContent;
  readonly #window: LogWindow;
  readonly #pageLoader: PageLoader;
  readonly #jump: MessageJump;
  readonly #columns: ColumnFocusing;
  readonly #search: SearchWalk;
  readonly #unseen = new UnseenMessages();
  /** Number of messages when members began to work. */
  #workFrom = 0;
  #wasFollowing = true;
  #wasFocused: string | undefined;
  #width = 0;

  constructor(options: LogViewOptions, deps: LogDeps) {
    this.#options = options;
    this.#content = new LogContent(deps, options.theme, options.settings);
    this.#window = new LogWindow(this.#content);
    this.#pageLoader = new PageLoader(options.loadPage);
    this.#jump = new MessageJump(this.#content, this.#window);
    this.#columns = new ColumnFocusing(this.#content, this.#window);
    this.#search = new SearchWalk(this.#content, this.#window);
    const rows: Component = {
      render: (width) => this.#draw(width),
      handleMouse: (event) => this.#handleMouse(event),
      invalidate: () => this.#content.invalidate(),
    };
    this.scroll = new LogScroll(rows, this.#window, {
      moved: () => this.#userMoved(),
      settled: () => this.#settled(),
    });
    this.component = this.scroll;
  }

  show(transcript: Transcript | undefined): void {
    const before = this.#content.transcript;
    if (transcript === before) return;
    if (!this.#content.update(transcript)) {
      this.#window.restart();
      this.#workFrom = 0;
      this.#pageLoader.reset();
      this.#jump.cancel();
      this.#unseen.seeAll(this.#content.count);
    } else if (before !== undefined && transcript !== undefined) {
      if (!this.isFollowing) this.#unseen.note(before, transcript, this.#lastSeen);
      this.#search.update(before, transcript);
      this.#jump.resume();
      if (!isBusy(before) && isBusy(transcript)) this.#workFrom = before.head.messageCount;
      if (isRunning(before.head) && !isRunning(transcript.head)) this.#standAtAnswers(before, transcript);
    }
    this.#options.requestRender();
  }

  setTheme(theme: Theme): void {
    this.#content.theme = theme;
    this.#content.invalidate();
    this.#options.requestRender();
  }

  setSettings(settings: ViewSettings): void {
    if (settings.arrangement !== this.#content.settings.arrangement) this.#window.remeasure();
    this.#content.settings = settings;
    this.#options.requestRender();
  }

  setView(view: Arrangement | "auto"): void {
    this.setSettings({ ...this.#content.settings, arrangement: view });
  }

  get view(): LogView["view"] {
    return { chosen: this.#content.settings.arrangement ?? "auto", shown: this.#content.arrangement };
  }

  get isFollowing(): boolean {
    return this.#window.isFollowing;
  }

  get unseenCount(): number {
    return this.isFollowing ? 0 : this.#unseen.get(this.#content.count);
  }

  get unseenAnswers(): number {
    const { transcript } = this.#content;
    if (transcript === undefined || this.isFollowing) return 0;
    const last = messagesIn(this.#window.slots).at(-1)?.key ?? 0;
    let count = 0;
    for (let position = this.#content.count - 1; position > last && count < ANSWERS_MAX; position -= 1) {
      const message = this.#content.messageAt(position);
      const isBelow = message?.kind === "turn" && message.depth === 0 && this.#content.shownPosition(position) > last;
      if (isBelow && this.#unseen.has(position)) count += 1;
    }
    return count;
  }

  pageUp(): void {
    this.#page(-1);
  }

  pageDown(): void {
    this.#page(1);
  }

  /** Live columns move in step before the log does. */
  #page(direction: -1 | 1): void {
    const rows = direction * Math.max(1, this.#window.viewRows - PAGE_OVERLAP);
    if (this.isFollowing && this.#columns.scroll(rows, "all")) this.#options.requestRender();
    else this.scrollBy(rows);
  }

  get focused(): TurnMessage | undefined {
    return this.#columns.focused;
  }

  moveFocus(direction: Direction, { isStep } = { isStep: false }): boolean {
    const hasMoved = this.#columns.move(direction, { isStep });
    const focused = this.#columns.headPosition;
    if (hasMoved && focused !== undefined) this.#window.reveal(focused.key, focused.offset);
    return this.#requested(hasMoved);
  }

  clearFocus(): boolean {
    return this.#requested(this.#columns.clear());
  }

  widenFocused(): boolean {
    return this.#requested(this.#columns.widen());
  }

  get isFocusedWide(): boolean | undefined {
    return this.#columns.isWide;
  }

  scrollFocused(rows: number): boolean {
    if (this.#content.focus === undefined) return false;
    if (!this.#columns.scroll(rows, "focused")) this.scrollBy(rows);
    return this.#requested(true);
  }

  toggleFocused(): boolean {
    return this.#requested(this.#columns.toggle());
  }

  get isFocusedOpen(): boolean {
    return this.#columns.isOpen;
  }

  get hasScrolledColumns(): boolean {
    return this.#content.scrolled.size > 0;
  }

  columnAt(row: number, column: number): { readonly from: number; readonly to: number } | undefined {
    return this.#columns.columnAt(row, column);
  }

  #requested(isDone: boolean): boolean {
    if (isDone) this.#options.requestRender();
    return isDone;
  }

  /**
   * After the last word the view stands where there is something to read: at the first of several answers. A single one
   * was read as it came.
   */
  #standAtAnswers(before: Transcript, after: Transcript): void {
    this.#columns.follow();
    const root = Object.values(before.head.openTurns).find(({ depth }) => depth === 0)?.rootMessageId;
    // A pause asks for a word of the user, which stands at the end.
    if (!this.isFollowing || root === undefined || after.head.council.state === "paused") return;
    const answers: number[] = [];
    const from = Math.max(this.#content.firstShown, after.head.latestUser?.position ?? 0, this.#workFrom);
    for (let position = from; position < after.head.messageCount; position += 1) {
      const message = this.#content.messageAt(position);
      if (message?.kind === "turn" && message.depth === 0 && message.rootMessageId === root) answers.push(position);
    }
    const [first] = answers;
    if (answers.length < 2 || first === undefined) return;
    this.#unseen.seeTo(first);
    this.#window.standAt(this.#content.shownPosition(first));
  }

  scrollBy(rows: number): void {
    this.scroll.scrollBy(rows);
  }

  toStart(): void {
    this.scroll.scrollToStart();
  }

  toEnd(): void {
    this.#columns.follow();
    this.scroll.scrollToEnd();
  }

  get position(): LogPosition | undefined {
    const [first] = this.#window.slots;
    return first === undefined || this.isFollowing ? undefined : { key: first.key, offset: Math.max(0, 0 - first.top) };
  }

  goTo(position: LogPosition | undefined): void {
    if (position === undefined) this.#window.toEnd();
    else {
      const key = this.#content.shownPosition(position.key);
      this.#window.goTo({ key, offset: key === position.key ? position.offset : 0, row: 0 });
    }
    this.#userMoved();
  }

  jumpToUser(direction: Direction): void {
    this.#userMoved();
    this.#jump.jump(direction, "user");
    this.#askPages();
  }

  jumpToAnswer(direction: Direction): void {
    this.#userMoved();
    this.#jump.jump(direction, "answer");
    this.#askPages();
  }

  select(direction: Direction): void {
    const next = nextSelected(this.#content, this.#window, direction);
    if (next === undefined) return;
    this.#content.selected = next;
    this.#window.reveal(this.#content.shownPosition(next));
    this.#userMoved();
  }

  clearSelection(): void {
    this.#content.selected = undefined;
    this.#options.requestRender();
  }

  get selected(): ShownMessage | undefined {
    const { selected } = this.#content;
    return selected === undefined ? undefined : this.#content.messageAt(selected);
  }

  toggleSelected(): void {
    const { selected } = this.#content;
    if (selected === undefined) return;
    const key = this.#content.shownPosition(selected);
    const slot = this.#window.slots.find((shown) => shown.key === key);
    if (!this.#content.panels.toggleAll(key)) return;
    if (slot === undefined) this.#window.reveal(key);
    else {
      const offset = Math.max(0, 0 - slot.top);
      this.#window.holdToggled({ key, offset, row: slot.top + offset });
    }
    this.#options.requestRender();
  }

  search(query: string): void {
    this.#search.begin(query, this.#width);
    this.#askPages();
    this.#options.requestRender();
  }

  searchNext(direction: Direction): void {
    this.#search.move(direction, this.#width);
    this.#options.requestRender();
  }

  endSearch(): void {
    this.#search.end();
    this.#options.requestRender();
  }

  get searchState(): SearchState | undefined {
    return this.#search.state;
  }

  #draw(width: number): string[] {
    this.#width = width;
    const rowsMax = this.#options.rowsMax?.() ?? 0;
    const view = this.#window.viewRows === 0 ? rowsMax : this.#window.viewRows;
    this.#content.isAwaited = this.#options.isAwaited?.() ?? false;
    this.#content.beginFrame(width, {
      viewRows: view,
      screenRows: this.#options.rowsMax?.(),
      now: this.#options.now(),
      keyOf: this.#options.keyOf,
      seenAs: this.#options.seenAs?.(),
    });
    this.#window.update(this.#content.count, this.#content.firstShown);
    if (this.#search.step(width) === "more") this.#options.requestRender();
    const length = this.#window.prepare(width, rowsMax);
    return virtualRows(length, (row) => this.#rowAt(row, width));
  }

  /** Never empty, and never renders on its own: pi-tui reads rows above the view to find images. */
  #rowAt(row: number, width: number): string {
    const target = this.#window.rows.find(row);
    if (target === undefined || !this.#window.rows.isMeasured(target.key)) return BLANK;
    return this.#content.markedRow(target.key, target.offset, width) || BLANK;
  }

  #settled(): void {
    const { isFollowing } = this.#window;
    if (isFollowing) this.#unseen.seeAll(this.#content.count);
    else this.#unseen.seeTo(this.#lastSeen);
    this.#content.panels.trim();
    this.#askPages();
    // The status below the log was composed before the position was known.
    const focused = this.focused?.turnId;
    const isKnown = isFollowing === this.#wasFollowing && focused === this.#wasFocused;
    if (this.#window.isStale || !isKnown) this.#options.requestRender();
    this.#wasFollowing = isFollowing;
    this.#wasFocused = focused;
  }

  /** The last message that is completely in view. */
  get #lastSeen(): number {
    const { slots, viewRows } = this.#window;
    return messagesIn(slots).findLast(({ top, height }) => top + height <= viewRows)?.key ?? -1;
  }

  #userMoved(): void {
    this.#jump.cancel();
    this.#search.rest();
    this.#options.requestRender();
  }

  #askPages(): void {
    const { transcript } = this.#content;
    if (transcript === undefined) return;
    const shown = messagesIn(this.#window.slots);
    const pages = new Set<number>();
    const [first, last] = [shown[0]?.key, shown.at(-1)?.key];
    if (first !== undefined && last !== undefined) {
      const from = Math.max(this.#content.firstShown, first - NEAR_MESSAGES);
      const to = Math.min(this.#content.count - 1, last + NEAR_MESSAGES);
      for (let page = Math.floor(from / PAGE_SIZE); page <= Math.floor(to / PAGE_SIZE); page += 1) pages.add(page);
    }
    for (const page of [this.#jump.neededPage, this.#search.neededPage]) if (page !== undefined) pages.add(page);
    this.#pageLoader.want(transcript, pages);
  }

  #handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type !== "click" || event.button !== "left") return undefined;
    const target = this.#window.rows.find(event.y);
    if (target === undefined || !this.#content.panels.toggle(target.key, target.offset, event.x)) return undefined;
    this.#window.holdToggled({ ...target, row: event.y - this.#window.top });
    return { handled: true };
  }
}

function isBusy({ head }: Transcript): boolean {
  return isRunning(head) || head.council.state === "running";
}

const BLANK = " ";
