/**
 * The session picker: newest first, filtered by anything that a row shows. Archived sessions stay hidden until Tab; one
 * that cannot be read whole is shown with the reason.
 */
import type { SessionSummary } from "../../../protocol/index.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import { createListOverlay } from "./list-overlay.ts";
import { createSessionTable, type SessionRow, type SessionTable } from "./session-rows.ts";

export interface SessionOverlayOptions {
  readonly sessions: readonly SessionSummary[];
  readonly now: number;
  /** The shown session. */
  readonly currentId?: string | undefined;
  /** Initial query. */
  readonly query?: string;
  /** False when only an existing session can be chosen. */
  readonly hasNew?: boolean;
  /** Whether a session's directory still exists; assumed when absent. */
  readonly hasDirectory?: ((cwd: string) => boolean) | undefined;
  /** Undefined for a new session. */
  readonly onPick: (sessionId: string | undefined) => void;
  readonly onClose: () => void;
}

export function createSessionOverlay(surface: OverlaySurface, options: SessionOverlayOptions): Overlay {
  const { query = "", sessions, onPick, onClose } = options;
  const filter = new SessionFilter(options);
  const dim = (text: string): string => surface.theme.paint("quiet", text);
  const { matches } = filter;
  return createListOverlay(surface, {
    title: "Sessions",
    // The newest session, not the entry for a new one above it.
    at: query === "" && matches.length > 1 && matches[0]?.sessionId === undefined ? 1 : 0,
    items: () => filter.matches,
    idOf: (row) => row,
    rows: {
      show: (row, _, width) => ({ ...row.show(width - 2), mark: "", paint: row.isArchived ? dim : undefined }),
    },
    empty: () => filter.emptyMessage,
    hints: () => ["Enter choose", ...filter.hints, "↑\u00a0↓ move", "Esc close"],
    corner() {
      const shown = filter.matches.filter((row) => row.sessionId !== undefined).length;
      return shown === sessions.length ? `${shown}` : `${shown}/${sessions.length}`;
    },
    field: {
      placeholder: "type to search",
      text: query,
      onChange(text, list) {
        filter.search(text);
        list.choose(0);
      },
      below(width) {
        const titles = filter.table.titles(width - 2);
        return titles === undefined || filter.matches.length === 0 ? [] : [dim(`  ${titles}`)];
      },
    },
    onKey(key, row, list) {
      if (key === "enter") {
        if (row !== undefined) onPick(row.sessionId);
      } else if (key === "tab") {
        filter.toggleArchived();
        list.choose(row === undefined ? 0 : filter.matches.indexOf(row));
      } else return false;
      return true;
    },
    onClose,
  });
}

class SessionFilter {
  readonly table: SessionTable;
  matches: readonly SessionRow[] = [];
  #query: string;
  #hasArchived = false;
  /** Archived sessions that match the query. */
  #archivedCount = 0;

  constructor(options: SessionOverlayOptions) {
    this.table = createSessionTable(options);
    this.#query = options.query ?? "";
    this.#update();
  }

  get hints(): readonly string[] {
    if (this.#archivedCount === 0 && !this.#hasArchived) return [];
    return [this.#hasArchived ? "Tab hide archived" : "Tab archived"];
  }

  get emptyMessage(): string {
    const hidden = this.#hasArchived ? 0 : this.#archivedCount;
    return hidden === 0 ? "no match" : `no other match; Tab shows ${hidden} archived`;
  }

  search(query: string): void {
    this.#query = query;
    this.#update();
  }

  toggleArchived(): void {
    this.#hasArchived = !this.#hasArchived;
    this.#update();
  }

  /** Every word must occur in what the row shows. The order stays. */
  #update(): void {
    const terms = this.#query.toLowerCase().split(/\s+/);
    const fitting = this.table.rows.filter((row) => terms.every((word) => row.haystack.includes(word)));
    this.#archivedCount = fitting.filter((row) => row.isArchived).length;
    this.matches = this.#hasArchived ? fitting : fitting.filter((row) => !row.isArchived);
  }
}
