/**
 * How patient the tests are. Limits are written for a quiet machine of two cores; on a slow or busy one each of them is
 * longer by a factor that is measured once, before the first test, and handed to every process of the run.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";

/** What carries the factor from the process that measured it to all others. */
export const PATIENCE = "ROUNDTABLE_TEST_PATIENCE";
/** Shared cores and disks are slow only while all tests run, which a measurement beforehand does not show. */
export const FACTOR_MIN = 2;
/** More would only make tests wait that hang. */
const FACTOR_MAX = 12;
const ROUNDS = 60_000_000;
/** On a quiet machine of two cores. */
const QUIET = { roundsMs: 130, startMs: 45 };
const STARTS = 3;

const given = Number(process.env[PATIENCE]);
const factor = given >= 1 ? given : 1;

/** A limit of this many milliseconds (or seconds) on a quiet machine. */
export function patient(limit: number): number {
  return Math.round(limit * factor);
}

/** How many times longer things take than on a quiet machine: to compute, to start a program, to be given a core at all. */
export function measurePatience(): number {
  const startMs = tookMs(() => {
    for (let at = 0; at < STARTS; at += 1) spawnSync(process.execPath, ["-e", "0"]);
  });
  const waiting = (loadavg()[0] ?? 0) / availableParallelism();
  const slowest = Math.max(FACTOR_MIN, tookMs(compute) / QUIET.roundsMs, startMs / STARTS / QUIET.startMs, waiting);
  return Math.min(FACTOR_MAX, Math.round(slowest * 10) / 10);
}

function tookMs(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function compute(): number {
  let state = 1;
  for (let round = 0; round < ROUNDS; round += 1) state = (Math.imul(state ^ (state >>> 15), 1 | state) + round) | 0;
  return state;
}
