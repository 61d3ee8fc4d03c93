/**
 * Sent and cleared texts of all sessions, and the position in them. The draft in progress is the newest position: it
 * and any edited entry are unchanged when the user returns to them.
 */
import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme } from "../theme/theme.ts";
import { cutToWidth } from "./cut-to-width.ts";
import type { HistoryStore } from "./prompt.ts";

const ENTRY_ROWS_MAX = 5;

/** Entries can be megabytes long; rows need only the beginning. */
const ENTRY_CHARS_MAX = 2_000;

const QUERY_CHARS_MAX = 200;

const ENTRIES_MAX = 10_000;

const ENTRIES_CHARS_MAX = 16 * 1024 * 1024;

export class InputHistory {
  readonly #store: HistoryStore;
  #entries: string[] = [];
  #chars = 0;
  /** Undefined at the draft in progress. */
  #at: number | undefined;
  #draft = "";
  readonly #changed = new Map<number, string>();

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  /** Stored entries precede those of this session. An unreadable store counts as empty. */
  async load(): Promise<void> {
    const before = await this.#store.load().catch(() => []);
    if (this.#at !== undefined) this.#at += before.length;
    const mine = this.#entries;
    this.#entries = [...before, ...mine];
    this.#chars += before.reduce((sum, entry) => sum + entry.length, 0);
    this.#trim();
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  get isWalking(): boolean {
    return this.#at !== undefined;
  }

  /** The draft in progress while walking the history; undefined otherwise. */
  get heldDraft(): string | undefined {
    return this.#at === undefined ? undefined : this.#draft;
  }

  /** The shown entry as it was sent; undefined at the draft. */
  get shownEntry(): string | undefined {
    return this.#at === undefined ? undefined : this.#entries[this.#at];
  }

  /** Ignores blank texts and repeats of the newest entry. */
  add(text: string): void {
    if (text.trim() === "" || this.#entries.at(-1) === text) return;
    this.#entries.push(text);
    this.#chars += text.length;
    this.#store.add(text);
    this.#trim();
  }

  /** The entry before the shown one; `current` is the text of the box. Undefined at the oldest. */
  older(current: string): string | undefined {
    const next = (this.#at ?? this.#entries.length) - 1;
    if (next < 0) return undefined;
    this.#leave(current);
    this.#at = next;
    return this.#changed.get(next) ?? this.#entries[next];
  }

  newer(current: string): string | undefined {
    if (this.#at === undefined) return undefined;
    this.#leave(current);
    const next = this.#at + 1;
    if (next >= this.#entries.length) {
      this.#at = undefined;
      return this.#draft;
    }
    this.#at = next;
    return this.#changed.get(next) ?? this.#entries[next];
  }

  /** Returns to the draft that was held. */
  stopWalking(): string {
    const draft = this.#at === undefined ? "" : this.#draft;
    this.#at = undefined;
    this.#draft = "";
    this.#changed.clear();
    return draft;
  }

  #leave(current: string): void {
    if (this.#at === undefined) this.#draft = current;
    else if (current !== this.#entries[this.#at]) this.#changed.set(this.#at, current);
    else this.#changed.delete(this.#at);
  }

  #trim(): void {
    // Positions would move under a user who is walking the history.
    if (this.#at !== undefined) return;
    while (this.#entries.length > ENTRIES_MAX || (this.#chars > ENTRIES_CHARS_MAX && this.#entries.length > 1)) {
      this.#chars -= this.#entries.shift()?.length ?? 0;
    }
  }
}

/** Ctrl+R: state of the history search. Pure; the prompt draws it and handles its keys. */
export interface HistorySearch {
  readonly query: string;
  /** Index of the match; undefined without one. */
  readonly at: number | undefined;
}

export function beginSearch(): HistorySearch {
  return { query: "", at: undefined };
}

/** Keeps the current match if it still fits, else takes the newest older one. */
export function withQuery(search: HistorySearch, query: string, entries: readonly string[]): HistorySearch {
  const cut = query.slice(0, QUERY_CHARS_MAX);
  return { query: cut, at: cut === "" ? undefined : findOlder(cut, entries, search.at ?? entries.length - 1) };
}

/** A shortened query searches from the newest entry again. */
export function withShorterQuery(search: HistorySearch, entries: readonly string[]): HistorySearch {
  const query = Array.from(search.query).slice(0, -1).join("");
  return withQuery({ query, at: undefined }, query, entries);
}

/** The next older match with a different text; stays when there is none. */
export function searchOlder(search: HistorySearch, entries: readonly string[]): HistorySearch {
  if (search.at === undefined) return search;
  const shown = entries[search.at];
  for (let at = search.at - 1; at >= 0; at--) {
    const entry = entries[at] ?? "";
    if (entry !== shown && holds(entry, search.query)) return { ...search, at };
  }
  return search;
}

export function searchNewer(search: HistorySearch, entries: readonly string[]): HistorySearch {
  if (search.at === undefined) return search;
  const shown = entries[search.at];
  for (let at = search.at + 1; at < entries.length; at++) {
    const entry = entries[at] ?? "";
    if (entry !== shown && holds(entry, search.query)) return { ...search, at };
  }
  return search;
}

function findOlder(query: string, entries: readonly string[], from: number): number | undefined {
  for (let at = from; at >= 0; at--) if (holds(entries[at] ?? "", query)) return at;
  return undefined;
}

/** Case-sensitive only when the query has a capital. */
function holds(entry: string, query: string): boolean {
  return /\p{Lu}/u.test(query) ? entry.includes(query) : entry.toLowerCase().includes(query);
}

/** The box during a history search: the match and the query line. */
interface SearchRowsOptions {
  readonly search: HistorySearch;
  readonly entry: string | undefined;
  readonly theme: Theme;
  readonly width: number;
  readonly isFocused: boolean;
}

export function searchRows({ search, entry, theme, width, isFocused }: SearchRowsOptions): string[] {
  const border = theme.paint("faint", "─".repeat(width));
  const rows = entry === undefined ? [] : entryRows(entry, search.query, theme, width);
  return [border, ...rows, queryRow(search, theme, width, isFocused), border];
}

function entryRows(entry: string, query: string, theme: Theme, width: number): string[] {
  const lines = terminalSafe(entry.slice(0, ENTRY_CHARS_MAX).toWellFormed()).replaceAll("\t", "   ").split("\n");
  const isLonger = lines.length > ENTRY_ROWS_MAX || entry.length > ENTRY_CHARS_MAX;
  const rows = lines.slice(0, isLonger ? ENTRY_ROWS_MAX - 1 : ENTRY_ROWS_MAX).map((line) => {
    return `  ${marked(cutToWidth(line, width - 2), query, theme)}`;
  });
  return isLonger ? [...rows, `  ${theme.paint("quiet", "…")}`] : rows;
}

function marked(line: string, query: string, theme: Theme): string {
  const at = query === "" ? -1 : line.toLowerCase().indexOf(query.toLowerCase());
  if (at < 0) return line;
  const end = at + query.length;
  return line.slice(0, at) + theme.paint("match", line.slice(at, end)) + line.slice(end);
}

function queryRow(search: HistorySearch, theme: Theme, width: number, isFocused: boolean): string {
  const label = search.query !== "" && search.at === undefined ? "no match: " : "history: ";
  const room = Math.max(1, width - visibleWidth(label) - 1);
  const query = lastColumns(terminalSafeLine(search.query), room);
  const cursor = `${isFocused ? CURSOR_MARKER : ""}\u001b[7m \u001b[0m`;
  const used = visibleWidth(label) + visibleWidth(query) + 1;
  const hint = "  Ctrl+R older · Enter use · Esc close";
  const tail = used + visibleWidth(hint) <= width ? theme.paint("quiet", hint) : "";
  return theme.paint(search.at === undefined && search.query !== "" ? "ask" : "quiet", label) + query + cursor + tail;
}

/** Keeps the end, which is what is being typed. */
function lastColumns(text: string, width: number): string {
  let cut = text;
  while (visibleWidth(cut) > width) cut = Array.from(cut).slice(1).join("");
  return cut;
}
