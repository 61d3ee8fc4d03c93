/**
 * Which sessions of this machine are shared with a team: those in folders that `join` names, and those that were shared one
 * by one, without those that were taken back. The latter two are kept in `team-shares.json` of the data directory.
 */
import path from "node:path";
import * as z from "zod";
import { readIfThere, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { RoundtableError, type SessionSummary } from "../../protocol/index.ts";
import { isWithin } from "../people/may.ts";
import { knownServers } from "./server-device.ts";

const SHARES_FILE = "team-shares.json";
/** How soon a share made by another process counts. */
const WATCH_MS = 1_000;

const Opened = z.object({
  /** An id: a name may be somebody else's one day. */
  personId: z.string().nullable(),
  sessionId: z.string().optional(),
  folder: z.string().optional(),
});
const Chosen = z.object({
  format: z.literal(1),
  shared: z.array(z.string()),
  unshared: z.array(z.string()),
  /** Sessions whose requests drivers may answer. */
  answers: z.array(z.string()).optional(),
  /** People who own a session or a folder besides the owner of the machine; null for everybody. */
  owners: z.array(z.unknown()).transform(readable).optional(),
});
export type Opened = z.infer<typeof Opened>;
type Chosen = z.infer<typeof Chosen>;

/** What another version wrote about owners opens nothing, and must not hide what was shared and unshared. */
function readable(owners: readonly unknown[]): Opened[] {
  return owners.flatMap((one) => Opened.safeParse(one).data ?? []);
}

export interface Shares {
  has(session: Pick<SessionSummary, "sessionId" | "cwd">): boolean;
  /** Taken back: the server must not keep a copy. */
  readonly unshared: readonly string[];
  areAnswersOpen(sessionId: string): boolean;
  isOwnerOf(personId: string, session: { readonly sessionId: string; readonly cwd: string }): boolean;
  /** Calls back when another process has changed it. The returned function ends it. */
  watch(onChange: () => void): () => void;
}

export function openShares(dataDir: string, folders: readonly string[]): Shares {
  let text = readText(dataDir);
  let chosen = expectChosen(dataDir);
  return {
    has: ({ sessionId, cwd }) =>
      !chosen.unshared.includes(sessionId) &&
      (chosen.shared.includes(sessionId) || folders.some((folder) => isWithin(cwd, folder))),
    areAnswersOpen: (sessionId) => chosen.answers?.includes(sessionId) === true,
    isOwnerOf: (personId, { sessionId, cwd }) =>
      (chosen.owners ?? []).some(
        (one) =>
          (one.personId ?? personId) === personId &&
          (one.sessionId === sessionId || (one.folder !== undefined && isWithin(cwd, one.folder))),
      ),
    get unshared() {
      return chosen.unshared;
    },
    watch(onChange) {
      const timer = setInterval(() => {
        const now = readText(dataDir);
        if (now === text) return;
        text = now;
        const read = parse(now);
        // What was shared stays so: a file that cannot be read must not delete copies.
        if (read === undefined) return;
        chosen = read;
        onChange();
      }, WATCH_MS);
      return () => clearInterval(timer);
    },
  };
}

export function whatSharingDoes(dataDir: string, isShared: boolean): string {
  if (knownServers(dataDir).length === 0) {
    return isShared
      ? "This machine has not joined a team yet. The session is sent to the team's server once roundtable join runs."
      : "This machine has not joined a team, so the session is not shared with anyone.";
  }
  return isShared
    ? "The session is sent to your team's server while roundtable join runs. Only you and people with a role on it or on its folder can see it there."
    : "The session's copy on the server and the roles on it are deleted now, or the next time roundtable join runs.";
}

/** By `roundtable share` and `unshare`, and by `/share` and `/unshare`. */
export async function chooseShare(dataDir: string, sessionId: string, isShared: boolean): Promise<void> {
  await change(dataDir, ({ shared, unshared }) => ({
    shared: withOrWithout(shared, sessionId, isShared),
    unshared: withOrWithout(unshared, sessionId, !isShared),
  }));
}

/** By `roundtable team answers` on the machine of the session. */
export async function openAnswersHere(dataDir: string, sessionId: string, areOpen: boolean): Promise<void> {
  await change(dataDir, ({ answers = [] }) => ({ answers: withOrWithout(answers, sessionId, areOpen) }));
}

/** By `roundtable team grant` on the machine of the session or folder. */
export async function noteOwnerHere(dataDir: string, opened: Opened, isOwner: boolean): Promise<void> {
  const key = JSON.stringify(opened);
  await change(dataDir, ({ owners = [] }) => ({
    owners: [...owners.filter((one) => JSON.stringify(one) !== key), ...(isOwner ? [opened] : [])],
  }));
}

function withOrWithout(ids: readonly string[], id: string, isWanted: boolean): string[] {
  return [...ids.filter((one) => one !== id), ...(isWanted ? [id] : [])];
}

async function change(dataDir: string, changed: (before: Chosen) => Partial<Chosen>): Promise<void> {
  const before = expectChosen(dataDir);
  const text = `${JSON.stringify({ ...before, ...changed(before) })}\n`;
  await writeFileAtomic(path.join(dataDir, SHARES_FILE), text);
}

function readText(dataDir: string): string {
  return readIfThere(path.join(dataDir, SHARES_FILE)) ?? "";
}

function expectChosen(dataDir: string): Chosen {
  const chosen = parse(readText(dataDir));
  if (chosen !== undefined) return chosen;
  throw new RoundtableError("internal", `${path.join(dataDir, SHARES_FILE)} is damaged.`, {
    hint: "Correct or delete it. Without it, sessions that you unshared in shared folders are shared again.",
  });
}

/** Undefined for a file that cannot be read. */
function parse(text: string): Chosen | undefined {
  if (text === "") return { format: 1, shared: [], unshared: [] };
  try {
    return Chosen.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
