/** Files named in a text, with the line: "src/log/lock.ts:12". Which of them exist, the server says. */
import { NamedFiles } from "../../protocol/index.ts";
import type { PageStore } from "../store/page-store.ts";

export interface FileReference {
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
  readonly path: string;
  readonly line?: number;
}

const REFERENCE = /(?<![\w/.@:#?&=%~+-])([\w.@+/-]{1,200})(?:(?::|#L)(\d{1,6})(?:[:-]L?\d{1,6})?)?(?![\w/@%])/g;
const REFERENCES_MAX = 200;

/** What may be a file: with a line, a directory or an ending. */
export function findReferences(text: string): FileReference[] {
  const references: FileReference[] = [];
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, named = "", digits] = match;
    // A full stop ends the sentence.
    const path = digits === undefined ? named.replace(/\.+$/, "") : named;
    const isFile = /\.[A-Za-z]\w{0,9}$/.test(path) || path.includes("/");
    if (!isFile || !/[A-Za-z]/.test(path)) continue;
    const end = match.index + whole.length - (named.length - path.length);
    references.push({ start: match.index, end, path, ...(digits === undefined ? {} : { line: Number(digits) }) });
    if (references.length === REFERENCES_MAX) break;
  }
  return references;
}

/** Paths are asked for together, once the text has rested. */
const ASK_MS = 200;
/** The server limits the length of an address. */
const QUERY_CHARS_MAX = 1_500;
const QUERY_PATHS_MAX = 40;
/** A path that named no file may name one later. */
const MISSING_MS = 20_000;
const KNOWN_MAX = 5_000;

export interface KnownFiles {
  readonly has: (path: string) => boolean;
  /** Asks about those that are not known; listeners hear of the answer. */
  readonly ask: (paths: readonly string[]) => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** Raised with every answer. */
  readonly version: () => number;
}

const bySession = new WeakMap<PageStore, { sessionId: string; files: KnownFiles }>();

/** Of the open session. */
export function knownFiles(store: PageStore): KnownFiles {
  const sessionId = store.getState().sessionId ?? "";
  const known = bySession.get(store);
  if (known?.sessionId === sessionId) return known.files;
  const files = createKnownFiles(async (paths) => {
    const query = new URLSearchParams(paths.map((path) => ["path", path])).toString();
    const answer = await store.ask(`/v1/sessions/${sessionId}/named?${query}`);
    return answer.ok ? NamedFiles.parse(await answer.json()).paths : [];
  });
  bySession.set(store, { sessionId, files });
  return files;
}

function createKnownFiles(query: (paths: readonly string[]) => Promise<readonly string[]>): KnownFiles {
  const known = new Map<string, { isFile: boolean; untilMs: number }>();
  const wanted = new Set<string>();
  const listeners = new Set<() => void>();
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function askNow(): Promise<void> {
    timer = undefined;
    for (const paths of batches([...wanted])) {
      for (const path of paths) wanted.delete(path);
      // Without an answer, as in the replay of a session whose folder is gone, they stay text.
      const existing = await query(paths).catch((): string[] => []);
      const untilMs = Date.now() + MISSING_MS;
      for (const path of paths) known.set(path, { isFile: existing.includes(path), untilMs });
      while (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? "");
      if (existing.length === 0) continue;
      version += 1;
      for (const listener of listeners) listener();
    }
  }
  return {
    has: (path) => known.get(path)?.isFile === true,
    ask(paths) {
      for (const path of paths) {
        const before = known.get(path);
        if (before === undefined || (!before.isFile && before.untilMs < Date.now())) wanted.add(path);
      }
      if (wanted.size > 0) timer ??= setTimeout(() => void askNow(), ASK_MS);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

function batches(paths: readonly string[]): string[][] {
  const all: string[][] = [];
  let chars = Infinity;
  for (const path of paths) {
    chars += encodeURIComponent(path).length + "path=&".length;
    if (chars > QUERY_CHARS_MAX || (all.at(-1)?.length ?? 0) >= QUERY_PATHS_MAX) {
      all.push([]);
      chars = encodeURIComponent(path).length;
    }
    all.at(-1)?.push(path);
  }
  return all;
}
