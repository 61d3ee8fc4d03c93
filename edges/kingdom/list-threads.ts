/** All threads of a tree, on any branch, archived ones included. Read-only. */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import * as kingdom from "./format/kingdom.ts";
import { scanThread } from "./mirror/files/thread-directory.ts";
import { readTreeFile } from "./mirror/files/tree-file.ts";

const TREE = ".kd";
/** Limit of the listing; a remark reports that there are more. */
const THREADS_MAX = 10_000;

export interface ThreadInfo {
  readonly dir: string;
  readonly id: string;
  readonly branch: string;
  readonly isArchived: boolean;
  readonly messages: number;
  readonly members: readonly string[];
  /** Lacks thread.json, as after a clone; kingdom's own programs do not see it. */
  readonly hasThreadFile: boolean;
}

export interface ListThreadsOptions {
  /**
   * Also looks in parent directories within the git checkout: for the working directory, not for a path that was named.
   */
  readonly includesParents?: boolean;
}

/** Threads of a thread directory, a `.kd` directory or its parent. Empty when there are none. */
export async function listThreads(
  directory: string,
  { includesParents = false }: ListThreadsOptions = {},
): Promise<ThreadInfo[]> {
  const thread = await readThreadDir(directory);
  if (thread !== undefined) return [thread];
  const kd = await findTree(directory, includesParents);
  if (kd === undefined) return [];
  const result: ThreadInfo[] = [];
  for (const root of ["branches", "archive"]) {
    for (const branch of await names(path.join(kd, root))) {
      const threads = path.join(kd, root, branch, "threads");
      for (const name of await names(threads)) {
        if (result.length >= THREADS_MAX) return result;
        const one = await readThreadDir(path.join(threads, name));
        if (one !== undefined) result.push(one);
      }
    }
  }
  return result;
}

async function findTree(directory: string, includesParents: boolean): Promise<string | undefined> {
  if (path.basename(directory) === TREE) return (await isDirectory(directory)) ? directory : undefined;
  for (let dir = directory; ; dir = path.dirname(dir)) {
    if (await isDirectory(path.join(dir, TREE))) return path.join(dir, TREE);
    if (!includesParents) return undefined;
    const isTop = await stat(path.join(dir, ".git")).then(
      () => true,
      () => false,
    );
    if (isTop || dir === path.dirname(dir)) return undefined;
  }
}

/** Undefined for a directory that holds no thread: neither messages nor a thread.json. */
async function readThreadDir(dir: string): Promise<ThreadInfo | undefined> {
  const scan = await scanThread(dir).catch(() => undefined);
  if (scan === undefined) return undefined;
  const text = await readTreeFile(path.join(dir, "thread.json")).catch(() => undefined);
  if (scan.messages.length === 0 && text === undefined) return undefined;
  const thread = kingdom.decodeThread(text ?? "");
  const senders = scan.messages.map(({ sender }) => sender).filter((name) => name !== kingdom.KING);
  const branchDir = path.dirname(path.dirname(dir));
  return {
    dir,
    id: thread?.id ?? path.basename(dir),
    branch: path.basename(branchDir),
    isArchived: path.basename(path.dirname(branchDir)) === "archive",
    messages: scan.messages.length,
    members: thread?.members ?? [...new Set(senders)],
    hasThreadFile: thread !== undefined,
  };
}

async function names(dir: string): Promise<string[]> {
  const entries = await readdir(dir).catch((): string[] => []);
  return entries.sort((a, b) => (a < b ? -1 : 1));
}

async function isDirectory(dir: string): Promise<boolean> {
  return (await stat(dir).catch(() => undefined))?.isDirectory() ?? false;
}
