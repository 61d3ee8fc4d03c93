/**
 * Client id of a screen, stable over restarts: a screen reuses the id of the one closed last in this data directory, or
 * gets a new one while all known ids are in use. So a user who returns can stop their earlier turns, and two terminals
 * stay two clients. `screens/<id>.<pid>` names the owner; acquiring an id is a rename, which only one process wins.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newClientId } from "../../client/index.ts";

/** More than anyone has open; older unused ids are deleted. */
const KNOWN_MAX = 32;
const NAME = /^(terminal-[0-9A-Z]{26})\.(\d+)$/;

interface Known {
  readonly clientId: string;
  readonly path: string;
  readonly pid: number;
  readonly usedMs: number;
}

/** Never throws: if it cannot be stored, the id lasts until the screen closes. */
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

/** Most recently used first. */
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
    // Another screen acquired it first.
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
