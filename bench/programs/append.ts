/** Appends 250-byte events with fdatasync and at most 256 unacknowledged, as fast as the disk allows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { report } from "./product.ts";
import { openStore, type Store } from "./stores.ts";

const EVENTS = 200_000;
const IN_FLIGHT = 256;

async function keepInFlight(append: Store["append"]): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < EVENTS) await append(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

const dir = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const store = await openStore(process.argv[2], dir);
const started = performance.now();
await keepInFlight((index) => store.append(index));
report({ eventsPerSecond: EVENTS / ((performance.now() - started) / 1000) });
await store.close();
rmSync(dir, { recursive: true });
