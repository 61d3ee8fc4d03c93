/**
 * Who this screen is, over its closings: a screen takes the id of the one that was closed last in this data directory, or
 * a new one while all known ones are open. So a person who comes back can stop what was asked before, and two terminals
 * side by side are two. `screens/<id>.<pid>`: the name says who has it, and taking one is a rename, which only one wins.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newClientId } from "../../client/index.ts";

/** More than a person has open. Older ones that nobody has are forgotten. */
const KNOWN_MAX = 32;
const NAME = /^(terminal-[0-9A-Z]{26})\.(\d+)$/;

interface Known {
  readonly clientId: string;
  readonly path: string;
  readonly pid: number;
  readonly usedMs: number;
}

/** Never throws: without a place to keep it, the id is this screen's for as long as it is open. */
export function acquireScreenId(dataDir: string): string {
  const directory = join(dataDir, "screens");
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const free = knownIn(directory).filter(({ pid }) => !isAlive(pid));
    for (const { path } of free.slice(KNOWN_MAX)) rmSync(path, { force: true });
    for (const { clientId, path } of free) {
      const mine = join(directory, `${clientId}.${process.pid}`);
      if (tryRename(path, mine)) return touched(mine, clientId);
    }
    const clientId = newClientId("terminal");
    writeFileSync(join(directory, `${clientId}.${process.pid}`), "", { mode: 0o600 });
    return clientId;
  } catch {
    return newClientId("terminal");
  }
}

/** The one used last first. */
function knownIn(directory: string): Known[] {
  return readdirSync(directory)
    .flatMap((name) => {
      const [, clientId, pid] = NAME.exec(name) ?? [];
      const path = join(directory, name);
      const usedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      return clientId === undefined || usedMs === undefined ? [] : [{ clientId, path, pid: Number(pid), usedMs }];
    })
    .sort((a, b) => b.usedMs - a.usedMs);
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    // Another screen that was opened in this moment was faster.
    return false;
  }
}

function touched(path: string, clientId: string): string {
  utimesSync(path, new Date(), new Date());
  return clientId;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
