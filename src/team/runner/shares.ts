/**
 * Which sessions of this machine are shared with a team: those in folders that `join` names, and those that were shared one
 * by one, without those that were taken back. The latter two are kept in `team-shares.json` of the data directory.
 */
import path from "node:path";
import * as z from "zod";
import { readIfThere, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { isWithin } from "../people/may.ts";

const SHARES_FILE = "team-shares.json";
/** How soon a share made by another process counts. */
const WATCH_MS = 1_000;

const Chosen = z.object({ format: z.literal(1), shared: z.array(z.string()), unshared: z.array(z.string()) });
type Chosen = z.infer<typeof Chosen>;

export interface Shares {
  has(session: Pick<SessionSummary, "sessionId" | "cwd">): boolean;
  /** Taken back: the server must not keep a copy. */
  readonly unshared: readonly string[];
  /** Calls back when another process has changed it. The returned function ends it. */
  watch(onChange: () => void): () => void;
}

export function openShares(dataDir: string, folders: readonly string[]): Shares {
  let text = readText(dataDir);
  let chosen = parse(text);
  return {
    has: ({ sessionId, cwd }) =>
      !chosen.unshared.includes(sessionId) &&
      (chosen.shared.includes(sessionId) || folders.some((folder) => isWithin(cwd, folder))),
    get unshared() {
      return chosen.unshared;
    },
    watch(onChange) {
      const timer = setInterval(() => {
        const now = readText(dataDir);
        if (now === text) return;
        text = now;
        chosen = parse(now);
        onChange();
      }, WATCH_MS);
      return () => clearInterval(timer);
    },
  };
}

/** By `roundtable share` and `unshare`. */
export async function chooseShare(dataDir: string, sessionId: string, isShared: boolean): Promise<void> {
  const before = parse(readText(dataDir));
  const without = (ids: readonly string[]) => ids.filter((id) => id !== sessionId);
  const chosen: Chosen = {
    format: 1,
    shared: [...without(before.shared), ...(isShared ? [sessionId] : [])],
    unshared: [...without(before.unshared), ...(isShared ? [] : [sessionId])],
  };
  await writeFileAtomic(path.join(dataDir, SHARES_FILE), `${JSON.stringify(chosen)}\n`);
}

function readText(dataDir: string): string {
  return readIfThere(path.join(dataDir, SHARES_FILE)) ?? "";
}

/** Nothing is shared by a file that cannot be read. */
function parse(text: string): Chosen {
  const none: Chosen = { format: 1, shared: [], unshared: [] };
  if (text === "") return none;
  const parsed = Chosen.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : none;
}
