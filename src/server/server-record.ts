/**
 * Discovery of the server of a data directory: `server.json` has its address, `token` its token. Both are 0600 and removed
 * when the server ends. A record is replaced when its process is dead, does not answer, or started after the record and
 * rejects the token.
 */
import { readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { linkIfFree, readIfThere, writeFileAtomic } from "../kit/files/atomic-file.ts";
import { newId } from "../kit/ids.ts";
import { askLoopback } from "../kit/io/loopback-http.ts";
import { isSecret } from "./sign-in/secrets.ts";

const ServerRecord = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  pid: z.int().positive(),
  version: z.string(),
  /** Local socket of its host, for programs of this user. */
  socket: z.string().optional(),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

export interface ReachableServer extends ServerRecord {
  readonly token: string;
}

/** Timeout of the health check. */
const HEALTH_TIMEOUT_MS = 2_000;
/** The same when the process that wrote the record is alive: it may be slow on a busy machine. */
const BUSY_TIMEOUT_MS = 10_000;
/** A server writes its token right after its record. */
const TOKEN_WAIT_MS = 1_000;
const TOKEN_STEP_MS = 20;
/** Unit of process start times on Linux. */
const START_TICKS_PER_SECOND = 100;
/** Tolerance between process start times and file times. */
const START_SLACK_MS = 2_000;

/** The record as written; the server may no longer be running. */
export function readServerRecord(dataDir: string): ServerRecord | undefined {
  return readRecord(dataDir);
}

/** The running server of this data directory, if any. Changes nothing. */
export async function findServer(dataDir: string): Promise<ReachableServer | undefined> {
  const record = readRecord(dataDir);
  if (record === undefined || !(await isRunning(dataDir, record))) return undefined;
  for (let waitedMs = 0; waitedMs <= TOKEN_WAIT_MS; waitedMs += TOKEN_STEP_MS) {
    const token = readIfThere(tokenPath(dataDir))?.trim();
    if (token !== undefined && token !== "") return { ...record, token };
    await new Promise((resolve) => setTimeout(resolve, TOKEN_STEP_MS));
  }
  return undefined;
}

/**
 * The token of a killed server, so that the next one can use it and programs reconnect. Undefined after an orderly
 * shutdown and while a server is running.
 */
export async function findCrashedServer(dataDir: string): Promise<{ token: string } | undefined> {
  const record = readRecord(dataDir);
  const token = readIfThere(tokenPath(dataDir))?.trim() ?? "";
  if (record === undefined || !isSecret(token) || (await isRunning(dataDir, record))) return undefined;
  return { token };
}

/** Data directories whose server is this process. */
const claimed = new Set<string>();

export type Claim = { readonly release: () => void } | { readonly holder: ServerRecord };

/** Registers this process as the server of the data directory, or returns the one that is. Call it when the server already answers. */
export async function claimServer(dataDir: string, record: ServerRecord, token: string): Promise<Claim> {
  const mine = path.join(dataDir, `server.json.${newId()}.new`);
  const text = `${JSON.stringify(record)}\n`;
  await writeFileAtomic(mine, text);
  try {
    for (;;) {
      if (linkIfFree(mine, recordPath(dataDir))) {
        claimed.add(dataDir);
        break;
      }
      const holder = readRecord(dataDir);
      // This process listens at its own address, so a record of it that it did not write was left by one that is gone.
      const isLeft = holder?.url === record.url && !claimed.has(dataDir);
      if (holder !== undefined && !isLeft && (await isRunning(dataDir, holder))) return { holder };
      removeStale(dataDir, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  await writeFileAtomic(tokenPath(dataDir), `${token}\n`);
  return {
    release() {
      claimed.delete(dataDir);
      if (readIfThere(recordPath(dataDir)) !== text) return;
      rmSync(tokenPath(dataDir), { force: true });
      rmSync(recordPath(dataDir), { force: true });
    },
  };
}

/** Renames before removing: if another process was faster, we have moved its new record, and put it back. */
function removeStale(dataDir: string, stale: ServerRecord | undefined): void {
  const aside = path.join(dataDir, `server.json.${newId()}.old`);
  try {
    renameSync(recordPath(dataDir), aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (JSON.stringify(parseRecord(readIfThere(aside))) === JSON.stringify(stale)) {
    rmSync(tokenPath(dataDir), { force: true });
  } else {
    linkIfFree(aside, recordPath(dataDir));
  }
  rmSync(aside, { force: true });
}

async function isRunning(dataDir: string, record: ServerRecord): Promise<boolean> {
  try {
    process.kill(record.pid, 0);
  } catch (error) {
    // EPERM: a process of another user, so not the one that wrote into our directory.
    if (["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
  const isItself = !isYoungerThanRecord(dataDir, record.pid);
  const timeoutMs = isItself ? BUSY_TIMEOUT_MS : HEALTH_TIMEOUT_MS;
  if (!(await isAnswered(`${record.url}/v1/health`, { timeoutMs }))) return false;
  if (isItself) return true;
  // The pid was reused or the clock was changed: only the server that wrote the token accepts it.
  const token = readIfThere(tokenPath(dataDir))?.trim() ?? "";
  const headers = { authorization: `Bearer ${token}` };
  return await isAnswered(`${record.url}/v1/defaults`, { timeoutMs, headers });
}

async function isAnswered(url: string, options: Parameters<typeof askLoopback>[1]): Promise<boolean> {
  try {
    const { status } = await askLoopback(url, options);
    return status >= 200 && status < 300;
  } catch {
    // Connection refused or timed out: no server.
    return false;
  }
}

/** A process that started after the record did not write it. False when unknown. */
function isYoungerThanRecord(dataDir: string, pid: number): boolean {
  try {
    // The name in parentheses may contain anything; the start time is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const upSeconds = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
    const ageMs = (upSeconds - Number(fields[19]) / START_TICKS_PER_SECOND) * 1_000;
    return Date.now() - ageMs > statSync(recordPath(dataDir)).mtimeMs + START_SLACK_MS;
  } catch {
    // Not Linux, or the process or record has just gone, which the next check finds.
    return false;
  }
}

function readRecord(dataDir: string): ServerRecord | undefined {
  return parseRecord(readIfThere(recordPath(dataDir)));
}

/** An unreadable record counts as none and is replaced. */
function parseRecord(text: string | undefined): ServerRecord | undefined {
  try {
    return ServerRecord.safeParse(JSON.parse(text ?? "null")).data;
  } catch {
    // Not JSON.
    return undefined;
  }
}

function recordPath(dataDir: string): string {
  return path.join(dataDir, "server.json");
}

function tokenPath(dataDir: string): string {
  return path.join(dataDir, "token");
}
