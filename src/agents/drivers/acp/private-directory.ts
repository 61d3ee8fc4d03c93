/** Owner-only folder for files that an agent's program reads at its start. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Prefixes are followed by the pid of the creator, by which others tell whether a folder is in use. */
const OWN_FOLDER = /^roundtable-(?:agent|pi|codex)-(?:(\d+)-)?/;

/** Throws when the disk is full. */
export function makeOwnFolder(kind: "agent" | "pi" | "codex"): string {
  return mkdtempSync(path.join(tmpdir(), `roundtable-${kind}-${process.pid}-`));
}

export class PrivateDirectory {
  #folder: string | undefined;

  /** Created on first use, and again when it was removed meanwhile. Throws when the disk is full. */
  get path(): string {
    if (this.#folder === undefined || !existsSync(this.#folder)) {
      this.#folder = makeOwnFolder("agent");
    }
    return this.#folder;
  }

  write(name: string, text: string): string {
    const file = path.join(this.path, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}

/** The rest waits for the next start. */
const FOLDERS_MAX = 200;
/** A process whose id means nothing here, in another container perhaps, may use a younger one. */
const UNUSED_MS = 24 * 60 * 60 * 1_000;

/**
 * Removes folders that a killed Roundtable left in the temporary folder: only those of this user that have our prefix,
 * are older than a day, and whose creator is gone. Called when a host starts; never rejects.
 */
export async function sweepOwnFolders(temporary = tmpdir(), nowMs = Date.now()): Promise<number> {
  if (process.platform === "win32") return 0;
  const names = await readdir(temporary).catch(() => []);
  const folders = names.filter((name) => OWN_FOLDER.test(name) && !isMakerAlive(name));
  const swept = await Promise.all(
    folders.slice(0, FOLDERS_MAX).map((name) => sweep(path.join(temporary, name), nowMs)),
  );
  return swept.filter(Boolean).length;
}

async function sweep(folder: string, nowMs: number): Promise<boolean> {
  try {
    const facts = await lstat(folder);
    const isOurs = facts.isDirectory() && facts.uid === process.getuid?.();
    if (!isOurs || nowMs - facts.mtimeMs < UNUSED_MS) return false;
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    // Another process was quicker, or it cannot be removed: it stays.
    return false;
  }
}

function isMakerAlive(name: string): boolean {
  const pid = Number(OWN_FOLDER.exec(name)?.[1] ?? 0);
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
