/** A search over all sessions that answers while it is typed. An older answer never replaces a newer one. */
import { parseKey, truncateToWidth, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { Clock } from "../../../kit/clock.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SearchAnswer, SearchHit, SearchQuery } from "../../../protocol/index.ts";
import { listStep, moveChoice } from "./choice-rows.ts";
import { drawFrame, FRAME_ROWS, innerWidth } from "../draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { createLineField } from "../safe-field.ts";
import { formatSearchSummary, HIT_ROWS, hitRows } from "./search-hits.ts";

/** Typing rests this long before the host is asked. */
const QUIET_MS = 120;
/** A host that reads sessions into its index is asked again, as long as the overlay is open. */
const AGAIN_MS = 1_000;
/** More characters than a search takes are a paste that went astray. */
const QUERY_CHARS_MAX = 1_000;

export interface SearchOverlayOptions {
  /** What is looked for at first. */
  readonly query: string;
  readonly search: (query: SearchQuery) => Promise<SearchAnswer>;
  readonly clock: Clock;
  readonly currentId: string | undefined;
  readonly requestRender: () => void;
  readonly onPick: (hit: SearchHit) => void;
  readonly onClose: () => void;
}

export function createSearchOverlay(surface: OverlaySurface, options: SearchOverlayOptions): Overlay {
  return new SearchOverlay(surface, options);
}

class SearchOverlay implements Overlay {
  readonly #surface: OverlaySurface;
  readonly #options: SearchOverlayOptions;
  readonly #field;
  #hits: readonly SearchHit[] = [];
  #status = HINT;
  #at = 0;
  #page = 1;
  /** The first hit that is seen. */
  #top = 0;
  /** Raised with every question. */
  #generation = 0;
  #cancel: (() => void) | undefined;

  constructor(surface: OverlaySurface, options: SearchOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#field = createLineField(surface, { placeholder: "words in any session" });
    this.#field.setText(options.query);
    if (options.query !== "") this.#askIn(0);
  }

  get focused(): boolean {
    return this.#field.focused;
  }

  set focused(isFocused: boolean) {
    this.#field.focused = isFocused;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "escape" || key === "ctrl+c") return this.#close();
    if (key === "enter") return this.#pick(this.#at);
    const page = key === "pageUp" ? -this.#page : key === "pageDown" ? this.#page : undefined;
    const step = page ?? listStep(key, { hasLetters: false });
    if (step !== undefined) return this.#move(step);
    const before = this.#field.text;
    this.#field.handleInput(data);
    if (this.#field.text !== before) this.#askIn(QUIET_MS);
  }

  /** A click takes the find it is on; the wheel moves the choice. */
  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === "wheel") this.#move(Math.sign(event.wheelDelta ?? 0));
    else if (event.type === "click") {
      const row = event.y - LIST_TOP;
      if (row >= 0) this.#pick(this.#top + Math.floor(row / HIT_ROWS));
    } else return undefined;
    return { handled: true, render: true };
  }

  #move(step: number): void {
    this.#at = Math.max(0, moveChoice(this.#at, step, this.#hits.length));
  }

  #pick(index: number): void {
    const hit = this.#hits[index];
    if (hit === undefined) return;
    this.#stop();
    this.#options.onPick(hit);
  }

  #close(): void {
    this.#stop();
    this.#options.onClose();
  }

  #stop(): void {
    this.#generation += 1;
    this.#cancel?.();
  }

  #askIn(ms: number): void {
    this.#stop();
    const query = this.#field.text.trim();
    if (query === "") {
      this.#show([], HINT);
      return;
    }
    this.#status = "Searching …";
    this.#cancel = this.#options.clock.after(ms, () => void this.#ask(query.slice(0, QUERY_CHARS_MAX)));
  }

  async #ask(query: string): Promise<void> {
    const generation = this.#generation;
    const { search, clock } = this.#options;
    try {
      const answer = await search({ words: query });
      if (generation !== this.#generation) return;
      this.#show(answer.hits, formatSearchSummary(answer));
      if (!answer.isComplete) this.#cancel = clock.after(AGAIN_MS, () => void this.#ask(query));
    } catch (error) {
      if (generation === this.#generation) this.#show([], error instanceof Error ? error.message : String(error));
    }
  }

  /** The choice stays on its find when the same search is answered again. */
  #show(hits: readonly SearchHit[], status: string): void {
    const chosen = this.#hits[this.#at];
    const same = hits.findIndex((hit) => hit.sessionId === chosen?.sessionId && hit.eventSeq === chosen.eventSeq);
    this.#hits = hits;
    this.#at = Math.max(0, same);
    this.#status = status;
    this.#options.requestRender();
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const inner = innerWidth(width);
    this.#page = Math.max(1, Math.floor((rowsFor(this.#surface) - FRAME_ROWS - HEAD_ROWS) / HIT_ROWS));
    this.#top = Math.max(0, Math.min(this.#top, this.#at, this.#hits.length - this.#page), this.#at - this.#page + 1);
    const status = truncateToWidth(terminalSafeLine(this.#status), inner, "…");
    return drawFrame({
      theme,
      width,
      title: "Search all sessions",
      corner: this.#hits.length === 0 ? undefined : `${this.#at + 1}/${this.#hits.length}`,
      rows: [this.#field.row(inner), theme.paint("dim", status), ...this.#rows(inner)],
      hints: ["Enter goes there", "Esc close", "↑↓ move"],
    });
  }

  #rows(width: number): string[] {
    const { theme } = this.#surface;
    const { currentId, clock } = this.#options;
    return this.#hits.slice(this.#top, this.#top + this.#page).flatMap((hit, index) =>
      hitRows(hit, {
        theme,
        width,
        now: clock.now(),
        isChosen: this.#top + index === this.#at,
        isCurrent: hit.sessionId === currentId,
      }),
    );
  }
}

const HINT = 'All words, or "words in quotes"; newest first.';
/** The field and the line under it. */
const HEAD_ROWS = 2;
/** Where the first find stands: below the border, the field and the line under it. */
const LIST_TOP = 1 + HEAD_ROWS;
