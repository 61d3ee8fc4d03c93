/** Ctrl+R: which entry of the history the typed words find. Pure; the prompt draws it and takes its keys. */
export interface HistorySearch {
  readonly query: string;
  /** The place of the match among the entries; undefined when nothing matches. */
  readonly at: number | undefined;
}

const QUERY_CHARS_MAX = 200;

export function beginSearch(): HistorySearch {
  return { query: "", at: undefined };
}

/** The match stays when it still matches, else it is the newest older one. */
export function withQuery(search: HistorySearch, query: string, entries: readonly string[]): HistorySearch {
  const cut = query.slice(0, QUERY_CHARS_MAX);
  return { query: cut, at: cut === "" ? undefined : findOlder(cut, entries, search.at ?? entries.length - 1) };
}

/** Shorter again: looks from the newest, as if it had been typed so. */
export function withShorterQuery(search: HistorySearch, entries: readonly string[]): HistorySearch {
  const query = Array.from(search.query).slice(0, -1).join("");
  return withQuery({ query, at: undefined }, query, entries);
}

/** The next older match that reads differently; stays where there is none. */
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

/** Case counts only when the user typed a capital. */
function holds(entry: string, query: string): boolean {
  return /\p{Lu}/u.test(query) ? entry.includes(query) : entry.toLowerCase().includes(query);
}
