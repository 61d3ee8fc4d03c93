/**
 * Imports a session from another program's file, or updates an imported one. The file is only read. Guarantees: the
 * same conversation is the same session, however often and from whatever copy it is imported; a new session appears
 * complete or not at all, also after a kill; unreadable parts are noted where they belong.
 */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { AgentFactory } from "../../agents/index.ts";
import { newId } from "../../kit/ids.ts";
import {
  acquireLock,
  discardStaged,
  openFileLog,
  publishStaged,
  sessionPaths,
  stagingDirectory,
  type EventLog,
} from "../../log/index.ts";
import { RoundtableError, type MemberSpec, type Settings } from "../../protocol/index.ts";
import { createSession } from "../../session/index.ts";
import * as sessionFiles from "./builder/session-files.ts";
import { prepareDataDir } from "../data-dir.ts";
import type { Environment, ExternalFormat } from "./external-format.ts";
import { KnownEvents } from "./known-events.ts";
import { createSourceClock, writeUnits, type SourceClock, type Written } from "./write-units.ts";

const PATH_CHARS_MAX = 1_000;
/** Limit of a native id. */
const NATIVE_ID_CHARS_MAX = 200;

export interface ExternalImportOptions {
  readonly dataDir: string;
  readonly format: ExternalFormat;
  readonly path: string;
  /** For a conversation whose own directory does not exist here. */
  readonly cwd: string;
  readonly settings: Settings;
  /** Members to choose from; the one with the file's program takes part. */
  readonly members: readonly MemberSpec[];
  readonly agentFactory: AgentFactory;
  readonly env: Environment;
}

export interface ExternalImportResult {
  readonly sessionId: string;
  readonly isNew: boolean;
  /** Messages and turns added by this import. */
  readonly added: number;
  /** Damage and changes, in sentences; the session has them too. */
  readonly warnings: readonly string[];
}

/** Throws `unknown_session` for a file without messages, `busy` when another process has the session open. */
export async function importExternalSession(options: ExternalImportOptions): Promise<ExternalImportResult> {
  const { dataDir, format } = options;
  const source = await realpath(options.path);
  const choice = chooseMembers(options);
  const read = await format.read(source, { member: choice.member });
  if (read === undefined) {
    throw new RoundtableError("unknown_session", `${source} has no messages, so there is nothing to import.`);
  }
  await prepareDataDir(dataDir);
  const sessionId = sessionFiles.stableSessionId(read.startedMs, format.name, read.nativeId);
  const lock = await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, socket: "", hostId: newId() } });
  if ("heldBy" in lock) {
    throw new RoundtableError("busy", `Session ${sessionId} of this file is open in process ${lock.heldBy.pid}.`, {
      hint: "Close it there and import again.",
    });
  }
  try {
    const target = await resolveTarget(options, source, read);
    const job: ImportJob = { ...options, source, read, sessionId, target, members: choice.of(read) };
    return (await hasLog(dataDir, sessionId)) ? await bringUpToDate(job) : await makeNew(job);
  } finally {
    lock.release();
  }
}

interface ImportJob extends ExternalImportOptions {
  readonly source: string;
  readonly read: sessionFiles.ExternalSession;
  readonly sessionId: string;
  readonly target: ImportTarget;
}

interface ImportTarget {
  readonly cwd: string;
  /** The program can resume its own session there. */
  readonly isNative: boolean;
  readonly remark?: string;
}

interface MemberChoice {
  /** Member name for the program. */
  readonly member: string;
  of(read: sessionFiles.ExternalSession): readonly MemberSpec[];
}

/** A program that can take part is the only member at first; otherwise all configured members join. */
function chooseMembers({ format, members }: ExternalImportOptions): MemberChoice {
  const configured = members.find(({ kind }) => kind === format.name);
  return {
    member: configured?.name ?? format.name,
    of: ({ agent }) => (agent === undefined ? members : [configured ?? { name: format.name, kind: agent.kind }]),
  };
}

/**
 * A conversation continues in its own directory when its program stores it here, or when that is the current directory.
 * A file from elsewhere must not choose the directory in which agents work.
 */
async function resolveTarget(
  { format, env, cwd }: ExternalImportOptions,
  source: string,
  read: sessionFiles.ExternalSession,
): Promise<ImportTarget> {
  const own = read.cwd === undefined ? undefined : await realpath(read.cwd).catch(() => undefined);
  const isInStore = read.nativeId.length <= NATIVE_ID_CHARS_MAX && (await isIn(source, format.stores(env)));
  if (read.cwd === undefined) return { cwd, isNative: false };
  const isHere = own !== undefined && own === (await realpath(cwd).catch(() => cwd));
  if (own !== undefined && (isInStore || isHere)) return { cwd: isHere ? cwd : own, isNative: isInStore };
  const what =
    own === undefined
      ? "took place in a directory that does not exist here"
      : "is not stored where its program stores it";
  return { cwd, isNative: false, remark: `The conversation ${what}: ${shortPath(read.cwd)}. It continues in ${cwd}.` };
}

/** Text of the file's author. */
function shortPath(text: string): string {
  return text.length <= PATH_CHARS_MAX ? text : `${text.slice(0, PATH_CHARS_MAX).toWellFormed()}…`;
}

async function isIn(file: string, directories: readonly string[]): Promise<boolean> {
  for (const directory of directories) {
    const real = await realpath(directory).catch(() => undefined);
    if (real !== undefined && file.startsWith(real + path.sep)) return true;
  }
  return false;
}

/** Also a compressed one. An empty one was left by a kill in the first step. */
async function hasLog(dataDir: string, sessionId: string): Promise<boolean> {
  const { log, compressed } = sessionPaths(dataDir, sessionId);
  const sizes = await Promise.all(
    [log, compressed].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.some((size) => size > 0);
}

/** Written to the staging directory, which is not listed, then moved into place. */
async function makeNew(job: ImportJob): Promise<ExternalImportResult> {
  const { dataDir, sessionId, read, target } = job;
  await discardStaged({ dataDir, sessionId });
  const clock = createSourceClock();
  clock.set(read.startedMs);
  const log = await openFileLog({ dataDir: stagingDirectory(dataDir, sessionId), sessionId, clock });
  let written: Written;
  try {
    await begin(job, log, clock);
    written = await fill(job, log, clock, new KnownEvents());
    if (target.isNative && read.agent !== undefined) linkNativeSession(job, log);
    await log.flush();
  } finally {
    await log.close();
  }
  await publishStaged({ dataDir, sessionId });
  return { sessionId, isNew: true, added: written.added, warnings: written.notices };
}

async function begin(job: ImportJob, log: EventLog, clock: SourceClock): Promise<void> {
  const { agentFactory, settings, members, read, target, format, source } = job;
  const { mirror: _, ...rest } = settings;
  const session = await createSession({
    log,
    agentFactory,
    clock,
    cwd: target.cwd,
    title: read.title,
    settings: { ...rest, order: members.map(({ name }) => name) },
    members,
    imported: { source: format.name, from: source },
  });
  await session.close();
}

async function fill(job: ImportJob, log: EventLog, clock: SourceClock, known: KnownEvents): Promise<Written> {
  const { read, format, target } = job;
  const remark = target.remark === undefined ? [] : [noticeUnit(read.startedMs, target.remark)];
  const session = `${format.name}:${read.nativeId}`;
  return await writeUnits([...remark, ...read.units], { log, clock, known, session });
}

function noticeUnit(ts: number, message: string): sessionFiles.ImportUnit {
  return { line: 0, drafts: [{ ts, draft: { type: "warning", code: sessionFiles.IMPORT_CODE, message } }] };
}

function linkNativeSession({ members, read }: ImportJob, log: EventLog): void {
  const [member] = members;
  if (member === undefined) return;
  log.append([{ type: "member_session", member: member.name, nativeSessionId: read.nativeId }]);
}

async function bringUpToDate(job: ImportJob): Promise<ExternalImportResult> {
  const { dataDir, sessionId, format, read, target, members } = job;
  const clock = createSourceClock();
  const log = await openFileLog({ dataDir, sessionId, clock });
  try {
    const known = new KnownEvents();
    for await (const events of log.read(0)) for (const event of events) known.apply(event);
    if (known.source !== format.name) {
      const state = known.source === undefined ? "was not imported" : `was imported from ${known.source}`;
      throw new RoundtableError("conflict", `Session ${sessionId} ${state}, so ${job.source} cannot be added to it.`);
    }
    const own = members.find(({ name }) => known.spokenHere.has(name));
    if (read.agent !== undefined && own !== undefined && known.native.has(own.name)) {
      const why = `${own.name} has continued this conversation here, in its own session; nothing was added.`;
      return { sessionId, isNew: false, added: 0, warnings: [why] };
    }
    const written = await fill(job, log, clock, known);
    if (!known.hasRename && known.title !== read.title) log.append([{ type: "session_renamed", title: read.title }]);
    const [member] = members;
    if (target.isNative && read.agent !== undefined && !known.native.has(member?.name ?? ""))
      linkNativeSession(job, log);
    await log.flush();
    return { sessionId, isNew: false, added: written.added, warnings: written.notices };
  } finally {
    await log.close();
  }
}
