/** A search over all sessions that answers while it is typed. An older answer never replaces a newer one. */
import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Clock } from "../../../kit/clock.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SearchAnswer, SearchHit } from "../../../protocol/index.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import { createListOverlay, type LaidOutList, type ListArea, type ListControl } from "./list-overlay.ts";
import { formatSearchSummary, HIT_ROWS, hitRows } from "./search-hits.ts";

/** Debounce of typing before the host is asked. */
const QUIET_MS = 120;
/** Poll interval while the host is still indexing sessions. */
const AGAIN_MS = 1_000;
const QUERY_CHARS_MAX = 1_000;

export interface SearchOverlayOptions {
  /** Initial query. */
  readonly query: string;
  readonly search: (query: string) => Promise<SearchAnswer>;
  readonly clock: Clock;
  readonly currentId: string | undefined;
  readonly requestRender: () => void;
  readonly onPick: (hit: SearchHit) => void;
  readonly onClose: () => void;
}

const HINT = 'All words, or "words in quotes"; newest first.';

export function createSearchOverlay(surface: OverlaySurface, options: SearchOverlayOptions): Overlay {
  return new HitList(surface, options).overlay;
}

class HitList {
  readonly overlay: Overlay & ListControl;
  readonly #surface: OverlaySurface;
  readonly #options: SearchOverlayOptions;
  #hits: readonly SearchHit[] = [];
  #status = HINT;
  /** Index of the first visible hit. */
  #top = 0;
  /** Raised with every query, so that answers to older ones are dropped. */
  #generation = 0;
  #cancel: (() => void) | undefined;

  constructor(surface: OverlaySurface, options: SearchOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.overlay = createListOverlay<SearchHit>(surface, {
      title: "Search all sessions",
      items: () => this.#hits,
      idOf: (hit) => hit,
      rows: { layOut: (hits, area) => this.#layOut(hits, area) },
      empty: () => "",
      hints: () => ["Enter open", "↑\u00a0↓ move", "Esc close"],
      corner: () => (this.#hits.length === 0 ? undefined : `${this.overlay.at + 1}/${this.#hits.length}`),
      field: {
        placeholder: "words in any session",
        text: options.query,
        onChange: (text) => this.#askIn(QUIET_MS, text),
        below: (width) => [surface.theme.paint("quiet", truncateToWidth(terminalSafeLine(this.#status), width, "…"))],
      },
      onKey: (key, hit) => {
        if (key !== "enter") return false;
        if (hit !== undefined) {
          this.#stop();
          options.onPick(hit);
        }
        return true;
      },
      onClose: () => {
        this.#stop();
        options.onClose();
      },
    });
    if (options.query !== "") this.#askIn(0, options.query);
  }

  #stop(): void {
    this.#generation += 1;
    this.#cancel?.();
  }

  #askIn(ms: number, text: string): void {
    this.#stop();
    const query = text.trim();
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
      const answer = await search(query);
      if (generation !== this.#generation) return;
      this.#show(answer.hits, formatSearchSummary(answer));
      if (!answer.isComplete) this.#cancel = clock.after(AGAIN_MS, () => void this.#ask(query));
    } catch (error) {
      if (generation === this.#generation) this.#show([], error instanceof Error ? error.message : String(error));
    }
  }

  /** The choice stays on its hit when the same search is answered again. */
  #show(hits: readonly SearchHit[], status: string): void {
    const chosen = this.#hits[this.overlay.at];
    const same = hits.findIndex((hit) => hit.sessionId === chosen?.sessionId && hit.eventSeq === chosen.eventSeq);
    this.#hits = hits;
    this.overlay.choose(same);
    this.#status = status;
    this.#options.requestRender();
  }

  #layOut(hits: readonly SearchHit[], { width, height, at }: ListArea): LaidOutList {
    const { theme } = this.#surface;
    const { currentId, clock } = this.#options;
    const page = Math.max(1, Math.floor(height / HIT_ROWS));
    const top = Math.max(0, Math.min(this.#top, at, hits.length - page), at - page + 1);
    this.#top = top;
    const rows = hits.slice(top, top + page).flatMap((hit, index) =>
      hitRows(hit, {
        theme,
        width,
        now: clock.now(),
        isChosen: top + index === at,
        isCurrent: hit.sessionId === currentId,
      }),
    );
    return { rows, page, indexAt: (row) => (row < 0 ? undefined : top + Math.floor(row / HIT_ROWS)) };
  }
}
