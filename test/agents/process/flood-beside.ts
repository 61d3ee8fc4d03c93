/** One member floods while another one answers turn after turn beside it; tells what that did to us and to the other. */
import { startFake } from "./start-fake.ts";

export interface FloodReport {
  readonly outcome: string;
  readonly truncations: number;
  readonly shownBytes: number;
  readonly neighbour: string;
  readonly memoryGrowthBytes: number;
  /** What 99 of 100 looks found done since the look before, which nobody else could interrupt. */
  readonly loopHeldP99Ms: number;
}

const OUTPUT_CHARS_MAX = 4 * 1024 * 1024;
const LOOK_MS = 5;

export async function floodBeside(megabytes: number): Promise<FloodReport> {
  const flood = await startFake({ fake: "floods", limits: { outputCharsMax: OUTPUT_CHARS_MAX } });
  const neighbour = await startFake({ fake: "answers" });
  await neighbour.run("warm up", "turn-0");
  const before = process.memoryUsage.rss();
  let peak = before;
  // What this thread has done itself: how long it had to wait for a core says nothing about it.
  const heldMs: number[] = [];
  let used = process.threadCpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.threadCpuUsage(used);
    heldMs.push((user + system) / 1000);
    used = process.threadCpuUsage();
    peak = Math.max(peak, process.memoryUsage.rss());
  }, LOOK_MS);
  const end = flood.run(String(megabytes));
  const outcomes = new Set<string>();
  for (const turnId of ["turn-1", "turn-2", "turn-3"]) outcomes.add((await neighbour.run("hello", turnId)).outcome);
  const { outcome } = await end;
  clearInterval(watch);
  const report = {
    outcome,
    truncations: flood.all("warning").filter((one) => one.code === "output_truncated").length,
    shownBytes: flood.text().length,
    neighbour: [...outcomes].join(", "),
    memoryGrowthBytes: peak - before,
    loopHeldP99Ms: heldMs.sort((a, b) => a - b)[Math.floor(heldMs.length * 0.99)] ?? 0,
  };
  await Promise.all([flood.leave(), neighbour.leave()]);
  return report;
}
