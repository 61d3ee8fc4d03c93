/** Socket of one member's tool server, in a private directory, and cleanup of those that killed hosts left. */
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
  /** Call after the socket exists. */
  protect(): void;
  remove(): void;
}

/** Throws when the directory cannot be created. */
export function createToolSocket(): ToolSocket {
  if (process.platform === "win32") {
    const name = `\\\\.\\pipe\\${SOCKET_PREFIX}${randomBytes(16).toString("hex")}`;
    return { path: name, protect: () => undefined, remove: () => undefined };
  }
  // Created with mode 0700 and a random name.
  const directory = mkdtempSync(path.join(tmpdir(), SOCKET_PREFIX));
  const file = path.join(directory, SOCKET_NAME);
  return {
    path: file,
    protect: () => chmodSync(file, 0o600),
    remove() {
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // Left for the sweep at the next start.
      }
    },
  };
}

// Removes socket directories of killed hosts; called when a host starts.
// Only directories of this user with our prefix, older than SETTLED_MS, without a listener; only the socket and the
// directory itself. Never rejects.
/** The rest is left for the next start. */
const DIRECTORIES_MAX = 200;
/** A newer directory may be about to get its socket. */
const SETTLED_MS = 60_000;
/** A slower refusal counts as a listener. */
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
    // Removed by someone else, or not empty: leave it.
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
