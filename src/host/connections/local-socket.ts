/**
 * Local socket of a host, through which other processes of the same user reach its sessions. No TCP port.
 * A record beside it names the process and the path, so that later hosts can remove the socket of a dead one.
 */
import { chmod, mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type LineSocket, listenLineSocket } from "../../kit/io/line-socket.ts";
import type { ClientFrame, HostConnection } from "../../protocol/index.ts";
import { DIRECTORY_MODE, FILE_MODE, runDir } from "../data-dir.ts";
import { type HostRecord, recordPath } from "../maintenance/host-records.ts";

/** The kernel's limit is 108 bytes on Linux and 104 on macOS, including the terminating NUL. */
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
  // Not synced: after a power cut the process it names is gone.
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
    // Not empty, or already gone; a leftover empty directory is harmless.
  }
}

/**
 * HostConnection over a local socket. Lines that are not JSON are answered with an error; the connection stays open.
 */
function createFrameConnection(socket: LineSocket): HostConnection {
  return {
    send(frame) {
      if (socket.send(frame)) return;
      if (frame.frame === "reply") {
        const error = { code: "too_large" as const, message: "The reply exceeds the line limit." };
        socket.send({ frame: "reply", id: frame.id, ok: false, error });
      } else {
        // A client that silently missed a frame would diverge from the log.
        socket.close(`a frame "${frame.frame}" exceeds the size limit`);
      }
    },
    onFrame(listener) {
      socket.onBad((line) => {
        const message = `A line of ${line.bytes} bytes is not a frame (${line.reason}). It starts with: ${line.head}`;
        socket.send({ frame: "reply", id: "", ok: false, error: { code: "bad_command", message } });
      });
      // ServedConnection validates frames of all transports.
      socket.onValue((value) => listener(value as ClientFrame));
    },
    onClose: (listener) => socket.onClose(listener),
    close: (reason) => socket.close(reason),
    get backlogBytes() {
      return socket.backlogBytes;
    },
  };
}
