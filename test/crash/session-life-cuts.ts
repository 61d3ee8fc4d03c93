/** One cut through the life of a session, and what is wrong afterwards. */
import { MemoryFiles } from "../log/memory-files.ts";
import { createRandom } from "../log/seeded-random.ts";
import { judge, live, nothingPromised } from "./session-life.ts";

export interface LifeCut {
  /** Which operation of the disk does not happen any more, from 1. */
  readonly at: number;
  readonly kind: "kill" | "power";
  readonly seed: number;
}

/** What moves, makes and removes files; the log's own writes have their own tests. */
const MOVING = ["rename", "link", "mkdir", "unlink", "rmdir", "create", "syncDirectory"] as const;

/** The disk refuses one such operation: what was being done fails or goes on, and the next process finds all of it whole. */
export async function refusedAt(at: number, error: "EIO" | "ENOSPC"): Promise<{ hits: number; wrong: string[] }> {
  const files = new MemoryFiles();
  files.fault = { at, operations: MOVING, effect: { error } };
  const promised = nothingPromised();
  // What the life could not do it says by an error; what it had done is what counts.
  await live(files, promised).catch(() => {});
  const { hits } = files;
  return { hits, wrong: await judge(files.restart(), promised) };
}

export async function operationsOfLife(): Promise<number> {
  const files = new MemoryFiles();
  await live(files, nothingPromised());
  return files.trace.length;
}

export async function cutAt({ at, kind, seed }: LifeCut): Promise<string[]> {
  const files = new MemoryFiles();
  files.fault = { at, effect: "kill" };
  const promised = nothingPromised();
  await live(files, promised);
  const after = kind === "power" ? files.powerCut(createRandom(seed)) : files.restart();
  return judge(after, promised);
}
