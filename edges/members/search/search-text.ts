/** Searches files for terms, a few at a time, within a time limit; reports what was not searched. */
import type { Clock } from "../../../src/kit/clock.ts";
import type { TextReader } from "../../../src/agents/index.ts";
import { matchFile, type FileHits } from "./match-file.ts";
import type { Term } from "./terms.ts";

export interface SearchResult {
  files: readonly FileHits[];
  /** Number of files that contain each term. */
  fileCounts: readonly number[];
  searched: number;
  bytes: number;
  binary: number;
  huge: number;
  unreadable: number;
  /** Files not read because of the time limit. */
  notReached: number;
}

export interface SearchOptions {
  reader: TextReader;
  clock: Clock;
  signal: AbortSignal;
  timeMsMax?: number;
  /** True ends the search early with the results so far. */
  isEnough?: () => boolean;
  onMatch?: (hits: FileHits) => void;
}

export const SEARCH_MS_MAX = 6_000;
const CONCURRENCY = 12;

export async function searchText(
  paths: readonly string[],
  terms: readonly Term[],
  options: SearchOptions,
): Promise<SearchResult> {
  const { reader, clock, signal, timeMsMax = SEARCH_MS_MAX, isEnough = () => false, onMatch } = options;
  const result = { searched: 0, bytes: 0, binary: 0, huge: 0, unreadable: 0 };
  const files: FileHits[] = [];
  const fileCounts = terms.map(() => 0);
  const untilMs = clock.monotonic() + timeMsMax;
  let next = 0;
  const work = async () => {
    for (;;) {
      signal.throwIfAborted();
      if (next >= paths.length || clock.monotonic() > untilMs || isEnough()) return;
      const path = paths[next++] ?? "";
      const file = await reader.read(path);
      if (file.kind === "binary") result.binary++;
      else if (file.kind === "huge") result.huge++;
      else if (file.kind === "unreadable") result.unreadable++;
      if (file.kind !== "text") continue;
      result.searched++;
      result.bytes += file.bytes;
      const hits = matchFile(path, file.text, terms);
      if (hits === undefined) continue;
      files.push(hits);
      for (const [index, count] of hits.counts.entries())
        if (count > 0) fileCounts[index] = (fileCounts[index] ?? 0) + 1;
      onMatch?.(hits);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { files, fileCounts, ...result, notReached: paths.length - next };
}
