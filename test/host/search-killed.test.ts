import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packedTestProgram } from "../packed-program.ts";
import { expect, test } from "vitest";
import { searchDataDir } from "../../src/host/index.ts";
import { createRandom } from "../log/seeded-random.ts";
import { linearSearch } from "./linear-search.ts";
import { asked, created, sessionNumber, writeSession } from "./searched-session.ts";
import { patient } from "../patience.ts";
import { rounds } from "../rounds.ts";

const PROGRAM = await packedTestProgram("index-logs");
const KILLS = rounds(3, 50);
/** About as long as the index takes to be made. */
const LATEST_MS = 400;

test("[H146] a process killed at any moment of indexing leaves an index that others finish, with nothing missing or double", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = createRandom(seed);
  const dataDir = mkdtempSync(path.join(tmpdir(), "rt-search-"));
  const ids = Array.from({ length: 20 }, (_, number) => sessionNumber(number));
  for (const sessionId of ids) {
    const texts = Array.from({ length: 50 }, (_, number) =>
      asked(`word${10 + Math.floor(random() * 40)}`, `m${number}`),
    );
    await writeSession({ dataDir, sessionId, drafts: [created("title"), ...texts] });
  }
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, [PROGRAM, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await new Promise((resolve) => setTimeout(resolve, random() * LATEST_MS));
    child.kill("SIGKILL");
    await once(child, "exit");
    const words = `word${10 + Math.floor(random() * 40)}`;
    const { hits, isComplete } = await searchDataDir({
      dataDir,
      query: { words, limit: 200 },
      patienceMs: patient(60_000),
    });
    const found = hits.map(({ sessionId, eventSeq }) => `${sessionId} ${eventSeq}`).sort();
    const where = `seed ${seed}, kill ${kill}, ${words}`;
    expect([isComplete, found], where).toEqual([true, await linearSearch(dataDir, ids, { words: [words] })]);
  }
});
