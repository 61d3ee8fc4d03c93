/** A search as the user walks through it: which match is shown, and what it still waits for. */
import type { Transcript } from "../../transcript/index.ts";
import type { LogContent } from "./log-content.ts";
import { messagesIn, type Direction } from "./log-steps.ts";
import type { SearchState } from "./log-view.ts";
import type { LogWindow } from "./log-window.ts";
import { TranscriptSearch, type Match } from "./transcript-search.ts";

export class SearchWalk {
  readonly #content: LogContent;
  readonly #window: LogWindow;
  /** The next match that turns up is shown: the first of a search, or an older one that was asked for. */
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

  /** Nothing but blanks finds nothing and ends the search before it. */
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

  /** The user scrolled: what turns up later must not pull the view away. */
  rest(): void {
    this.#isWaiting = false;
  }

  update(before: Transcript, after: Transcript): void {
    this.#content.search?.update(before, after);
    if (before.head.clearedSeq !== after.head.clearedSeq) this.#content.search?.forgetBefore(this.#content.firstShown);
  }

  /** Looks at some more pages; "more" when it should be called again soon. */
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
    // Going around would skip the older matches that have not been found yet.
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
