/**
 * Imports a session exported as JSON lines. It keeps its id and every event, so its fold is the original's. The file is
 * untrusted and only read.
 *
 * Promises: the same file is the same session however often it is imported; a longer export of a session that was
 * imported adds what is new; a session that has diverged here is never touched, and the file becomes another one. An
 * invalid line is reported and leaves a gap that the session shows. Nothing the file names is started by opening it:
 * members with programs or addresses that are not configured here leave. After a crash the session is as it was before:
 * new events and the removal of members become visible together or not at all.
 */
import { createHash } from "node:crypto";
import { newId } from "../../../src/kit/ids.ts";
import {
  acquireLock,
  discardStaged,
  hasEpoch,
  openAdoptedLog,
  openFileLog,
  openLogReader,
  publishStaged,
  stageCopy,
  stagingDirectory,
  type AdoptedLog,
  type LogReader,
  type StagedOptions,
} from "../../../src/log/index.ts";
import { RoundtableError, type EventDraft, type MemberSpec, type SessionEvent } from "../../../src/protocol/index.ts";
import * as sessionLines from "./format/session-lines.ts";
import { prepareDataDir, type LogFiles } from "../../../src/host/index.ts";
import { BlobAssembler } from "./blob-assembler.ts";
import { safeguardsFor, formatSafeguard } from "./import-safeguards.ts";
import { eventsIn, linesIn } from "./lines-in-file.ts";
import { surveyFile } from "./survey-file.ts";

const BATCH_EVENTS = 1_000;
const TIME_CHARS = 10;
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface ImportLinesOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Members that may be started here as the file says. */
  readonly members: readonly MemberSpec[];
  /** File system of logs; tests inject a failing disk. */
  readonly files?: LogFiles;
}

export interface LinesImportResult {
  readonly sessionId: string;
  readonly isNew: boolean;
  /** Messages and turns imported by this run. */
  readonly added: number;
  readonly warnings: readonly string[];
}

export async function importLines(options: ImportLinesOptions): Promise<LinesImportResult> {
  const { dataDir, file } = options;
  await prepareDataDir(dataDir);
  const { header, hash, lastSeq, warnings } = await surveyFile(file);
  const own = header.redacted === true ? undefined : await findExisting(options, header.sessionId);
  const isOwn = own !== undefined && (own === "absent" || own.isSame);
  const sessionId = isOwn ? header.sessionId : derivedId(header.sessionId, hash);
  const existing = isOwn ? own : await findExisting(options, sessionId);
  // An existing session needs no lock, and may be open or archived.
  if (existing !== "absent" && lastSeq <= existing.seq && !existing.isCut) {
    return { sessionId, isNew: false, added: 0, warnings };
  }
  const lock = await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, socket: "", hostId: newId() } });
  if ("heldBy" in lock) throw busyError(`Session ${sessionId} is open in process ${lock.heldBy.pid}.`);
  try {
    // Checked again under the lock: a log that has grown since must not be replaced by a shorter one.
    if (seqOf(await findExisting(options, sessionId)) !== seqOf(existing)) {
      throw busyError(`Session ${sessionId} has just been changed by another process.`);
    }
    const made = await importStaged({ ...options, sessionId });
    return { sessionId, ...made, warnings: [...warnings, ...made.warnings] };
  } finally {
    lock.release();
  }
}

function busyError(message: string): RoundtableError {
  return new RoundtableError("busy", message, { hint: "Close it there and import again." });
}

type ExistingSession =
  | "absent"
  | {
      readonly seq: number;
      readonly isSame: boolean;
      /**
       * An import was killed before it recorded who leaves: opening a log for writing records an epoch first, so a log
       * without one was only imported.
       */
      readonly isCut: boolean;
    };

function seqOf(existing: ExistingSession): number {
  return existing === "absent" ? 0 : existing.seq;
}

/** Compares the local session with the file: a different one, shorter, longer or equal. */
async function findExisting({ dataDir, file, files }: ImportLinesOptions, sessionId: string): Promise<ExistingSession> {
  const logOptions = { dataDir, sessionId, ...withFiles(files) };
  const reader = await openLogReader(logOptions).catch((error: unknown) => {
    if (error instanceof RoundtableError && error.code === "unknown_session") return undefined;
    throw error;
  });
  if (reader === undefined) return "absent";
  try {
    const seq = reader.committedSeq;
    if (seq === 0) return "absent";
    let last: { seq: number; id: string } | undefined;
    for await (const event of eventsIn(file)) {
      if (event.seq > seq) break;
      last = { seq: event.seq, id: event.id };
    }
    const isSame = last !== undefined && (await idAt(reader, last.seq)) === last.id;
    return { seq, isSame, isCut: !hasEpoch(dataDir, sessionId, files) };
  } finally {
    await reader.close();
  }
}

async function idAt(reader: LogReader, seq: number): Promise<string | undefined> {
  for await (const [event] of reader.read(seq - 1)) return event?.seq === seq ? event.id : undefined;
  return undefined;
}

interface ImportJob extends ImportLinesOptions {
  readonly sessionId: string;
}

type Made = Omit<LinesImportResult, "sessionId">;

/** Written to a staging directory, then moved into place in one step. */
async function importStaged(job: ImportJob): Promise<Made> {
  const { dataDir, sessionId, files } = job;
  const logOptions = { dataDir, sessionId, ...withFiles(files) };
  try {
    await discardStaged(logOptions);
    await stageCopy(logOptions);
    const made = await writeStaged(job);
    await publishStaged(logOptions);
    return made;
  } catch (error) {
    // The first error is reported; the next import or host removes the rest.
    await discardStaged(logOptions).catch(() => {});
    throw error;
  }
}

async function writeStaged({ dataDir, file, sessionId, members, files }: ImportJob): Promise<Made> {
  const logOptions = { dataDir: stagingDirectory(dataDir, sessionId), sessionId, ...withFiles(files) };
  const log = await openAdoptedLog(logOptions);
  const isNew = log.seq === 0;
  let copied: CopyResult;
  try {
    copied = await copyLines(log, file, sessionId);
  } finally {
    await log.close();
  }
  const safeguards = await safeguardsFor(logOptions, members);
  if (safeguards.length > 0) await append(logOptions, safeguards);
  return { isNew, added: copied.added, warnings: [...copied.warnings, ...safeguards.map(formatSafeguard)] };
}

interface CopyResult {
  readonly added: number;
  readonly warnings: readonly string[];
}

async function copyLines(log: AdoptedLog, file: string, sessionId: string): Promise<CopyResult> {
  const reader = sessionLines.createLineReader();
  const before = log.seq;
  const blobs = new BlobAssembler(log.blobs);
  let batch: SessionEvent[] = [];
  let added = 0;

  function write(): void {
    log.write(batch);
    added += batch.filter(({ type }) => type === "user_message" || type === "turn_start").length;
    batch = [];
  }

  for await (const parsed of linesIn(file)) {
    const line = "bad" in parsed ? undefined : reader.read(parsed.value);
    if (line?.kind === "blob") await blobs.add(line);
    else if (line?.kind === "left-out") blobs.leftOut += 1;
    else if (line?.kind === "event" && line.event.seq > before) {
      batch.push({ ...line.event, sessionId });
      if (batch.length >= BATCH_EVENTS) write();
    }
  }
  write();
  return { added, warnings: blobs.warnings() };
}

async function append(logOptions: StagedOptions, drafts: readonly EventDraft[]): Promise<void> {
  const log = await openFileLog(logOptions);
  try {
    log.append(drafts);
    // A log waits for a full disk; an import reports it instead.
    await log.flush();
  } finally {
    await log.close();
  }
}

/** For a file that has diverged from the session of its id: the same file always gets the same id. */
function derivedId(sessionId: string, hash: string): string {
  const digest = createHash("sha256").update(`${sessionId}\n${hash}`).digest();
  const rest = [...digest.subarray(0, 16)].map((byte) => BASE32[byte % 32] ?? "0").join("");
  return sessionId.slice(0, TIME_CHARS) + rest;
}

function withFiles(files: LogFiles | undefined): { files?: LogFiles } {
  return files === undefined ? {} : { files };
}
