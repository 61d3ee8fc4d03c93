import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { asked, created, said, sessionNumber, turnBegins, writeSession } from "../../../test/host/searched-session.ts";
import { openFileLog, type EventLog } from "../../log/index.ts";
import type { EventDraft, SearchAnswer } from "../../protocol/index.ts";
import { createHostSearch, type HostSearch } from "./host-search.ts";
import { indexPath } from "./indexing/database-file.ts";
import { patient } from "../../../test/patience.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const newDir = () => mkdtempSync(path.join(tmpdir(), "rt-search-"));

function searchOf(dataDir: string, batchMs?: number): HostSearch {
  const search = createHostSearch({ dataDir, batchMs });
  closing.push(() => search.close());
  return search;
}

async function logOf(dataDir: string, search: HostSearch, drafts: readonly EventDraft[]): Promise<EventLog> {
  const log = await openFileLog({ dataDir, sessionId: sessionNumber(1) });
  const stop = search.follow(log);
  closing.push(async () => {
    await log.close();
    stop();
  });
  await log.append(drafts).committed;
  return log;
}

/** Searches until it finds this many and the result is complete. */
async function finds(search: HostSearch, text: string, count: number): Promise<SearchAnswer> {
  const deadline = performance.now() + patient(30_000);
  for (;;) {
    const answer = await search.search({ words: text });
    if (answer.isComplete && answer.hits.length === count) return answer;
    if (performance.now() > deadline)
      throw new Error(`found ${answer.hits.length} of ${count}: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("entries of an open session are found, also those from before it was opened", async () => {
  const dataDir = newDir();
  await writeSession({ dataDir, sessionId: sessionNumber(1), drafts: [created("T"), asked("an early zebra")] });
  const search = searchOf(dataDir, 0);
  const log = await logOf(dataDir, search, [turnBegins("t"), said("t", "a zebra at last")]);
  await finds(search, "zebra", 2);
  for (let number = 0; number < 30; number += 1) {
    await log.append([said("t", `zebra ${number}`), { type: "status", turnId: "t", member: "ada", state: "working" }])
      .committed;
  }
  const { hits } = await finds(search, "zebra", 32);
  expect(new Set(hits.map(({ eventSeq }) => eventSeq)).size).toBe(32);
  expect(hits.find(({ snippet }) => snippet === "zebra 29")?.seq).toBe(3);
});

test("entries that wait for their batch are found by the first search, also while the thread runs", async () => {
  const dataDir = newDir();
  const search = searchOf(dataDir);
  const log = await logOf(dataDir, search, [created("T"), asked("an okapi", "m1")]);
  await finds(search, "okapi", 1);
  await log.append([asked("another okapi", "m2")]).committed;
  const { hits } = await search.search({ words: "okapi" });
  expect(hits.map(({ snippet }) => snippet).toSorted()).toEqual(["an okapi", "another okapi"]);
});

test("two hosts of a data directory share one index: each finds the other's writes", async () => {
  const dataDir = newDir();
  const [one, two] = [searchOf(dataDir, 0), searchOf(dataDir, 0)];
  const log = await logOf(dataDir, one, [created("T"), asked("giraffe")]);
  await finds(one, "giraffe", 1);
  const other = await openFileLog({ dataDir, sessionId: sessionNumber(2) });
  closing.push(() => other.close());
  const stop = two.follow(other);
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) => {
      await log.append([asked(`giraffe ${number}`, `m${number}`)]).committed;
      await other.append([...(number === 0 ? [created("U")] : []), asked(`giraffe ${number}`, `n${number}`)]).committed;
    }),
  );
  await finds(two, "giraffe", 41);
  const { hits } = await finds(one, "giraffe", 41);
  expect(new Set(hits.map(({ sessionId, eventSeq }) => `${sessionId} ${eventSeq}`)).size).toBe(41);
  stop();
});

test.each([
  ["deleted", (file: string) => rmSync(file)],
  ["overwritten", (file: string) => (rmSync(file), writeFileSync(file, "not a database"))],
])("an index that is %s under a running host is made again, and everything is found", async (_what, spoil) => {
  const dataDir = newDir();
  await writeSession({ dataDir, sessionId: sessionNumber(2), drafts: [created("T"), asked("an old zebra")] });
  const search = searchOf(dataDir, 0);
  const log = await logOf(dataDir, search, [created("T"), asked("a zebra")]);
  await finds(search, "zebra", 2);
  spoil(indexPath(dataDir));
  await log.append([asked("a new zebra", "m2")]).committed;
  await finds(search, "zebra", 3);
});

test("an invalid search is refused without a thread, and after closing every search is", async () => {
  const search = createHostSearch({ dataDir: newDir() });
  await expect(search.search({ words: "=>" })).rejects.toMatchObject({ code: "bad_command" });
  await search.close();
  await expect(search.search({ words: "word" })).rejects.toMatchObject({ code: "closed" });
});

test("an index that cannot be created fails the search with a message, and works as soon as it can", async () => {
  const dataDir = newDir();
  const log = await openFileLog({ dataDir, sessionId: sessionNumber(1) });
  await log.append([created("T"), asked("a zebra")]).committed;
  await log.close();
  const search = searchOf(dataDir, 0);
  // A directory at its path cannot be removed like a file.
  mkdirSync(indexPath(dataDir));
  await expect(search.search({ words: "zebra" })).rejects.toMatchObject({ code: "store_unavailable" });
  rmSync(indexPath(dataDir), { recursive: true });
  await finds(search, "zebra", 1);
});
