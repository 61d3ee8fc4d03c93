/**
 * Searches a million entries in 2,000 sessions: frequent, rare and unique words, prefixes, phrases, names and
 * fragments. `prepare` writes the sessions and their index.
 */
import { report, percentile, rooms } from "./product.ts";
import { fillDataDir, rareWord } from "./many-sessions.ts";

const dataDir = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
const SESSIONS = 2_000;
/** Ten entries per question: itself, and a call, its output and an answer of each member. */
const QUESTIONS = 50;
const ASKED = 40;

async function prepare(): Promise<void> {
  const events = await fillDataDir({ dataDir, sessions: SESSIONS, questions: QUESTIONS, pieces: 0, answerWords: 40 });
  const { rebuildSearchIndex } = await rooms();
  const begun = performance.now();
  await rebuildSearchIndex(dataDir);
  report({ events, indexSeconds: (performance.now() - begun) / 1000 });
}

/** Typical queries, most frequent first. */
function queries(): { words: string; member?: string; sinceTs?: number }[] {
  const numbers = Array.from({ length: ASKED }, (_, index) => Math.floor((index / ASKED) * SESSIONS));
  return numbers.flatMap((number) => [
    { words: rareWord(number) },
    { words: rareWord(number).slice(0, 9) },
    { words: "cor" },
    { words: "corden" },
    { words: "galhum norpre" },
    { words: '"cor den"' },
    { words: "gal(" },
    { words: "Denfi", member: "brook" },
    { words: "nothingofthesort" },
    { words: "jo ker", sinceTs: Date.UTC(2026, 5, 1) },
  ]);
}

async function search(): Promise<void> {
  const { createHost } = await rooms();
  const agentFactory = () => {
    throw new Error("nobody is asked here");
  };
  const host = await createHost({ dataDir, agentFactory, version: "0", searchBatchMs: 0 });
  const asked = queries();
  for (const query of asked.slice(0, 10)) await host.search(query);
  const times: number[] = [];
  let found = 0;
  for (const query of asked) {
    const begun = performance.now();
    const { hits, isComplete } = await host.search(query);
    times.push(performance.now() - begun);
    found += hits.length;
    if (!isComplete) throw new Error("the index is not complete");
  }
  if (found === 0) throw new Error("nothing was found");
  times.sort((a, b) => a - b);
  report({
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    longestMs: times.at(-1) ?? Number.NaN,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  });
  await host.close();
}

if (process.argv[2] === "prepare") await prepare();
else await search();
