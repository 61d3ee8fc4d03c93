/**
 * Imports a thread's messages as a session, or updates one. The thread is only read.
 * Promises: the same thread, or a copy, is always the same session; unreadable messages are reported in place; every
 * message keeps its time.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { AgentFactory } from "../../src/agents/index.ts";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import { acquireLock, openFileLog, type EventLog } from "../../src/log/index.ts";
import { RoundtableError, type MemberSpec, type Settings } from "../../src/protocol/index.ts";
import { createSession, openSession, type Session } from "../../src/session/index.ts";
import * as kingdom from "./format/kingdom.ts";
import { prepareDataDir } from "../../src/host/index.ts";
import { codeOf } from "./mirror/files/error-code.ts";
import { readMessageFile, type MessageOnDisk } from "./mirror/files/read-message.ts";
import { scanThread, type MessageEntry } from "./mirror/files/thread-directory.ts";
import { UnreadableFile } from "./mirror/files/tree-file.ts";

const TITLE_CHARS_MAX = 80;
const CLIENT_ID = "import";
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface ThreadImportOptions {
  readonly dataDir: string;
  readonly threadDir: string;
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  readonly agentFactory: AgentFactory;
}

export interface ThreadImportResult {
  readonly sessionId: string;
  readonly isNew: boolean;
  /** Messages imported by this run. */
  readonly added: number;
  /** Damage, one sentence each; also in the session. */
  readonly warnings: readonly string[];
}

/**
 * Throws `unknown_session` when there is nothing to import, `busy` when another process has the session open,
 * `store_unavailable` when the disk refuses: the same import then continues where this one stopped.
 */
export async function importThread(options: ThreadImportOptions): Promise<ThreadImportResult> {
  try {
    return await importUnlocked(options);
  } catch (error) {
    const isOfDisk = error instanceof UnreadableFile || codeOf(error) !== undefined;
    if (error instanceof RoundtableError || !(error instanceof Error) || !isOfDisk) throw error;
    throw new RoundtableError("store_unavailable", `${options.threadDir} cannot be imported now: ${error.message}.`, {
      hint: "Import it again once the disk works; messages that were already imported are not repeated.",
      cause: error,
    });
  }
}

async function importUnlocked(options: ThreadImportOptions): Promise<ThreadImportResult> {
  const { dataDir, threadDir } = options;
  const { messages } = await scanThread(threadDir);
  const [first] = messages;
  if (first === undefined) {
    throw new RoundtableError("unknown_session", `${threadDir} holds no messages, so there is nothing to import.`);
  }
  await prepareDataDir(dataDir);
  const thread = await threadName(threadDir);
  const sessionId = await sessionIdOf(threadDir, thread, first);
  const lock = await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, socket: "", hostId: newId() } });
  if ("heldBy" in lock) {
    throw new RoundtableError("busy", `Session ${sessionId} of this thread is open in process ${lock.heldBy.pid}.`, {
      hint: "Close it there and import again, or let it mirror the thread.",
    });
  }
  try {
    return await fill(options, { sessionId, thread, messages });
  } finally {
    lock.release();
  }
}

interface Filling {
  readonly sessionId: string;
  readonly thread: string;
  readonly messages: readonly MessageEntry[];
}

async function fill(
  options: ThreadImportOptions,
  { sessionId, thread, messages }: Filling,
): Promise<ThreadImportResult> {
  const { dataDir, threadDir } = options;
  const clock = createMessageClock();
  const onDisk = messages[0] === undefined ? undefined : await readMessageFile(threadDir, messages[0].file);
  const beginning = onDisk === undefined || typeof onDisk === "string" ? undefined : onDisk;
  const log = await openFileLog({ dataDir, sessionId, clock });
  try {
    // Also new: one whose import was cut before its first event.
    const isNew = log.committedSeq === 0;
    if (isNew) clock.set(timeOf(beginning));
    const session = isNew
      ? await begin(options, log, clock, titleOf(beginning, thread))
      : await reopen(options, log, clock);
    try {
      const index = await buildThreadIndex(log);
      const known = index.filesOf(thread);
      const warnings: string[] = [];
      let added = 0;
      for (const message of messages.filter(({ file }) => !known.has(file))) {
        const warning = await importMessage(session, { threadDir, thread, clock, index }, message);
        if (warning !== undefined) warnings.push(warning);
        added += 1;
      }
      return { sessionId, isNew, added, warnings };
    } finally {
      await session.close();
    }
  } finally {
    await log.close();
  }
}

async function begin(options: ThreadImportOptions, log: EventLog, clock: Clock, title: string): Promise<Session> {
  const { agentFactory, cwd, settings, members, threadDir } = options;
  const imported = { source: "kingdom", from: threadDir };
  return await createSession({ log, agentFactory, clock, cwd, settings, members, title, imported });
}

async function reopen({ agentFactory, members }: ThreadImportOptions, log: EventLog, clock: Clock): Promise<Session> {
  const session = await openSession({ log, agentFactory, clock });
  // Interrupted before its members were written; without them nobody can be asked.
  const isBare = Object.keys(session.transcript.head.members).length === 0;
  for (const spec of isBare ? members : [])
    await session.command({ type: "add_member", commandId: newId(), spec }, CLIENT_ID);
  return session;
}

/** Messages of earlier imports, and interruptions, which are reported when the session opens. */
async function buildThreadIndex(log: EventLog): Promise<kingdom.ThreadIndex> {
  await log.flush();
  const index = new kingdom.ThreadIndex();
  for await (const events of log.read(0)) for (const event of events) index.apply(event);
  return index;
}

interface Source {
  readonly threadDir: string;
  readonly thread: string;
  readonly clock: MessageClock;
  /** State of the thread according to the session. */
  readonly index: kingdom.ThreadIndex;
}

/** Reports problems of the thread, if any. */
async function importMessage(
  { externalTurns: external }: Session,
  source: Source,
  entry: MessageEntry,
): Promise<string | undefined> {
  const { threadDir, thread, clock, index } = source;
  const origin = kingdom.threadOrigin(thread, entry.file);
  const onDisk = await readMessageFile(threadDir, entry.file);
  if (onDisk === undefined || typeof onDisk === "string") {
    const message = `${thread}/${entry.file} cannot be read (${onDisk ?? "it is gone"}) and is not shown.`;
    await external.note({ type: "warning", code: "import", message });
    return message;
  }
  const { read } = onDisk;
  clock.set(read.ts ?? onDisk.mtimeMs);
  if (entry.sender === kingdom.KING) await external.addMessage({ text: read.body, origin });
  else {
    const { text, outcome, error } = kingdom.decodeTurnBody(read.body, read.status);
    // Interrupted during import: imported again in its position.
    const replaces = index.cutTurnOf(entry.sender, origin)?.turnId;
    const turnId = external.startTurn({
      member: entry.sender,
      origin,
      ...(replaces === undefined ? {} : { replaces }),
    });
    if (turnId !== undefined) external.endTurn(turnId, { text, outcome, ...(error === undefined ? {} : { error }) });
  }
  if (read.damage === undefined) return undefined;
  const message = `${thread}/${entry.file} is damaged: ${read.damage}.`;
  await external.note({ type: "warning", code: "import", message });
  return message;
}

/** Name used in origins; that of the directory in a clone, which has no thread.json. */
async function threadName(threadDir: string): Promise<string> {
  return kingdom.normaliseName(path.basename(threadDir));
}

/** Identifies a thread by name and first message, independent of its path. */
async function sessionIdOf(threadDir: string, thread: string, first: MessageEntry): Promise<string> {
  const onDisk = await readMessageFile(threadDir, first.file);
  const { bytes, read } = typeof onDisk === "object" ? onDisk : { bytes: Buffer.alloc(0), read: undefined };
  const digest = createHash("sha256").update(`kingdom\n${thread}\n${first.file}\n`).update(bytes).digest();
  let ms = Math.max(0, read?.ts ?? 0);
  let time = "";
  for (let digit = 0; digit < 10; digit += 1) {
    time = `${BASE32[ms % 32] ?? ""}${time}`;
    ms = Math.floor(ms / 32);
  }
  return time + [...digest.subarray(0, 16)].map((byte) => BASE32[byte % 32] ?? "").join("");
}

function titleOf(onDisk: MessageOnDisk | undefined, thread: string): string {
  const line =
    onDisk?.read.body
      .split("\n")
      .find((one) => one.trim() !== "")
      ?.trim() ?? thread;
  return line.length > TITLE_CHARS_MAX ? `${line.slice(0, TITLE_CHARS_MAX - 1).toWellFormed()}…` : line;
}

function timeOf(onDisk: MessageOnDisk | undefined): number {
  return onDisk?.read.ts ?? onDisk?.mtimeMs ?? systemClock.now();
}

interface MessageClock extends Clock {
  set(ms: number): void;
}

/** Timestamps are those of the messages; durations use the real clock. */
function createMessageClock(): MessageClock {
  let at: number | undefined;
  return { ...systemClock, now: () => at ?? systemClock.now(), set: (ms) => void (at = Math.floor(ms)) };
}
