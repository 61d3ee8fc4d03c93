/**
 * The local socket of a host: how other processes of the same user reach the sessions it holds. No TCP port.
 * A record beside it names process and path, so that whoever comes later can clear away what a dead host left.
 */
import { chmod, mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { listenLineSocket } from "../../kit/io/line-socket.ts";
import type { HostConnection } from "../../protocol/index.ts";
import { DIRECTORY_MODE, FILE_MODE, runDir } from "../data-dir.ts";
import { createFrameConnection } from "./frame-connection.ts";
import { recordPath, type HostRecord } from "../maintenance/host-records.ts";

/** The kernel's limit is 108 bytes on Linux and 104 on macOS, its closing zero included. */
const SOCKET_PATH_BYTES_MAX = 100;

export interface LocalSocket {
  readonly path: string;
  close(): Promise<void>;
}

export interface LocalSocketOptions {
  dataDir: string;
  hostId: string;
  onConnection: (connection: HostConnection) => void;
}

export async function openLocalSocket({ dataDir, hostId, onConnection }: LocalSocketOptions): Promise<LocalSocket> {
  const address = await choosePath(dataDir, hostId);
  const record: HostRecord = { hostId, pid: process.pid, socket: address.path, startedTs: Date.now() };
  // Not synced: after a power cut there is no process for it to tell of.
  await writeFile(recordPath(dataDir, hostId), `${JSON.stringify(record)}\n`, { flag: "wx", mode: FILE_MODE });
  await chmod(recordPath(dataDir, hostId), FILE_MODE);

  async function clearAway(): Promise<void> {
    if (process.platform !== "win32") await rm(address.path, { force: true });
    if (address.directory !== undefined) await removeEmptyDirectory(address.directory);
    await rm(recordPath(dataDir, hostId), { force: true });
  }

  try {
    const server = await listenLineSocket(address.path, (socket) => onConnection(createFrameConnection(socket)));
    if (process.platform !== "win32") await chmod(address.path, FILE_MODE);
    return {
      path: address.path,
      async close() {
        await server.close();
        await clearAway();
      },
    };
  } catch (error) {
    await clearAway();
    throw error;
  }
}

async function choosePath(dataDir: string, hostId: string): Promise<{ path: string; directory?: string }> {
  if (process.platform === "win32") return { path: `\\\\.\\pipe\\roundtable-${hostId}` };
  const inDataDir = path.resolve(runDir(dataDir), `host-${hostId}.sock`);
  if (Buffer.byteLength(inDataDir) <= SOCKET_PATH_BYTES_MAX) return { path: inDataDir };
  const directory = await mkdtemp(path.join(tmpdir(), "roundtable-"));
  await chmod(directory, DIRECTORY_MODE);
  return { path: path.join(directory, "host.sock"), directory };
}

async function removeEmptyDirectory(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch {
    // Somebody put something there, or it is gone already; an empty directory left behind harms nobody.
  }
}
