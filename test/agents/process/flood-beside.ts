/** One member floods while another one answers turn after turn beside it; tells what that did to us and to the other. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { seatFake } from "./seat-fake.ts";

export interface FloodReport {
  readonly outcome: string;
  readonly truncations: number;
  readonly shownBytes: number;
  readonly neighbour: string;
  readonly memoryGrowthBytes: number;
  readonly loopDelayP99Ms: number;
}

const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

export async function floodBeside(megabytes: number): Promise<FloodReport> {
  const flood = await seatFake({ fake: "floods", limits: { outputBytesMax: OUTPUT_BYTES_MAX } });
  const neighbour = await seatFake({ fake: "answers" });
  await neighbour.run("warm up", "turn-0");
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  const end = flood.run(String(megabytes));
  const outcomes = new Set<string>();
  for (const turnId of ["turn-1", "turn-2", "turn-3"]) outcomes.add((await neighbour.run("hello", turnId)).outcome);
  const { outcome } = await end;
  clearInterval(watch);
  delay.disable();
  const report = {
    outcome,
    truncations: flood.all("warning").filter((one) => one.code === "output_truncated").length,
    shownBytes: flood.text().length,
    neighbour: [...outcomes].join(", "),
    memoryGrowthBytes: peak - before,
    loopDelayP99Ms: delay.percentile(99) / 1e6,
  };
  await Promise.all([flood.leave(), neighbour.leave()]);
  return report;
}
