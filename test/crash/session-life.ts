/**
 * The whole life of two sessions on a disk in memory, to be cut at any of its operations: made, talked in, compacted,
 * forked, exported, archived and compressed, deleted, restored, gone on with, and removed for ever. The judge opens what a
 * cut left as the next process would, and gives back what is wrong, in words.
 */
import { isDeepStrictEqual } from "node:util";
import { makeFork } from "../../src/host/sessions/fork.ts";
import {
  compressLog,
  discardStaged,
  moveToTrash,
  openFileLog,
  openLogReader,
  removeFromTrash,
  removeGone,
  restoreFromTrash,
  sessionIdsAmong,
  sessionPaths,
  settleTrash,
  stagedIds,
  trashedIds,
  trashDirectory,
  unsettledTrash,
  type LogReader,
} from "../../src/log/index.ts";
import type { Command, SessionEvent } from "../../src/protocol/index.ts";
import { createSession, openSession, type Session } from "../../src/session/index.ts";
import { empty, fold } from "../../src/transcript/index.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../host/scripted-agent.ts";
import { readAll } from "../log/drafts.ts";
import { createHandClock, idle } from "../log/hand-clock.ts";
import type { MemoryFiles } from "../log/memory-files.ts";

const DATA = "/data";
export const FIRST = "01J0000000000000000000000A";
export const FORK = "01J0000000000000000000000B";
const EXPORT = `${DATA}/export.jsonl`;

type Cut = "nowhere" | "list" | "trash";

/** What has been promised so far. */
export interface Promised {
  /** By session: what was acknowledged of it. */
  readonly events: Map<string, readonly SessionEvent[]>;
  /** By session: where it is, or, while it is being moved, where it may be. */
  readonly cuts: Map<string, readonly Cut[]>;
  readonly blobs: { sha256: string; text: string }[];
}

export function nothingPromised(): Promised {
  return { events: new Map(), cuts: new Map(), blobs: [] };
}

/** Ends when the process is killed, or with the life. */
export async function live(files: MemoryFiles, promised: Promised): Promise<void> {
  const life = new Life(files, promised).run().catch((error: unknown) => {
    if (!files.isDead) throw error;
  });
  await Promise.race([files.killed, life]);
}

class Life {
  readonly #files: MemoryFiles;
  readonly #promised: Promised;
  readonly #clock = createHandClock();
  #commands = 0;

  constructor(files: MemoryFiles, promised: Promised) {
    this.#files = files;
    this.#promised = promised;
  }

  async run(): Promise<void> {
    await this.#move(FIRST, ["nowhere", "list"], "list", () => this.#create());
    await this.#inSession(FIRST, async (session) => this.#send(session, "hello"));
    await this.#compact();
    await this.#move(FORK, ["nowhere", "list"], "list", () => this.#fork());
    await this.#export();
    await this.#inSession(FIRST, async (session) => this.#command(session, { type: "archive", archived: true }));
    await compressLog({ dataDir: DATA, sessionId: FIRST, files: this.#files });
    await this.#delete(FORK);
    await this.#restore(FORK);
    await this.#inSession(FORK, async (session) => this.#send(session, "in the fork"));
    await this.#delete(FIRST);
    await this.#restore(FIRST);
    await this.#inSession(FIRST, async (session) => {
      await this.#command(session, { type: "archive", archived: false });
      await this.#send(session, "again");
    });
    await this.#delete(FORK);
    await this.#move(FORK, ["trash", "nowhere"], "nowhere", () =>
      removeFromTrash({ dataDir: DATA, sessionId: FORK, files: this.#files }),
    );
  }

  async #create(): Promise<void> {
    const log = await openFileLog({ dataDir: DATA, sessionId: FIRST, files: this.#files, clock: this.#clock });
    const parts = { log, agentFactory: createScriptedAgent, clock: this.#clock };
    const session = await createSession({
      ...parts,
      cwd: "/project",
      title: "a life",
      settings: SETTINGS,
      members: [ECHO],
    });
    await this.#note(FIRST, log);
    await session.close();
    await log.close();
  }

  async #inSession(sessionId: string, use: (session: Session) => Promise<void>): Promise<void> {
    const log = await openFileLog({ dataDir: DATA, sessionId, files: this.#files, clock: this.#clock });
    const session = await openSession({ log, agentFactory: createScriptedAgent, clock: this.#clock });
    await use(session);
    await this.#note(sessionId, log);
    await session.close();
    await log.close();
  }

  async #send(session: Session, text: string): Promise<void> {
    await this.#command(session, { type: "send", text, clientMessageId: `c-${this.#commands}`, commandId: "" });
    for (let tries = 0; !session.isIdle && !this.#files.isDead && tries < 2000; tries++) {
      this.#clock.advance(50);
      await idle(2);
    }
  }

  async #command(session: Session, command: Command | Omit<Command, "commandId">): Promise<void> {
    this.#commands += 1;
    const asked = session.command({ ...command, commandId: `w-${this.#commands}` } as Command, "me");
    const answered = { yet: false };
    void asked.then(() => (answered.yet = true));
    for (let tries = 0; !answered.yet && tries < 100; tries++) {
      await idle(2);
      this.#clock.advance(50);
    }
    const ack = await asked;
    if (!ack.ok && !this.#files.isDead) throw new Error(`${command.type} was refused: ${ack.error.message}`);
  }

  async #compact(): Promise<void> {
    const log = await openFileLog({ dataDir: DATA, sessionId: FIRST, files: this.#files, clock: this.#clock });
    const blob = await log.blobs.put(Buffer.from("a large output"));
    if (!this.#files.isDead) this.#promised.blobs.push({ sha256: blob.sha256, text: "a large output" });
    const attachments = [{ name: "out.txt", mime: "text/plain", blob }];
    await log.append([
      { type: "compaction", member: "echo", summary: "We said hello.", before: 900, after: 90, firstKeptSeq: 3 },
      { type: "user_message", messageId: "m-blob", text: "see this", to: [], toAll: false, attachments },
    ]).committed;
    await this.#note(FIRST, log);
    await log.close();
  }

  async #fork(): Promise<void> {
    const source = await openLogReader({ dataDir: DATA, sessionId: FIRST, files: this.#files });
    await makeFork({ dataDir: DATA, files: this.#files, clock: this.#clock, source, seq: source.committedSeq }, FORK);
    await source.close();
    const made = await openLogReader({ dataDir: DATA, sessionId: FORK, files: this.#files });
    await this.#note(FORK, made);
    await made.close();
  }

  /** A plain copy of the events, beside the logs: reading a log never touches it. */
  async #export(): Promise<void> {
    const reader = await openLogReader({ dataDir: DATA, sessionId: FIRST, files: this.#files });
    const file = this.#files.create(EXPORT, 0o600);
    for await (const events of reader.read(0)) {
      for (const event of events) file.write(Buffer.from(`${JSON.stringify(event)}\n`));
    }
    await file.datasync();
    file.close();
    await reader.close();
  }

  #delete(sessionId: string): Promise<void> {
    const note = { deletedTs: 1 };
    return this.#move(sessionId, ["list", "trash"], "trash", () =>
      moveToTrash({ dataDir: DATA, sessionId, files: this.#files, note }),
    );
  }

  #restore(sessionId: string): Promise<void> {
    return this.#move(sessionId, ["trash", "list"], "list", () =>
      restoreFromTrash({ dataDir: DATA, sessionId, files: this.#files }),
    );
  }

  async #move(sessionId: string, during: Cut[], after: Cut, work: () => Promise<void>): Promise<void> {
    this.#promised.cuts.set(sessionId, during);
    await work();
    if (!this.#files.isDead) this.#promised.cuts.set(sessionId, [after]);
  }

  async #note(sessionId: string, log: LogReader & { flush?(): Promise<void> }): Promise<void> {
    await log.flush?.();
    const events = await readAll(log);
    if (!this.#files.isDead) this.#promised.events.set(sessionId, events);
  }
}

/** What is wrong with what the cut left: as it is found, and after the next start has tidied up. */
export async function judge(files: MemoryFiles, promised: Promised): Promise<string[]> {
  const found = [...(await look(files, promised, "as found")), ...(await tidy(files))];
  found.push(...(await look(files, promised, "tidied up")));
  for (const sessionId of listed(files)) found.push(...(await goOn(files, sessionId)));
  return found;
}

function listed(files: MemoryFiles): string[] {
  return sessionIdsAmong(files.readdir(`${DATA}/logs`));
}

async function look(files: MemoryFiles, promised: Promised, when: string): Promise<string[]> {
  const wrong: string[] = [];
  const send = (sessionId: string, what: string) => wrong.push(`${when}, session ${sessionId.slice(-1)}: ${what}`);
  const inTrash = new Set(trashedIds(DATA, files));
  const inList = new Set<string>();
  for (const sessionId of listed(files)) {
    const events = await readFrom(files, DATA, sessionId);
    // A log without a single event is a session that was never finished being made; no list shows it.
    if (events.length === 0 && !promised.events.has(sessionId)) continue;
    inList.add(sessionId);
    for (const what of judgeEvents(events, promised.events.get(sessionId) ?? [])) send(sessionId, what);
    for (const what of await judgeBlobs(files, sessionId, promised)) send(sessionId, what);
  }
  for (const sessionId of inTrash) {
    const events = await readFrom(files, trashDirectory(DATA, sessionId), sessionId);
    for (const what of judgeEvents(events, promised.events.get(sessionId) ?? []))
      send(sessionId, `in the trash, ${what}`);
  }
  for (const [sessionId, cuts] of promised.cuts) {
    const [isListed, isTrashed] = [inList.has(sessionId), inTrash.has(sessionId)];
    if (isListed && isTrashed) send(sessionId, "is in the list and in the trash");
    const cut: Cut = isListed ? "list" : isTrashed ? "trash" : "nowhere";
    if (!cuts.includes(cut)) send(sessionId, `is in place "${cut}", promised was ${cuts.join(" or ")}`);
  }
  return wrong;
}

async function readFrom(files: MemoryFiles, dataDir: string, sessionId: string): Promise<SessionEvent[]> {
  const reader = await openLogReader({ dataDir, sessionId, files });
  try {
    return await readAll(reader);
  } finally {
    await reader.close();
  }
}

function judgeEvents(events: readonly SessionEvent[], promised: readonly SessionEvent[]): string[] {
  const wrong: string[] = [];
  fold(empty(events[0]?.sessionId ?? ""), events);
  const [first] = events;
  if (first?.type !== "session_created") wrong.push(`begins with ${first?.type ?? "nothing"}`);
  for (const event of promised) {
    const found = events[event.seq - 1];
    if (!isDeepStrictEqual(found, event))
      wrong.push(`acknowledged ${event.type} ${event.seq} is ${found?.type ?? "gone"}`);
  }
  // A copy is whole or not there; its last event is written last.
  const isCopy = first?.type === "session_created" && first.forkedFrom !== undefined;
  if (isCopy && !events.some((event) => event.type === "session_renamed")) wrong.push("is half a copy");
  return wrong.slice(0, 3);
}

async function judgeBlobs(files: MemoryFiles, sessionId: string, promised: Promised): Promise<string[]> {
  const reader = await openLogReader({ dataDir: DATA, sessionId, files });
  const wrong: string[] = [];
  for (const event of await readAll(reader)) {
    if (event.type !== "user_message") continue;
    for (const { blob } of event.attachments) {
      const bytes = await reader.blobs.get(blob.sha256);
      const text = promised.blobs.find((one) => one.sha256 === blob.sha256)?.text;
      if (bytes === undefined || Buffer.from(bytes).toString() !== text) wrong.push("an attachment is gone");
    }
  }
  await reader.close();
  return wrong;
}

/** What the next start of a host does, and that it leaves nothing half done. */
async function tidy(files: MemoryFiles): Promise<string[]> {
  removeGone(DATA, files);
  for (const sessionId of stagedIds(DATA, files)) await discardStaged({ dataDir: DATA, sessionId, files });
  for (const sessionId of unsettledTrash(DATA, files)) await settleTrash({ dataDir: DATA, sessionId, files });
  const left = [...stagedIds(DATA, files), ...unsettledTrash(DATA, files)];
  const orphans = orphanFiles(files);
  return [
    ...left.map((sessionId) => `${sessionId} is still half done`),
    ...orphans.map((path) => `${path} belongs to no session`),
  ];
}

/** In the data directory: what is named after a session that is not listed. Temporary files do no harm. */
function orphanFiles(files: MemoryFiles): string[] {
  const known = new Set(listed(files));
  return (
    [FIRST, FORK]
      .filter((sessionId) => !known.has(sessionId))
      .flatMap((sessionId) => {
        const { epoch, snapshots, blobs, meta } = sessionPaths(DATA, sessionId);
        return [epoch, snapshots, blobs, meta].filter((path) => files.contentOf(path) !== undefined);
      })
      // Before its first log there is nothing that could own what was begun.
      .filter(() => known.size > 0)
  );
}

/** Opens it for writing, and it goes on after its last event. */
async function goOn(files: MemoryFiles, sessionId: string): Promise<string[]> {
  const before = await readFrom(files, DATA, sessionId);
  if (before.length === 0) return [];
  const clock = createHandClock();
  const log = await openFileLog({ dataDir: DATA, sessionId, files, clock });
  const session = await openSession({ log, agentFactory: createScriptedAgent, clock });
  await session.command({ type: "rename", title: "it goes on", commandId: "x" }, "me");
  const after = await readAll(log);
  await session.close();
  await log.close();
  const isKept = isDeepStrictEqual(after.slice(0, before.length), before);
  const isOn = after.some((event) => event.type === "session_renamed" && event.title === "it goes on");
  return [
    ...(isKept ? [] : [`${sessionId} lost events by going on`]),
    ...(isOn ? [] : [`${sessionId} does not go on`]),
  ];
}
