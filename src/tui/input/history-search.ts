import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme } from "../theme/theme.ts";
import { cutToWidth } from "./cut-to-width.ts";

const ENTRY_ROWS_MAX = 5;

/** Entries can be megabytes long; rows need only the beginning. */
const ENTRY_CHARS_MAX = 2_000;

/** Ctrl+R: state of the history search. Pure; the prompt draws it and handles its keys. */
export interface HistorySearch {
  readonly query: string;
  /** Index of the match; undefined without one. */
  readonly at: number | undefined;
}

const QUERY_CHARS_MAX = 200;

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
  const border = theme.paint("border", "─".repeat(width));
  const rows = entry === undefined ? [] : entryRows(entry, search.query, theme, width);
  return [border, ...rows, queryRow(search, theme, width, isFocused), border];
}

function entryRows(entry: string, query: string, theme: Theme, width: number): string[] {
  const lines = terminalSafe(entry.slice(0, ENTRY_CHARS_MAX).toWellFormed()).replaceAll("\t", "   ").split("\n");
  const isLonger = lines.length > ENTRY_ROWS_MAX || entry.length > ENTRY_CHARS_MAX;
  const rows = lines.slice(0, isLonger ? ENTRY_ROWS_MAX - 1 : ENTRY_ROWS_MAX).map((line) => {
    return `  ${marked(cutToWidth(line, width - 2), query, theme)}`;
  });
  return isLonger ? [...rows, `  ${theme.paint("dim", "…")}`] : rows;
}

function marked(line: string, query: string, theme: Theme): string {
  const at = query === "" ? -1 : line.toLowerCase().indexOf(query.toLowerCase());
  if (at < 0) return line;
  const end = at + query.length;
  return line.slice(0, at) + theme.paint("match", line.slice(at, end)) + line.slice(end);
}

function queryRow(search: HistorySearch, theme: Theme, width: number, isFocused: boolean): string {
  const label = search.query !== "" && search.at === undefined ? "nothing found: " : "history: ";
  const room = Math.max(1, width - visibleWidth(label) - 1);
  const query = lastColumns(terminalSafeLine(search.query), room);
  const cursor = `${isFocused ? CURSOR_MARKER : ""}\u001b[7m \u001b[0m`;
  const used = visibleWidth(label) + visibleWidth(query) + 1;
  const hint = "  older ^R · take Enter · leave Esc";
  const tail = used + visibleWidth(hint) <= width ? theme.paint("dim", hint) : "";
  return theme.paint(search.at === undefined && search.query !== "" ? "warn" : "accent", label) + query + cursor + tail;
}

/** Keeps the end, which is what is being typed. */
function lastColumns(text: string, width: number): string {
  let cut = text;
  while (visibleWidth(cut) > width) cut = Array.from(cut).slice(1).join("");
  return cut;
}
