/** Host records of a data directory: finds and removes those of dead hosts. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { connectLineSocket } from "../../kit/io/line-socket.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { sessionPaths } from "../../log/index.ts";
import { runDir } from "../data-dir.ts";

const HostRecord = z.object({ hostId: z.string(), pid: z.int(), socket: z.string(), startedTs: z.number() });
export type HostRecord = z.infer<typeof HostRecord>;

/** A host writes its record just before it listens: a younger record does not count as dead. */
const GRACE_MS = 10_000;
const TEMPORARY_DIRECTORY = /^roundtable-[A-Za-z0-9]{6}$/;

export interface DeadHost {
  /** Its socket and record. */
  readonly files: readonly string[];
}

export function recordPath(dataDir: string, hostId: string): string {
  return path.join(runDir(dataDir), `host-${hostId}.json`);
}

/** Probes every host; changes nothing. */
export async function findDeadHosts(dataDir: string): Promise<DeadHost[]> {
  const names = await namesIn(runDir(dataDir));
  const dead: DeadHost[] = [];
  const claimed = new Set<string>();
  for (const name of names.filter((one) => one.startsWith("host-") && one.endsWith(".json"))) {
    const file = path.join(runDir(dataDir), name);
    const record = await readRecord(file);
    if (record === undefined) {
      if (await isOld(file)) dead.push({ files: [file] });
      continue;
    }
    claimed.add(record.socket);
    if (await isDead(record)) dead.push({ files: [...(isOurs(record.socket, dataDir) ? [record.socket] : []), file] });
  }
  for (const name of names.filter((one) => one.startsWith("host-") && one.endsWith(".sock"))) {
    const socket = path.resolve(runDir(dataDir), name);
    if (!claimed.has(socket) && !(await answers(socket))) dead.push({ files: [socket] });
  }
  return dead;
}

export async function removeDeadHosts(dataDir: string): Promise<void> {
  for (const { files } of await findDeadHosts(dataDir)) {
    for (const file of files) {
      const parent = path.dirname(file);
      const isTemporary = TEMPORARY_DIRECTORY.test(path.basename(parent));
      await rm(isTemporary ? parent : file, { force: true, recursive: isTemporary });
    }
  }
}

/** Whether a process listens at the socket. A suspended or busy one counts as alive. */
async function answers(socket: string): Promise<boolean> {
  try {
    (await connectLineSocket(socket)).close("liveness probe");
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return !["ECONNREFUSED", "ENOENT", "ENOTSOCK"].includes(code);
  }
}

/** Whether the process named in the lock's note is alive. Takes no lock. */
export async function holderOf(dataDir: string, sessionId: string): Promise<"living" | "dead" | "none"> {
  try {
    const note = readOwnFile(sessionPaths(dataDir, sessionId).lockHolder);
    const { socket } = JSON.parse(note) as { socket?: unknown };
    return typeof socket === "string" && (await answers(socket)) ? "living" : "dead";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "none" : "dead";
  }
}

async function isDead(record: HostRecord): Promise<boolean> {
  if (await answers(record.socket)) return false;
  return !isProcessAlive(record.pid) || Date.now() - record.startedTs > GRACE_MS;
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Records are untrusted: they must not name arbitrary files for removal. */
function isOurs(socket: string, dataDir: string): boolean {
  if (process.platform === "win32") return false;
  const parent = path.dirname(socket);
  const isInRunDir = parent === path.resolve(runDir(dataDir)) && path.basename(socket).startsWith("host-");
  return isInRunDir || (TEMPORARY_DIRECTORY.test(path.basename(parent)) && path.basename(socket) === "host.sock");
}

/** A young unreadable record may still be being written. */
async function isOld(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > GRACE_MS;
}

async function readRecord(file: string): Promise<HostRecord | undefined> {
  try {
    return HostRecord.parse(JSON.parse(readOwnFile(file)));
  } catch {
    // Incomplete or gone.
    return undefined;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
