/** A place for the socket of one member, in a directory that nobody else may look into. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { createConnection } from "node:net";

const SOCKET_PREFIX = "roundtable-table-";
const SOCKET_NAME = "tools.sock";

export interface ToolSocket {
  readonly path: string;
  /** Once the socket is there. */
  protect(): void;
  remove(): void;
}

/** Throws when the system has no place for it. */
export function createToolSocket(): ToolSocket {
  if (process.platform === "win32") {
    const name = `\\\\.\\pipe\\${SOCKET_PREFIX}${randomBytes(16).toString("hex")}`;
    return { path: name, protect: () => undefined, remove: () => undefined };
  }
  // Made for its owner only, under a name that nobody can foresee.
  const directory = mkdtempSync(path.join(tmpdir(), SOCKET_PREFIX));
  const file = path.join(directory, SOCKET_NAME);
  return {
    path: file,
    protect: () => chmodSync(file, 0o600),
    remove() {
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // It stays behind; the next start sweeps it.
      }
    },
  };
}

// Removes the socket directories that a Roundtable which was killed has left in the temporary folder. Used when a host starts. Promises: only directories of this user that bear our name, are no longer being set up, and at whose socket nobody listens; nothing but the socket and its directory; never rejects.
/** The rest waits for the next start. */
const DIRECTORIES_MAX = 200;
/** A younger one may be about to get its socket. */
const SETTLED_MS = 60_000;
/** Whoever takes longer to refuse is somebody. */
const REFUSAL_MS = 500;

export async function sweepToolSockets(folder = tmpdir(), nowMs = Date.now()): Promise<number> {
  if (process.platform === "win32") return 0;
  const names = await readdir(folder).catch(() => []);
  const directories = names.filter((name) => name.startsWith(SOCKET_PREFIX)).slice(0, DIRECTORIES_MAX);
  const swept = await Promise.all(directories.map((name) => sweep(path.join(folder, name), nowMs)));
  return swept.filter(Boolean).length;
}

async function sweep(directory: string, nowMs: number): Promise<boolean> {
  try {
    const facts = await lstat(directory);
    const isOurs = facts.isDirectory() && facts.uid === process.getuid?.();
    if (!isOurs || nowMs - facts.mtimeMs < SETTLED_MS) return false;
    const socket = path.join(directory, SOCKET_NAME);
    if (await isAnswered(socket)) return false;
    await unlink(socket).catch(() => undefined);
    await rmdir(directory);
    return true;
  } catch {
    // Somebody else was quicker, or put something into it: then it is not ours to remove.
    return false;
  }
}

function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(socket);
    const end = (isThere: boolean) => () => {
      connection.destroy();
      resolve(isThere);
    };
    connection.setTimeout(REFUSAL_MS, end(true));
    connection.once("connect", end(true));
    connection.once("error", ({ code }: NodeJS.ErrnoException) => end(code !== "ECONNREFUSED" && code !== "ENOENT")());
  });
}
