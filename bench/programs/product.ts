/** Access of a benchmark program to the packed product, and its report. */
import { pathToFileURL } from "node:url";
import type * as Rooms from "../../src/cli/rooms.ts";

/** The rooms of the packed `dist`, not of the sources. */
export function rooms(): Promise<typeof Rooms> {
  const file = process.env["ROUNDTABLE_BENCH_ROOMS"];
  if (!file) throw new Error("ROUNDTABLE_BENCH_ROOMS is not set: start this through `npm run bench`.");
  return import(pathToFileURL(file).href) as Promise<typeof Rooms>;
}

export function report(figures: Record<string, number>): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
