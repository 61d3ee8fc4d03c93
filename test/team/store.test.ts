/** The contract of the store on both of its implementations, and random shipping on both at once. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openPostgresStore } from "../../src/team/index.ts";
import { createMemoryStore } from "../../src/team/store/memory-store.ts";
import { createRandom } from "../log/seeded-random.ts";
import { rounds } from "../rounds.ts";
import { createDatabase, hasPostgres } from "./database.ts";
import { createWriter, readAll, refusal, shipped } from "./events.ts";
import { teamStoreContract } from "./team-store.contract.ts";

teamStoreContract("in memory", async () => createMemoryStore());

describe.runIf(hasPostgres)("on PostgreSQL", () => {
  const blobDirectory = mkdtempSync(path.join(tmpdir(), "blobs-"));
  teamStoreContract("PostgreSQL", async () => openPostgresStore({ url: await createDatabase(), blobDirectory }));

  test("random shipping has the same results as the model in memory", async () => {
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    const random = createRandom(seed);
    const upTo = (most: number): number => 1 + Math.floor(random() * most);
    const stores = [createMemoryStore(), await openPostgresStore({ url: await createDatabase() })];
    const writers = Array.from({ length: 4 }, () => createWriter());
    for (let round = 0; round < rounds(150, 20_000); round += 1) {
      const { sessionId } = writers[upTo(4) - 1] ?? createWriter();
      const epoch = upTo(4);
      const runnerId = random() < 0.95 ? "laptop" : "stranger";
      const first = upTo(20);
      const text = random() < 0.9 ? "message" : "other";
      const batch =
        random() < 0.1 ? [] : shipped(sessionId, first, first + upTo(6) - 1, Math.min(epoch, upTo(4)), text);
      const results = await Promise.all(
        stores.map((store) => refusal(store.ingest({ sessionId, runnerId, epoch }, batch))),
      );
      expect(results[1], `SEED=${seed}, round ${round}`).toEqual(results[0]);
    }
    for (const { sessionId } of writers) {
      const [model, stored] = await Promise.all(stores.map((store) => refusal(readAll(store, sessionId))));
      expect(stored, `SEED=${seed}`).toEqual(model);
    }
    await Promise.all(stores.map((store) => store.close()));
  });
});
