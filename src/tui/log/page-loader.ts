/**
 * Asks for pages that are not in memory: each once while it is wanted. A page that went out of sight before it came is
 * asked for again when it is wanted again, so a request that was lost is repeated by scrolling back.
 */
import { PAGE_SIZE, pageAt, type Transcript } from "../../transcript/index.ts";

export class PageLoader {
  readonly #load: (page: number) => void;
  #requested = new Set<number>();

  constructor(load: (page: number) => void) {
    this.#load = load;
  }

  /** These pages, and no others, are wanted now. */
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
