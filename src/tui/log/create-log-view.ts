/**
 * Composes the log: a window that keeps its position, content rendered on demand, and navigation. `show` costs time for
 * open turns and new messages only, whatever the length of the session.
 */
import type { Component, TuiMouseEvent, TuiMouseEventResult } from "@earendil-works/pi-tui";
import { PAGE_SIZE, pageAt, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import { createPanel } from "../panels/create-panel.ts";
import type { ViewSettings } from "../panels/panel.ts";
import { createWaitingRows } from "../panels/waiting-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { LogContent, type LogDeps } from "./log-content.ts";
import { LogScroll } from "./log-scroll.ts";
import { type Direction, messagesIn, nextSelected, SearchWalk, UserJump } from "./log-steps.ts";
import type { LogPosition, LogView, LogViewOptions, SearchState } from "./log-view.ts";
import { LogWindow } from "./log-window.ts";
import { UnseenMessages } from "./unseen-messages.ts";

const DIGITS = /^\d+$/;

/** Pages this many messages beyond the view are prefetched. */
const NEAR_MESSAGES = 32;

/** Rows that stay visible when paging. */
const PAGE_OVERLAP = 2;

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
  readonly #jump: UserJump;
  readonly #search: SearchWalk;
  readonly #unseen = new UnseenMessages();
  #width = 0;

  constructor(options: LogViewOptions, deps: LogDeps) {
    this.#options = options;
    this.#content = new LogContent(deps, options.theme, options.settings);
    this.#window = new LogWindow(this.#content);
    this.#pageLoader = new PageLoader(options.loadPage);
    this.#jump = new UserJump(this.#content, this.#window);
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
      this.#pageLoader.reset();
      this.#jump.cancel();
      this.#unseen.seeAll(this.#content.count);
    } else if (before !== undefined && transcript !== undefined) {
      if (!this.isFollowing) this.#unseen.note(before, transcript, this.#lastSeen);
      this.#search.update(before, transcript);
      this.#jump.resume();
    }
    this.#options.requestRender();
  }

  setTheme(theme: Theme): void {
    this.#content.theme = theme;
    this.#content.invalidate();
    this.#options.requestRender();
  }

  setSettings(settings: ViewSettings): void {
    this.#content.settings = settings;
    this.#options.requestRender();
  }

  get isFollowing(): boolean {
    return this.#window.isFollowing;
  }

  get unseenCount(): number {
    return this.isFollowing ? 0 : this.#unseen.get(this.#content.count);
  }

  pageUp(): void {
    this.scrollBy(-Math.max(1, this.#window.viewRows - PAGE_OVERLAP));
  }

  pageDown(): void {
    this.scrollBy(Math.max(1, this.#window.viewRows - PAGE_OVERLAP));
  }

  scrollBy(rows: number): void {
    this.scroll.scrollBy(rows);
  }

  toStart(): void {
    this.scroll.scrollToStart();
  }

  toEnd(): void {
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
    this.#jump.jump(direction);
    this.#askPages();
  }

  select(direction: Direction): void {
    const next = nextSelected(this.#content, this.#window, direction);
    if (next === undefined) return;
    this.#content.selected = next;
    this.#window.reveal(next);
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
    const slot = this.#window.slots.find(({ key }) => key === selected);
    if (!this.#content.panels.toggleAll(selected)) return;
    if (slot === undefined) this.#window.reveal(selected);
    else {
      const offset = Math.max(0, 0 - slot.top);
      this.#window.holdToggled({ key: selected, offset, row: slot.top + offset });
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
    this.#content.isOpening = this.#options.isOpening?.() ?? false;
    this.#content.beginFrame(width, view, this.#options.now());
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
    if (this.#window.isFollowing) this.#unseen.seeAll(this.#content.count);
    else this.#unseen.seeTo(this.#lastSeen);
    this.#content.panels.trim();
    this.#askPages();
    if (this.#window.isStale) this.#options.requestRender();
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
    if (target === undefined || !this.#content.panels.toggle(target.key, target.offset)) return undefined;
    this.#window.holdToggled({ ...target, row: event.y - this.#window.top });
    return { handled: true };
  }
}

const BLANK = " ";

/**
 * Requests pages that are not in memory, each once while it is wanted. Scrolling back repeats a request that was lost.
 */
class PageLoader {
  readonly #load: (page: number) => void;
  #requested = new Set<number>();

  constructor(load: (page: number) => void) {
    this.#load = load;
  }

  /** Exactly these pages are wanted now. */
  want(transcript: Transcript, pages: Iterable<number>): void {
    const wanted = new Set<number>();
    for (const page of pages) {
      if (page >= 0 && page * PAGE_SIZE < transcript.head.messageCount && pageAt(transcript, page) === undefined) {
        wanted.add(page);
      }
    }
    const fresh = [...wanted].filter((page) => !this.#requested.has(page));
    this.#requested = wanted;
    for (const page of fresh) this.#load(page);
  }

  reset(): void {
    this.#requested = new Set();
  }
}

/**
 * The rows of the log as the array pi-tui expects, without holding them: a row is looked up when painted. Only `length`
 * and indexes are supported; nothing may iterate over all rows.
 */
function virtualRows(length: number, rowAt: (row: number) => string): string[] {
  return new Proxy<string[]>([], {
    get(target, key, receiver): unknown {
      if (key === "length") return length;
      if (typeof key === "string" && DIGITS.test(key)) return rowAt(Number(key));
      return Reflect.get(target, key, receiver);
    },
    has: (target, key) => (typeof key === "string" && DIGITS.test(key) ? Number(key) < length : key in target),
  });
}
