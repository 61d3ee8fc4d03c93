/**
 * Makes a session of an exported file of JSON lines. It gets its own id back and every event as it was, so its fold is the
 * original's. The file is a stranger's and is only read.
 *
 * Promises: the same file is the same session however often it is imported; a longer export of a session that was imported
 * adds what is new; a session here that has gone its own way is never touched, the file then becomes another one. A line
 * that does not fit is said and leaves a gap that the session shows. Nothing the file names is started by opening it:
 * members with programs or addresses that are not configured here leave the table.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { FOR_ALWAYS, FOR_SESSION } from "../../agents/index.ts";
import { newId } from "../../kit/ids.ts";
import { createJsonLineReader } from "../../kit/json-lines.ts";
import {
  acquireLock,
  openAdoptedLog,
  openFileLog,
  openLogReader,
  type AdoptedLog,
  type LogReader,
} from "../../log/index.ts";
import { RoundtableError, type EventDraft, type MemberSpec, type SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, type Head } from "../../transcript/index.ts";
import { sessionLines } from "../../wires/index.ts";
import { prepareDataDir } from "../data-dir.ts";

const LINE_BYTES_MAX = 2 * 1024 * 1024;
const LINES_MAX = 50_000_000;
const BLOB_BYTES_MAX = 64 * 1024 * 1024;
const WARNINGS_MAX = 100;
const BATCH_EVENTS = 1_000;
const TIME_CHARS = 10;
const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export interface ImportLinesOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Members that may be started here as the file says. */
  readonly members: readonly MemberSpec[];
}

export interface ImportedLines {
  readonly sessionId: string;
  readonly isNew: boolean;
  /** Messages and turns that were taken in now. */
  readonly added: number;
  readonly warnings: readonly string[];
}

/** The header of a file, if it is one of ours; reads no more than its first line. */
export async function readExportHeader(file: string): Promise<sessionLines.Header | undefined> {
  const reader = sessionLines.createLineReader();
  for await (const found of linesIn(file)) {
    const line = "bad" in found ? undefined : reader.read(found.value);
    return line?.kind === "header" ? line.header : undefined;
  }
  return undefined;
}

export async function importLines(options: ImportLinesOptions): Promise<ImportedLines> {
  const { dataDir, file } = options;
  await prepareDataDir(dataDir);
  const survey = await surveyFile(file);
  const { header, warnings } = survey;
  const own = header.redacted === true ? undefined : await standingOf(dataDir, header.sessionId, file);
  const isOwn = own !== undefined && (own === "absent" || own.isSame);
  const sessionId = isOwn ? header.sessionId : derivedId(header.sessionId, survey.hash);
  const standing = isOwn ? own : await standingOf(dataDir, sessionId, file);
  // What is there needs no lock, and may be open or put away.
  if (standing !== "absent" && survey.lastSeq <= standing.seq) return { sessionId, isNew: false, added: 0, warnings };
  const lock = await acquireLock({ dataDir, sessionId, holder: { pid: process.pid, socket: "", hostId: newId() } });
  if ("heldBy" in lock) {
    throw new RoundtableError("busy", `Session ${sessionId} is open in process ${lock.heldBy.pid}.`, {
      hint: "Close it there and import again.",
    });
  }
  try {
    return await takeIn({ ...options, sessionId, warnings });
  } finally {
    lock.release();
  }
}

interface FileSurvey {
  readonly header: sessionLines.Header;
  readonly hash: string;
  /** Of the last event that fits. */
  readonly lastSeq: number;
  readonly warnings: readonly string[];
}

/** The whole file once: what it is, and what is wrong with it. */
async function surveyFile(file: string): Promise<FileSurvey> {
  const reader = sessionLines.createLineReader();
  const hash = createHash("sha256");
  const warnings = new Warnings(file);
  let header: sessionLines.Header | undefined;
  let events = 0;
  let lastSeq = 0;
  let end: number | undefined;
  for await (const found of linesIn(file, (chunk) => hash.update(chunk))) {
    const line = "bad" in found ? found : reader.read(found.value);
    if ("bad" in line) warnings.add(found.number, line.bad);
    else if (line.kind === "bad") warnings.add(found.number, line.what);
    else if (line.kind === "header") header = line.header;
    else if (line.kind === "damage") events += 1;
    else if (line.kind === "event") {
      events += 1;
      lastSeq = line.event.seq;
    } else if (line.kind === "end") end = line.events;
    if (header === undefined) {
      throw new RoundtableError("unsupported", `${file} is not an exported session: its first line is no header.`);
    }
  }
  if (header === undefined) throw new RoundtableError("unsupported", `${file} is empty.`);
  if (end === undefined) warnings.say(`${file} was cut: its last line is missing; ${events} events were read.`);
  else if (end !== events) warnings.say(`${file} says it has ${end} events; ${events} were read.`);
  return { header, hash: hash.digest("hex"), lastSeq, warnings: warnings.list };
}

type Standing = "absent" | { readonly seq: number; readonly isSame: boolean };

/** What there is of a session here, and whether it is the file's: shorter, longer, or as long. */
async function standingOf(dataDir: string, sessionId: string, file: string): Promise<Standing> {
  const reader = await openLogReader({ dataDir, sessionId }).catch((error: unknown) => {
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
    return { seq, isSame: last !== undefined && (await idAt(reader, last.seq)) === last.id };
  } finally {
    await reader.close();
  }
}

async function idAt(reader: LogReader, seq: number): Promise<string | undefined> {
  for await (const [event] of reader.read(seq - 1)) return event?.seq === seq ? event.id : undefined;
  return undefined;
}

interface Taking extends ImportLinesOptions {
  readonly sessionId: string;
  readonly warnings: readonly string[];
}

async function takeIn({ dataDir, file, sessionId, members, warnings }: Taking): Promise<ImportedLines> {
  const log = await openAdoptedLog({ dataDir, sessionId });
  const before = log.seq;
  let taken: Taken;
  try {
    taken = await copyLines(log, file, sessionId);
  } finally {
    await log.close();
  }
  const { added } = taken;
  const cares = log.seq > before ? caresFor(taken, members) : [];
  if (cares.length > 0) await append(dataDir, sessionId, cares);
  const said = cares.map(careWords);
  return { sessionId, isNew: before === 0, added, warnings: [...warnings, ...taken.warnings, ...said] };
}

interface Taken {
  readonly added: number;
  readonly head: Head;
  readonly hasLastingAnswers: boolean;
  readonly warnings: readonly string[];
}

async function copyLines(log: AdoptedLog, file: string, sessionId: string): Promise<Taken> {
  const reader = sessionLines.createLineReader();
  const before = log.seq;
  const blobs = new BlobsInPieces(log);
  let transcript = empty(sessionId);
  let batch: SessionEvent[] = [];
  let added = 0;
  let hasLastingAnswers = false;

  function write(): void {
    const fresh = batch.filter(({ seq }) => seq > before);
    log.write(fresh);
    added += fresh.filter(({ type }) => type === "user_message" || type === "turn_start").length;
    transcript = dropFrozenPages(fold(transcript, withGaps(batch, transcript.head.seq)), 0);
    batch = [];
  }

  for await (const found of linesIn(file)) {
    const line = "bad" in found ? undefined : reader.read(found.value);
    if (line?.kind === "blob") await blobs.take(line);
    else if (line?.kind === "left-out") blobs.leftOut += 1;
    else if (line?.kind === "event") {
      const { event } = line;
      hasLastingAnswers ||= isLasting(event);
      batch.push({ ...event, sessionId });
      if (batch.length >= BATCH_EVENTS) write();
    }
  }
  write();
  return { added, head: transcript.head, hasLastingAnswers, warnings: blobs.warnings() };
}

/** What is missing between two events, as a reader of the log will say it; the fold takes nothing less. */
function withGaps(events: readonly SessionEvent[], after: number): SessionEvent[] {
  let last = after;
  return events.flatMap((event) => {
    const { seq, epoch, ts, sessionId } = event;
    const [fromSeq, toSeq] = [last + 1, seq - 1];
    last = seq;
    if (toSeq < fromSeq) return [event];
    const id = `damage-${fromSeq}-${toSeq}`;
    return [{ seq: toSeq, epoch, id, ts, sessionId, type: "damage", fromSeq, toSeq, offset: 0, bytes: 0 }, event];
  });
}

function isLasting(event: SessionEvent): boolean {
  return event.type === "ui_response" && (event.result === FOR_SESSION || event.result === FOR_ALWAYS);
}

type Care = Extract<EventDraft, { type: "member_left" | "settings_changed" }>;

/** What must not act here because a file says so. */
function caresFor({ head, hasLastingAnswers }: Taken, known: readonly MemberSpec[]): Care[] {
  const cares: Care[] = [];
  for (const { name, spec, seated } of Object.values(head.members)) {
    if (!seated || !bringsItsOwn(spec) || known.some((one) => isSameProgram(one, spec))) continue;
    cares.push({ type: "member_left", member: name, reason: "its program or address came with an imported file" });
  }
  if (head.settings?.mirror != null) cares.push({ type: "settings_changed", settings: { mirror: null } });
  if (hasLastingAnswers && head.settings?.writable === true) {
    cares.push({ type: "settings_changed", settings: { writable: false } });
  }
  return cares;
}

function bringsItsOwn({ command, baseUrl, env }: MemberSpec): boolean {
  return command !== undefined || baseUrl !== undefined || (env ?? []).length > 0;
}

function isSameProgram(a: MemberSpec, b: MemberSpec): boolean {
  const shape = ({ kind, command, baseUrl, env }: MemberSpec) => JSON.stringify([kind, command, baseUrl, env]);
  return shape(a) === shape(b);
}

function careWords(care: Care): string {
  if (care.type === "member_left") {
    return `${care.member} left the table: its program or address came with the file. /add seats it as it is configured here.`;
  }
  return "mirror" in care.settings
    ? "The session is no longer written to thread files."
    : "Members may no longer change files: the file brought approvals that nobody gave here.";
}

async function append(dataDir: string, sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
  const log = await openFileLog({ dataDir, sessionId });
  try {
    await log.append(drafts).committed;
  } finally {
    await log.close();
  }
}

class BlobsInPieces {
  leftOut = 0;
  readonly #log: AdoptedLog;
  #sha256 = "";
  #pieces: Buffer[] = [];
  #length = 0;
  #broken = 0;

  constructor(log: AdoptedLog) {
    this.#log = log;
  }

  async take({ sha256, bytes, at, piece }: Extract<sessionLines.ReadLine, { kind: "blob" }>): Promise<void> {
    if (at === 0) {
      this.#sha256 = sha256;
      this.#pieces = [];
      this.#length = 0;
    }
    if (sha256 !== this.#sha256 || at !== this.#length || at + piece.length > Math.min(bytes, BLOB_BYTES_MAX)) {
      this.#broken += 1;
      return;
    }
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < bytes) return;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (createHash("sha256").update(whole).digest("hex") === sha256) await this.#log.blobs.put(whole);
    else this.#broken += 1;
  }

  warnings(): string[] {
    return [
      ...(this.#broken === 0 ? [] : [`${this.#broken} lines of attachments or outputs are damaged.`]),
      ...(this.leftOut === 0 ? [] : [`${this.leftOut} attachments or outputs are not in the file.`]),
    ];
  }
}

class Warnings {
  readonly #file: string;
  #count = 0;
  readonly #list: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  add(number: number, what: string): void {
    this.#count += 1;
    if (this.#count <= WARNINGS_MAX) this.say(`${this.#file}, line ${number}: ${what}.`);
  }

  say(sentence: string): void {
    this.#list.push(sentence);
  }

  get list(): readonly string[] {
    const more = this.#count - WARNINGS_MAX;
    return more <= 0 ? this.#list : [...this.#list, `${more} more lines do not fit either.`];
  }
}

async function* eventsIn(file: string): AsyncGenerator<SessionEvent, void, void> {
  const reader = sessionLines.createLineReader();
  for await (const found of linesIn(file)) {
    const line = "bad" in found ? undefined : reader.read(found.value);
    if (line?.kind === "event") yield line.event;
  }
}

type FoundLine = { readonly number: number } & ({ readonly value: unknown } | { readonly bad: string });

async function* linesIn(file: string, onBytes?: (chunk: Buffer) => void): AsyncGenerator<FoundLine, void, void> {
  let found: FoundLine[] = [];
  let number = 0;
  const reader = createJsonLineReader({
    lineBytesMax: LINE_BYTES_MAX,
    onValue: (value) => found.push({ number: (number += 1), value }),
    onBad: ({ reason, bytes }) =>
      found.push({ number: (number += 1), bad: `it cannot be read (${reason.replaceAll("_", " ")}, ${bytes} bytes)` }),
  });
  for await (const chunk of createReadStream(file)) {
    onBytes?.(chunk as Buffer);
    reader.push(chunk as Buffer);
    yield* found;
    found = [];
    if (number > LINES_MAX) {
      throw new RoundtableError("too_large", `${file} has more than ${LINES_MAX} lines.`);
    }
  }
  reader.end();
  yield* found;
}

/** For a file that is not the session of its name any more: always the same id for the same file. */
function derivedId(sessionId: string, hash: string): string {
  const digest = createHash("sha256").update(`${sessionId}\n${hash}`).digest();
  const rest = [...digest.subarray(0, 16)].map((byte) => BASE32[byte % 32] ?? "0").join("");
  return sessionId.slice(0, TIME_CHARS) + rest;
}
