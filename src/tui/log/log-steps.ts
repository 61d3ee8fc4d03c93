/** Navigation by message: the user's own, the selected one, search matches. Steps that need a page wait for it. */
import { PAGE_SIZE, pageAt, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import { isSilent } from "../panels/event-rows.ts";
import type { LogContent } from "./log-content.ts";
import { TAIL, type Slot } from "./log-rows.ts";
import type { SearchState } from "./log-view.ts";
import type { LogWindow } from "./log-window.ts";
import { type Match, TranscriptSearch } from "./transcript-search.ts";

export type Direction = "previous" | "next";

/** Jumps to the nearest message of the user, or answer, above or below the first visible row. */
export class MessageJump {
  readonly #content: LogContent;
  readonly #window: LogWindow;
  #waiting: { readonly direction: Direction; readonly from: number; readonly to: Target } | undefined;

  constructor(content: LogContent, window: LogWindow) {
    this.#content = content;
    this.#window = window;
  }

  /** The page that the jump waits for. */
  get neededPage(): number | undefined {
    return this.#waiting === undefined ? undefined : Math.floor(this.#waiting.from / PAGE_SIZE);
  }

  cancel(): void {
    this.#waiting = undefined;
  }

  jump(direction: Direction, to: Target): void {
    const first = messagesIn(this.#window.slots)[0];
    if (first === undefined) return;
    const isInside = first.top < 0;
    const from = direction === "next" ? first.key + 1 : isInside ? first.key : first.key - 1;
    if (direction === "next" && this.#window.isAtEnd) {
      this.#window.toEnd();
      return;
    }
    this.#waiting = { direction, from, to };
    this.resume();
  }

  /** Resumes a waiting jump as far as messages are in memory. */
  resume(): void {
    if (this.#waiting === undefined) return;
    const { direction, to } = this.#waiting;
    const step = direction === "next" ? 1 : -1;
    for (let position = this.#waiting.from; ; position += step) {
      if (position >= this.#content.count || position < this.#content.firstShown) {
        this.#waiting = undefined;
        if (direction === "next") this.#window.toEnd();
        else this.#window.toStart();
        return;
      }
      const message = this.#content.messageAt(position);
      if (message === undefined) {
        this.#waiting = { direction, from: position, to };
        return;
      }
      if (to === "user" ? message.kind === "user" : this.#isAnswer(message)) {
        this.#waiting = undefined;
        this.#window.goTo({ key: position, offset: 0, row: 0 });
        return;
      }
    }
  }

  /** Turns in columns count as one answer, a subagent's turn as none. */
  #isAnswer(message: ShownMessage): boolean {
    if (message.kind !== "turn" || message.depth > 0) return false;
    return this.#content.shownPosition(message.position) === message.position;
  }
}

type Target = "user" | "answer";

/** The next message to select: beside the selected one, else the last (or first) in view. */
export function nextSelected(content: LogContent, window: LogWindow, direction: Direction): number | undefined {
  const shown = messagesIn(window.slots);
  const { selected } = content;
  if (selected === undefined) return (direction === "previous" ? shown.at(-1) : shown[0])?.key;
  const step = direction === "previous" ? -1 : 1;
  for (let next = selected + step; next >= content.firstShown && next < content.count; next += step) {
    const message = content.messageAt(next);
    if (content.isFoldedAt(next)) continue;
    if (message?.kind !== "notice" || !isSilent(message.event)) return next;
  }
  return selected;
}

export function messagesIn(slots: readonly Slot[]): Slot[] {
  return slots.filter(({ key }) => key >= 0 && key !== TAIL);
}

/** Navigation through search matches, and the page it waits for. */
export class SearchWalk {
  readonly #content: LogContent;
  readonly #window: LogWindow;
  /** Show the next match that is found: the first one, or an older one that was requested. */
  #isWaiting = false;
  #neededPage: number | undefined;

  constructor(content: LogContent, window: LogWindow) {
    this.#content = content;
    this.#window = window;
  }

  get neededPage(): number | undefined {
    return this.#content.search === undefined ? undefined : this.#neededPage;
  }

  get state(): SearchState | undefined {
    return this.#content.search?.state(this.#content.firstShown);
  }

  /** A blank query ends the search. */
  begin(query: string, width: number): void {
    this.end();
    const { transcript } = this.#content;
    if (transcript === undefined || query.trim() === "") return;
    this.#content.search = new TranscriptSearch(query, transcript);
    this.#isWaiting = true;
    this.step(width);
  }

  end(): void {
    this.#content.search = undefined;
    this.#neededPage = undefined;
    this.#isWaiting = false;
  }

  /** The user scrolled: later matches must not move the view. */
  rest(): void {
    this.#isWaiting = false;
  }

  update(before: Transcript, after: Transcript): void {
    this.#content.search?.update(before, after);
    if (before.head.clearedSeq !== after.head.clearedSeq) this.#content.search?.forgetBefore(this.#content.firstShown);
  }

  /** Searches some more pages; "more" to be called again soon. */
  step(width: number): "more" | "done" {
    const { search, transcript, firstShown } = this.#content;
    if (search === undefined || transcript === undefined) return "done";
    const left = search.step(transcript, firstShown);
    this.#neededPage = typeof left === "number" ? left : undefined;
    if (this.#isWaiting) this.#showNearest(search, width);
    return left === "more" ? "more" : "done";
  }

  move(direction: Direction, width: number): void {
    const { search } = this.#content;
    if (search === undefined) return;
    const next = search.neighbour(direction);
    if (next === undefined) return;
    const { current } = search;
    const isWrapped = current !== undefined && direction === "previous" && !isBefore(next, current);
    // Wrapping around would skip older matches that are not found yet.
    if (isWrapped && search.pagesLeft(this.#content.firstShown) > 0) this.#isWaiting = true;
    else this.#show(search, next, width);
  }

  #showNearest(search: TranscriptSearch, width: number): void {
    const { current } = search;
    const inView = messagesIn(this.#window.slots).at(-1)?.key ?? Number.MAX_SAFE_INTEGER;
    const nearest =
      current === undefined
        ? (search.lastUpTo(inView) ?? search.firstFrom(inView))
        : search.lastUpTo(current.position - 1);
    if (nearest !== undefined) this.#show(search, nearest, width);
  }

  #show(search: TranscriptSearch, match: Match, width: number): void {
    search.current = match;
    this.#isWaiting = false;
    this.#window.reveal(match.position, this.#content.matchOffset(match.position, match.index, width));
  }
}

function isBefore(a: Match, b: Match): boolean {
  return a.position < b.position || (a.position === b.position && a.index < b.index);
}

/**
 * Requests pages that are not in memory, each once while it is wanted. Scrolling back repeats a request that was lost.
 */
export class PageLoader {
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
