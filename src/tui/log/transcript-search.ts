/**
 * Full-text search of the transcript, newest pages first: a few pages per frame, and absent pages as they are loaded.
 * Matches stay when a page is evicted.
 */
import { messageAt, PAGE_SIZE, pageAt, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import type { SearchState } from "./log-view.ts";
import { searchText } from "./search-text.ts";
import { changedTurns } from "./unseen-messages.ts";

/** Beyond this older pages are not searched; `pagesLeft` counts them. */
export const MATCHES_MAX = 10_000;

/** Pages searched per frame, so that a long session does not block keys. */
const PAGES_A_STEP = 16;

const QUERY_CHARS_MAX = 200;

export interface Match {
  readonly position: number;
  /** Index among the matches of this message. */
  readonly index: number;
}

export class TranscriptSearch {
  readonly query: string;
  readonly pattern: RegExp;
  /** A query with Markdown syntax is matched against the source, not the rendered text. */
  readonly #isAsWritten: boolean;
  /** Position → matches in that message. */
  readonly #counts = new Map<number, number>();
  #order: readonly number[] | undefined;
  #total = 0;
  /** Pages from here on were searched. */
  #fromPage: number;
  current: Match | undefined;

  constructor(query: string, transcript: Transcript) {
    this.query = query;
    this.pattern = patternOf(query);
    this.#isAsWritten = query.search(MARKS) !== -1;
    this.#fromPage = Math.ceil(transcript.head.messageCount / PAGE_SIZE);
  }

  countAt(position: number): number {
    return this.#counts.get(position) ?? 0;
  }

  state(firstShown: number): SearchState {
    const { current } = this;
    let at = 0;
    if (current !== undefined) {
      at = current.index + 1;
      for (const [position, count] of this.#counts) if (position < current.position) at += count;
    }
    return { query: this.query, at, count: this.#total, pagesLeft: this.pagesLeft(firstShown) };
  }

  pagesLeft(firstShown: number): number {
    return Math.max(0, this.#fromPage - Math.floor(firstShown / PAGE_SIZE));
  }

  /** Searches some more pages; "more" when others are in memory, a page number when that must be loaded. */
  step(transcript: Transcript, firstShown: number): "more" | "done" | number {
    for (let looked = 0; looked < PAGES_A_STEP; looked += 1) {
      if (this.pagesLeft(firstShown) === 0 || this.#total >= MATCHES_MAX) return "done";
      const page = this.#fromPage - 1;
      if (pageAt(transcript, page) === undefined) return page;
      for (let position = page * PAGE_SIZE; position < (page + 1) * PAGE_SIZE; position += 1) {
        if (position >= firstShown) this.#count(position, messageAt(transcript, position));
      }
      this.#fromPage = page;
    }
    return "more";
  }

  /** Searches new and changed messages; costs time for open turns and new messages only. */
  update(before: Transcript, after: Transcript): void {
    const changed = changedTurns(before, after).map((turn) => turn.position);
    for (let position = before.head.messageCount; position < after.head.messageCount; position += 1) {
      changed.push(position);
    }
    for (const position of changed) {
      if (position >= this.#fromPage * PAGE_SIZE) this.#count(position, messageAt(after, position));
    }
  }

  /** Drops matches before a clear. */
  forgetBefore(firstShown: number): void {
    for (const position of this.#counts.keys()) if (position < firstShown) this.#set(position, 0);
  }

  /** The next or previous match, wrapping around. */
  neighbour(direction: "previous" | "next"): Match | undefined {
    const { current } = this;
    const order = this.#positions();
    if (order.length === 0) return undefined;
    if (current === undefined) return this.lastUpTo(Number.MAX_SAFE_INTEGER);
    const { position, index } = current;
    if (direction === "next") {
      if (index + 1 < this.countAt(position)) return { position, index: index + 1 };
      return { position: order.find((other) => other > position) ?? order[0]!, index: 0 };
    }
    if (index > 0 && this.countAt(position) > 0) return { position, index: index - 1 };
    return this.lastUpTo(position - 1) ?? this.lastUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** The last match in this message or before it. */
  lastUpTo(position: number): Match | undefined {
    const nearest = this.#positions().findLast((other) => other <= position);
    return nearest === undefined ? undefined : { position: nearest, index: this.countAt(nearest) - 1 };
  }

  firstFrom(position: number): Match | undefined {
    const nearest = this.#positions().find((other) => other >= position);
    return nearest === undefined ? undefined : { position: nearest, index: 0 };
  }

  #count(position: number, message: ShownMessage | undefined): void {
    if (message === undefined) this.#set(position, 0);
    else {
      const text = searchText(message);
      this.#set(position, countMatches(this.#isAsWritten ? text : text.replaceAll(MARKS, ""), this.pattern));
    }
  }

  #set(position: number, count: number): void {
    const before = this.countAt(position);
    if (before === count) return;
    this.#total += count - before;
    if (count === 0) this.#counts.delete(position);
    else this.#counts.set(position, count);
    if (before === 0 || count === 0) this.#order = undefined;
    const { current } = this;
    if (current?.position !== position) return;
    this.current = count === 0 ? undefined : { position, index: Math.min(current.index, count - 1) };
  }

  #positions(): readonly number[] {
    this.#order ??= [...this.#counts.keys()].toSorted((a, b) => a - b);
    return this.#order;
  }
}

/** Ignores case and the number of blanks: a line may be wrapped where the query has a space. */
function patternOf(query: string): RegExp {
  const terms = query.slice(0, QUERY_CHARS_MAX).trim().split(/\s+/u);
  return new RegExp(terms.map((word) => word.replaceAll(SYNTAX, "\\$&")).join("\\s+"), "giu");
}

/** Markdown markers that are not rendered. Underscores are mostly part of names. */
const MARKS = /\*+|`+|~~/gu;

const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  pattern.lastIndex = 0;
  while (pattern.exec(text) !== null) count += 1;
  return count;
}
