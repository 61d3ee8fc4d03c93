/** Time from append to acknowledgement, at 5,000 sync events a second for three seconds after a warm-up. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile, report } from "./product.ts";
import { openStore } from "./stores.ts";

const PER_SECOND = 5_000;
const WARM_UP_SECONDS = 1;
const SECONDS = 3;

const dir = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const store = await openStore(process.argv[2], dir);
const latencies: number[] = [];
const open: Promise<void>[] = [];
const total = PER_SECOND * (WARM_UP_SECONDS + SECONDS);
const started = performance.now();
for (let sent = 0; sent < total; await sleep(1)) {
  const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * PER_SECOND));
  for (; sent < due; sent++) {
    const at = performance.now();
    const isWarm = sent >= PER_SECOND * WARM_UP_SECONDS;
    open.push(store.append(sent).then(() => void (isWarm && latencies.push(performance.now() - at))));
  }
}
await Promise.all(open);
const sorted = latencies.toSorted((a, b) => a - b);
report({ p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) });
await store.close();
rmSync(dir, { recursive: true });
