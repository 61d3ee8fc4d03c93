/**
 * Reads sessions that are not open here. Whoever asks for the same log at the same time gets the same fold of it, and a
 * fold that took long is saved under the session's lock, so that the next reader does not pay for it again. Where the lock
 * is another's, nothing is written: its holder saves by itself.
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

/** About a tenth of a second. A shorter rest of a log is faster read than saved. */
const LONG_EVENTS = 20_000;
/** A log of fewer bytes is not as long as that. */
const LONG_BYTES = 2 * 1024 * 1024;

interface TranscriptLoad {
  readonly logBytes: number;
  readonly transcript: Promise<Transcript>;
  /** It has been saved, too, where that was to be done. Never rejects. */
  readonly done: Promise<void>;
}

export class TranscriptLoader {
  readonly #dataDir: string;
  readonly #open: Pick<OpenSessions, "runIfFree">;
  readonly #statLog: StatLog;
  readonly #underWay = new Map<string, TranscriptLoad>();

  constructor(dataDir: string, open: Pick<OpenSessions, "runIfFree">) {
    this.#dataDir = dataDir;
    this.#open = open;
    this.#statLog = createStatLog(dataDir);
  }

  /** Rejects with "unknown_session" when there is no such log, or one of a session that was never finished. */
  transcript(sessionId: string): Promise<Transcript> {
    const logBytes = this.#statLog(sessionId)?.size ?? 0;
    const known = this.#underWay.get(sessionId);
    // What was written since that one began would be missing in it.
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

  /** Resolves when what is being read of this session, if anything, has been read and saved. */
  async settled(sessionId: string): Promise<void> {
    await this.#underWay.get(sessionId)?.done;
  }

  async #read(sessionId: string, logBytes: number, onSaving: (saving: Promise<void>) => void): Promise<Transcript> {
    // Of a long log without an index everything is passed on the way to its end: one walk instead of two.
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
    // First whoever waits for it gets it.
    await setImmediate();
    const { snapshot, pages } = snapshotOfFold(loaded);
    try {
      await this.#open.runIfFree(reader.sessionId, () => reader.snapshots.save(snapshot, pages));
    } catch {
      // Derived: without it the next reader takes as long, and that is all.
    }
  }
}
