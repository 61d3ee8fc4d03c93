/**
 * How programs of this user find the server of a data directory: `server.json` says where it is, `token` opens it.
 * Both are 0600 and gone when the server ends. A record whose process is dead, does not answer, or is younger than the
 * record and does not know its token, is replaced.
 */
import { readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { linkIfFree, readIfThere, writeFileAtomic } from "../kit/files/atomic-file.ts";
import { newId } from "../kit/ids.ts";
import { askLoopback } from "../kit/io/loopback-http.ts";
import { isSecret } from "./http/secrets.ts";

const ServerRecord = z.object({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  pid: z.int().positive(),
  version: z.string(),
  /** The local socket of its host, by which programs of this user reach it without HTTP. */
  socket: z.string().optional(),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

export interface ReachableServer extends ServerRecord {
  readonly token: string;
}

/** Whoever does not answer its own machine for this long is no server. */
const HEALTH_TIMEOUT_MS = 2_000;
/** The process that wrote the record is there: on a busy machine its answer takes its time. After this it is taken for dead. */
const BUSY_TIMEOUT_MS = 10_000;
/** Between a server's record and its token lies one write. */
const TOKEN_WAIT_MS = 1_000;
const TOKEN_STEP_MS = 20;
/** Linux counts the start of a process in hundredths of a second since the boot. */
const START_TICKS_PER_SECOND = 100;
/** How exactly the start of a process and the time of a file can be compared. */
const START_SLACK_MS = 2_000;

/** What is written of a server; whether it still runs is found out by calling it. */
export function readServerRecord(dataDir: string): ServerRecord | undefined {
  return readRecord(dataDir);
}

/** The server that runs on this data directory, if one does. Changes nothing. */
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
 * What a server that was killed has left: its port and token. With them the next one is where open pages look for it,
 * and takes the token they hold. Undefined after an orderly end, and while a server runs.
 */
export async function findCrashedServer(dataDir: string): Promise<{ port: number; token: string } | undefined> {
  const record = readRecord(dataDir);
  const token = readIfThere(tokenPath(dataDir))?.trim() ?? "";
  if (record === undefined || !isSecret(token) || (await isRunning(dataDir, record))) return undefined;
  return { port: Number(new URL(record.url).port), token };
}

export type Claim = { readonly release: () => void } | { readonly holder: ServerRecord };

/** Makes this process the server of the data directory, or says who is. Call when the server already answers. */
export async function claimServer(dataDir: string, record: ServerRecord, token: string): Promise<Claim> {
  const mine = path.join(dataDir, `server.json.${newId()}.new`);
  const text = `${JSON.stringify(record)}\n`;
  await writeFileAtomic(mine, text);
  try {
    for (;;) {
      if (linkIfFree(mine, recordPath(dataDir))) break;
      const holder = readRecord(dataDir);
      if (holder !== undefined && (await isRunning(dataDir, holder))) return { holder };
      removeStale(dataDir, holder);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  await writeFileAtomic(tokenPath(dataDir), `${token}\n`);
  return {
    release() {
      if (readIfThere(recordPath(dataDir)) !== text) return;
      rmSync(tokenPath(dataDir), { force: true });
      rmSync(recordPath(dataDir), { force: true });
    },
  };
}

/** Moved away before it is removed: when somebody else was faster, it is their new record that we hold, and give back. */
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
    // EPERM: the process is there, but somebody else's, so it is not the one that wrote into our directory.
    if (["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
  const isItself = !isYoungerThanRecord(dataDir, record.pid);
  const timeoutMs = isItself ? BUSY_TIMEOUT_MS : HEALTH_TIMEOUT_MS;
  if (!(await isAnswered(`${record.url}/v1/health`, { timeoutMs }))) return false;
  if (isItself) return true;
  // The pid was given to another program, or the clock was set: only the server that wrote the token takes it.
  const token = readIfThere(tokenPath(dataDir))?.trim() ?? "";
  const headers = { authorization: `Bearer ${token}` };
  return await isAnswered(`${record.url}/v1/defaults`, { timeoutMs, headers });
}

async function isAnswered(url: string, options: Parameters<typeof askLoopback>[1]): Promise<boolean> {
  try {
    const { status } = await askLoopback(url, options);
    return status >= 200 && status < 300;
  } catch {
    // Nobody listens there, or nobody answers: either way there is no server.
    return false;
  }
}

/** A process that began after the record was written did not write it. False where this cannot be known. */
function isYoungerThanRecord(dataDir: string, pid: number): boolean {
  try {
    // The name in parentheses may hold anything; the start is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const upSeconds = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
    const ageMs = (upSeconds - Number(fields[19]) / START_TICKS_PER_SECOND) * 1_000;
    return Date.now() - ageMs > statSync(recordPath(dataDir)).mtimeMs + START_SLACK_MS;
  } catch {
    // Not Linux, or the process or the record went away just now, which the next look finds.
    return false;
  }
}

function readRecord(dataDir: string): ServerRecord | undefined {
  return parseRecord(readIfThere(recordPath(dataDir)));
}

/** A record that cannot be read is as good as none: it is replaced. */
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
