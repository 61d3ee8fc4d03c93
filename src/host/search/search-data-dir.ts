/** Search without a host: indexes missing sessions in this process within a time limit, then answers. */
import { systemClock, type Clock } from "../../kit/clock.ts";
import { SEARCH_LIMIT_DEFAULT, type SearchAnswer, type SearchQuery } from "../../protocol/index.ts";
import { CatchUp } from "./indexing/catch-up.ts";
import { removeIndexFile } from "./indexing/database-file.ts";
import { parseQuery } from "./query/parse-query.ts";
import { SearchIndex } from "./indexing/search-index.ts";

export interface SearchDataDirOptions {
  readonly dataDir: string;
  readonly query: SearchQuery;
  /** Time limit for reading sessions that are not in the index yet. */
  readonly patienceMs: number;
  readonly clock?: Clock;
}

export async function searchDataDir(options: SearchDataDirOptions): Promise<SearchAnswer> {
  const { dataDir, query, patienceMs, clock = systemClock } = options;
  parseQuery(query.words);
  const index = new SearchIndex(dataDir);
  const catchUp = new CatchUp({ dataDir, index, clock, restMs: () => 0 });
  try {
    catchUp.scan();
    await catchUp.work(clock.monotonic() + patienceMs);
    const { sessionsLeft } = catchUp;
    const result = index.find({ ...query, limit: query.limit ?? SEARCH_LIMIT_DEFAULT });
    return { ...result, isComplete: sessionsLeft === 0, sessionsLeft };
  } finally {
    index.close();
  }
}

export interface RebuiltIndex {
  readonly sessions: number;
}

/** Deletes the index and rebuilds it from the logs. */
export async function rebuildSearchIndex(dataDir: string, clock: Clock = systemClock): Promise<RebuiltIndex> {
  removeIndexFile(dataDir);
  const index = new SearchIndex(dataDir);
  const catchUp = new CatchUp({ dataDir, index, clock, restMs: () => 0 });
  try {
    catchUp.scan();
    await catchUp.work();
    return { sessions: index.logs().size };
  } finally {
    index.close();
  }
}
