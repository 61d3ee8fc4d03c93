/** A place for the socket of one member, in a directory that nobody else may look into. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";

export const SOCKET_PREFIX = "roundtable-table-";
export const SOCKET_NAME = "tools.sock";

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
