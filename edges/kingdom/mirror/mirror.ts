/**
 * Mirrors a session to a thread's files: one loop that writes new messages, reads those of others, and wakes on
 * changes. File errors are reported once, retried, and never block the session: the log has everything.
 */
import type { FSWatcher } from "node:fs";
import path from "node:path";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import { watchDirectory } from "../../../src/kit/files/watch-directory.ts";
import { newId } from "../../../src/kit/ids.ts";
import type { EventLog } from "../../../src/log/index.ts";
import { granted, RoundtableError, type SessionEvent } from "../../../src/protocol/index.ts";
import type { Session } from "../../../src/session/index.ts";
import * as kingdom from "../format/kingdom.ts";
import type { MirrorContext } from "./mirror-context.ts";
import { findThreadLocation, isIncomplete, unusable, writeThreadFile, type ThreadLocation } from "./thread-location.ts";
import { ExternalSpeakers } from "./incoming/external-speakers.ts";
import { GRACE_MS } from "./incoming/grace.ts";
import { Incoming } from "./incoming/incoming.ts";
import { cleanUpAfterCrash } from "./crash-cleanup.ts";
import { Outgoing } from "./outgoing.ts";
import { StatusFiles } from "./status-files.ts";
import { scanThread } from "./files/thread-directory.ts";
import { readTreeFile } from "./files/tree-file.ts";

/** Poll interval while a member streams there or a file is being written. */
const ACTIVE_POLL_MS = 100;
/** Poll interval without file watching. */
const UNWATCHED_POLL_MS = 200;
const POLL_MS = 1_000;
const RETRY_MS = 5_000;
const CLOSE_MS = 5_000;
const WARNINGS_MAX = 100;
/** Text beyond this is only in the message. */
const EARLY_MAX = 10_000;
const CLIENT_ID = "mirror";

export interface MirrorOptions {
  readonly session: Session;
  readonly log: EventLog;
  readonly clock?: Clock;
  /** How long a message waits to see whom its own program asks. */
  readonly graceMs?: number;
  /** Program that locks shared files; tests name a missing one. */
  readonly flock?: string;
}

interface MirrorComponents {
  readonly context: MirrorContext;
  readonly outgoing: Outgoing;
  readonly incoming: Incoming;
  readonly speakers: ExternalSpeakers;
  readonly statusFiles: StatusFiles;
}

export class Mirror {
  readonly #options: MirrorOptions;
  readonly #clock: Clock;
  readonly #index = new kingdom.ThreadIndex();
  readonly #openSeq: number;
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #stopFollowing: () => void;
  readonly #warned = new Set<string>();
  readonly #end = Promise.withResolvers<void>();
  #components: MirrorComponents | undefined;
  /** Events from before the thread is known. */
  #early: SessionEvent[] = [];
  #members = 0;
  #wake = Promise.withResolvers<void>();
  #watcher: FSWatcher | undefined;
  #isClosed = false;
  #statusUpdate: Promise<void> | undefined;
  readonly #loop: Promise<void>;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#openSeq = options.log.committedSeq;
    this.#stopFollowing = options.log.follow(0, (events) => this.#onEvents(events));
    this.#loop = this.#run();
  }

  /** Resolves with the thread. */
  get location(): ThreadLocation | undefined {
    return this.#components?.context.location;
  }

  /** Resolves when the files are released, which a slow disk or another program's lock may delay after `close`. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Writes due messages as far as possible now; the rest at the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return await this.#loop;
    this.#isClosed = true;
    this.#caughtUp.resolve();
    this.#wake.resolve();
    const late = Promise.withResolvers<void>();
    const cancel = this.#clock.after(CLOSE_MS, () => late.resolve());
    void this.#loop.then(() => this.#finish()).then(() => this.#end.resolve());
    await Promise.race([this.ended, late.promise]);
    cancel();
    this.#components?.outgoing.stop();
    this.#stopFollowing();
    this.#watcher?.close();
  }

  async #finish(): Promise<void> {
    try {
      await this.#components?.outgoing.close();
    } catch {
      // The loop has reported the file error; the log has everything.
    }
    await this.#statusUpdate;
    await this.#components?.statusFiles.markAllIdle();
  }

  #onEvents(events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.#index.apply(event);
      if (event.seq <= this.#openSeq) continue;
      if (this.#components !== undefined) this.#components.outgoing.onEvent(event);
      else if (this.#early.length < EARLY_MAX) this.#early.push(event);
    }
    if (this.#index.seq >= this.#openSeq) this.#caughtUp.resolve();
    this.#wake.resolve();
  }

  async #run(): Promise<void> {
    await this.#caughtUp.promise;
    while (!this.#isClosed) {
      // A change during a pass must not be missed.
      this.#wake = Promise.withResolvers<void>();
      let waitMs = RETRY_MS;
      try {
        waitMs = await this.#pass();
      } catch (error) {
        this.#reportError(error);
      }
      if (this.#isClosed) return;
      const cancel = this.#clock.after(waitMs, this.#wake.resolve);
      if (waitMs === RETRY_MS) await this.#pauseUntilClosed(waitMs);
      else await this.#wake.promise;
      cancel();
    }
  }

  /** A failing tree is not retried at every event. */
  async #pauseUntilClosed(ms: number): Promise<void> {
    const over = this.#clock.monotonic() + ms;
    while (!this.#isClosed && this.#clock.monotonic() < over) {
      this.#wake = Promise.withResolvers<void>();
      const cancel = this.#clock.after(Math.max(1, over - this.#clock.monotonic()), this.#wake.resolve);
      await this.#wake.promise;
      cancel();
    }
  }

  /** Time until the next pass. */
  async #pass(): Promise<number> {
    this.#components ??= await this.#begin();
    for (const event of this.#early.splice(0)) this.#components.outgoing.onEvent(event);
    const { context, outgoing, incoming, speakers } = this.#components;
    await this.#writeMembers(context);
    await outgoing.pass();
    const scan = await scanThread(context.location.dir);
    await outgoing.makeRoom(scan);
    await speakers.readStreams(scan);
    await incoming.pass(scan);
    if (!incoming.isWaiting) speakers.show();
    this.#updateStatusFiles(this.#components.statusFiles);
    this.#warned.clear();
    if (incoming.isWaiting || speakers.isAnySpeaking) return ACTIVE_POLL_MS;
    return this.#watcher === undefined ? UNWATCHED_POLL_MS : POLL_MS;
  }

  async #begin(): Promise<MirrorComponents> {
    const { session, log, graceMs = GRACE_MS, flock } = this.#options;
    const { cwd } = session.transcript.head;
    const mirror = this.#index.mirror ?? {};
    const location = await findThreadLocation({ mirror, cwd, sessionId: session.sessionId });
    const { kd, branch, thread } = location;
    if (mirror.thread !== thread || mirror.kd !== kd || mirror.branch !== branch) {
      const settings = { mirror: { kd, branch, thread } };
      const ack = granted(await session.command({ type: "set_settings", commandId: newId(), settings }, CLIENT_ID));
      await this.#waitForSeq(ack.seq);
    }
    const warn = (sentence: string): void => this.#warn(sentence);
    const context: MirrorContext = {
      location,
      index: this.#index,
      session,
      blobs: log.blobs,
      clock: this.#clock,
      warn,
    };
    const config = await readTreeFile(path.join(kd, "config.json")).catch(() => undefined);
    const outgoing = new Outgoing(context, config);
    const speakers = new ExternalSpeakers(context);
    const isOurs = (file: string): boolean => outgoing.isOurs(file);
    const council = new Set(kingdom.councilOf(config));
    const incoming = new Incoming({ context, speakers, isOurs, graceMs, council });
    const statusFiles = new StatusFiles(context, config, flock);
    await cleanUpAfterCrash(location, session.sessionId);
    const hasOurs = [...this.#index.filesOf(thread).values()].some(({ isOurs }) => isOurs);
    const isCurrent = !location.isNew && (hasOurs || !(await isIncomplete(location)));
    await this.#writeMembers(context);
    if (!isCurrent) await statusFiles.makeCurrent();
    this.#watcher = this.#watchFiles(location.dir);
    return { context, outgoing, incoming, speakers, statusFiles };
  }

  async #writeMembers({ location, index }: Pick<MirrorContext, "location" | "index">): Promise<void> {
    if (this.#members === index.names.size && this.#components !== undefined) return;
    const owner = this.#options.session.sessionId;
    const isWritten = await writeThreadFile(location, {
      members: [...index.names.values()],
      createdTs: index.createdTs,
      owner,
    });
    this.#members = index.names.size;
    if (!isWritten)
      this.#warn(`${location.dir}/thread.json is damaged and was left as it is; kd may not list this thread.`);
  }

  /** Waits for locks of other programs, so it runs beside the loop. */
  #updateStatusFiles(statusFiles: StatusFiles): void {
    this.#statusUpdate ??= statusFiles.update().finally(() => (this.#statusUpdate = undefined));
  }

  async #waitForSeq(seq: number): Promise<void> {
    while (this.#index.seq < seq && !this.#isClosed) {
      await this.#wake.promise;
      if (!this.#isClosed) this.#wake = Promise.withResolvers<void>();
    }
  }

  #watchFiles(dir: string): FSWatcher | undefined {
    return watchDirectory(dir, {
      onChange: () => this.#wake.resolve(),
      onLost: (watcher) => {
        if (this.#watcher === watcher) this.#watcher = undefined;
      },
    });
  }

  #reportError(error: unknown): void {
    const known = error instanceof RoundtableError ? error : unusable(this.location?.dir ?? "the thread tree", error);
    this.#warn(known.hint === undefined ? known.message : `${known.message} ${known.hint}`);
  }

  #warn(message: string): void {
    if (this.#warned.has(message) || this.#warned.size >= WARNINGS_MAX) return;
    this.#warned.add(message);
    // The log has reported its own failure.
    this.#options.session.externalTurns.note({ type: "warning", code: "mirror", message }).catch(() => {});
  }
}
