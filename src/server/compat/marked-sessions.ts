/**
 * Which sessions the port without a token may read and write: those named at the start, and those created through it,
 * also before a restart. The list is a small file of the data directory.
 */
import { join } from "node:path";
import * as z from "zod";
import { isUlid } from "../../kit/ids.ts";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { loadOwnFile } from "../../kit/files/own-file.ts";

const FILE_NAME = "compat-sessions.json";
/** Of more sessions than this the oldest are forgotten; they stay readable with the token. */
const MARKED_MAX = 10_000;

const MarkedFile = z.object({ sessions: z.array(z.string().refine(isUlid)).max(MARKED_MAX) });

export interface MarkedSessions {
  has(sessionId: string): boolean;
  /** Resolves when the mark would survive a crash. */
  add(sessionId: string): Promise<void>;
}

/** A file that cannot be read counts as empty: nothing is shown rather than too much. */
export async function openMarkedSessions(dataDir: string, named: readonly string[]): Promise<MarkedSessions> {
  const path = join(dataDir, FILE_NAME);
  const created = new Set(await readMarked(path));
  const all = new Set([...named, ...created]);
  let writing: Promise<void> = Promise.resolve();
  return {
    has: (sessionId) => all.has(sessionId),
    add(sessionId) {
      all.add(sessionId);
      created.add(sessionId);
      for (const oldest of [...created].slice(0, Math.max(0, created.size - MARKED_MAX))) created.delete(oldest);
      const write = () => writeFileAtomic(path, `${JSON.stringify({ sessions: [...created] })}\n`);
      writing = writing.then(write, write);
      return writing;
    },
  };
}

async function readMarked(path: string): Promise<readonly string[]> {
  try {
    return MarkedFile.parse(JSON.parse((await loadOwnFile(path)).toString("utf8"))).sessions;
  } catch {
    // Missing at first; damaged, it must not open anything.
    return [];
  }
}
