/**
 * Ten thousand sessions of one gigabyte together: time to start a host, list, open and search them, and memory.
 * `prepare` writes them and their index.
 */
import { percentile, report, rooms } from "./product.ts";
import { fillDataDir, rareWord, sessionId } from "./many-sessions.ts";

const dataDir = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
const SESSIONS = 10_000;
const OPENED = 50;
const SEARCHED = 100;

const agentFactory = () => {
  throw new Error("nobody is asked here");
};

async function openHost() {
  const { createHost } = await rooms();
  return createHost({ dataDir, agentFactory, version: "0", searchBatchMs: 0 });
}

async function prepare(): Promise<void> {
  const events = await fillDataDir({ dataDir, sessions: SESSIONS, questions: 3, pieces: 30, answerWords: 180 });
  const { rebuildSearchIndex } = await rooms();
  const begun = performance.now();
  await rebuildSearchIndex(dataDir);
  const indexSeconds = (performance.now() - begun) / 1000;
  const host = await openHost();
  await host.listSessions();
  await host.close();
  report({ events, indexSeconds });
}

async function measure(): Promise<void> {
  const startMs = performance.now();
  const host = await openHost();
  const [listMs, sessions] = await timed(() => host.listSessions());
  const started = performance.now() - startMs;
  if (sessions.length !== SESSIONS) throw new Error(`${sessions.length} sessions were listed`);
  const [againMs] = await timed(() => host.listSessions());
  const opened = await timesOf(OPENED, async (number) => {
    const { readTranscript } = await rooms();
    const { head } = await readTranscript(dataDir, sessionId(number));
    if (head.messageCount === 0) throw new Error("an empty session was opened");
  });
  const searched = await timesOf(SEARCHED, async (number) => {
    const { hits, isComplete } = await host.search({ words: rareWord(number) });
    if (!hits.some((hit) => hit.sessionId === sessionId(number)) || !isComplete)
      throw new Error(`session ${number} was not found`);
  });
  report({
    startMs: started,
    listMs,
    againMs,
    openMs: opened.at(-1) ?? Number.NaN,
    searchMs: percentile(searched, 0.99),
    rssMb: process.resourceUsage().maxRSS / 1024,
  });
  await host.close();
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}

/** Of sessions from the whole directory; the first one is a warm-up. */
async function timesOf(count: number, work: (number: number) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  await work(SESSIONS - 1);
  for (let at = 0; at < count; at += 1) {
    const [ms] = await timed(() => work(Math.floor((at / count) * SESSIONS)));
    times.push(ms);
  }
  return times.sort((a, b) => a - b);
}

if (process.argv[2] === "prepare") await prepare();
else await measure();
