/**
 * Reads sessions that are not open here. Concurrent readers of a log share one fold, and a long fold is saved as a
 * snapshot under the session's lock for the next reader. Nothing is written while another process holds the lock: the
 * holder saves its own snapshots.
 */
import { setImmediate } from "node:timers/promises";
import { openLogReader, type LogReader } from "../../log/index.ts";
import { foldMore, loadFold, emptyFold, snapshotOfFold, type Loaded } from "../../session/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, type Transcript } from "../../transcript/index.ts";
import { assertComplete } from "../maintenance/incomplete-sessions.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { foldTail, savedStart } from "./read-session.ts";
import { createStatLog, type StatLog } from "./log-files.ts";

/** About a tenth of a second. A shorter tail is faster to read than to save. */
const LONG_EVENTS = 20_000;
/** A smaller log cannot have that many events. */
const LONG_BYTES = 2 * 1024 * 1024;

interface TranscriptLoad {
  readonly logBytes: number;
  readonly transcript: Promise<Transcript>;
  /** Read and, where needed, saved. Never rejects. */
  readonly done: Promise<void>;
}

export class TranscriptLoader {
  readonly #dataDir: string;
  readonly #open: Pick<OpenSessions, "get" | "runIfFree">;
  readonly #statLog: StatLog;
  readonly #underWay = new Map<string, TranscriptLoad>();

  constructor(dataDir: string, open: Pick<OpenSessions, "get" | "runIfFree">) {
    this.#dataDir = dataDir;
    this.#open = open;
    this.#statLog = createStatLog(dataDir);
  }

  /** The transcript in memory for a session that is open here, else that of its log. */
  async current(sessionId: string): Promise<Transcript> {
    return this.#open.get(sessionId)?.session.transcript ?? (await this.transcript(sessionId));
  }

  /** Rejects with "unknown_session" when there is no such log, or the session was never fully created. */
  transcript(sessionId: string): Promise<Transcript> {
    const logBytes = this.#statLog(sessionId)?.size ?? 0;
    const known = this.#underWay.get(sessionId);
    // A load of an older size lacks events written since.
    if (known?.logBytes === logBytes) return known.transcript;
    const saved = Promise.withResolvers<void>();
    const transcript = this.#read(sessionId, logBytes, (saving) => saved.resolve(saving));
    const done = transcript.then(() => saved.promise).catch(() => undefined);
    const load: TranscriptLoad = { logBytes, transcript, done };
    this.#underWay.set(sessionId, load);
    void done.then(() => {
      if (this.#underWay.get(sessionId) === load) this.#underWay.delete(sessionId);
    });
    return transcript;
  }

  /** Resolves when a pending load of the session has been read and saved. */
  async settled(sessionId: string): Promise<void> {
    await this.#underWay.get(sessionId)?.done;
  }

  async #read(sessionId: string, logBytes: number, onSaving: (saving: Promise<void>) => void): Promise<Transcript> {
    // Opening a long log without a seek index scans all of it: fold on the way instead of reading twice.
    let passed = emptyFold(sessionId);
    const onPassed = (events: readonly SessionEvent[]) => void (passed = foldMore(passed, events));
    const options = { dataDir: this.#dataDir, sessionId, maySave: true };
    const reader = await openLogReader(logBytes < LONG_BYTES ? options : { ...options, onPassed });
    let saving: Promise<void> = Promise.resolve();
    try {
      await assertComplete(this.#dataDir, reader);
      const isPassed = passed.transcript.head.seq > 0 && passed.transcript.head.seq === reader.committedSeq;
      if (!isPassed && (await this.#isShort(reader))) return await foldTail(reader, []);
      const loaded = isPassed ? passed : await loadFold(reader);
      saving = this.#save(loaded, reader);
      return dropFrozenPages(loaded.transcript, 0);
    } finally {
      onSaving(saving.then(() => reader.close()));
    }
  }

  async #isShort(reader: LogReader): Promise<boolean> {
    return reader.committedSeq - (await savedStart(reader)).head.seq < LONG_EVENTS;
  }

  async #save(loaded: Loaded, reader: LogReader): Promise<void> {
    // Callers get the transcript first.
    await setImmediate();
    const { snapshot, pages } = snapshotOfFold(loaded);
    try {
      await this.#open.runIfFree(reader.sessionId, () => reader.snapshots.save(snapshot, pages));
    } catch {
      // Derived: without it the next reader only takes as long.
    }
  }
}
