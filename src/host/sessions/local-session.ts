/**
 * A session that this process holds: its lock, its log open for writing, its controller, and the holds on it.
 * Without holds and activity for a while it is closed, and its lock is released.
 */
import { type CarriedEnvironment, isSameEnvironment } from "../../kit/carried-environment.ts";
import { type Clock, systemClock } from "../../kit/clock.ts";
import type { EventLog, Lock } from "../../log/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import type { Session } from "../../session/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { SharedFeed } from "../connections/shared-feed.ts";
import { SessionMirror, type LoadMirror } from "./session-mirror.ts";
import { createSummaryWriter, type SummaryWriter } from "./summary-file.ts";

/** Reopening is cheap; an idle agent process costs memory. */
export const SESSION_IDLE_MS = 60_000;

export interface LocalSessionDeps {
  dataDir: string;
  lock: Lock;
  log: EventLog;
  session: Session;
  clock: Clock;
  idleMs: number;
  onIdle: () => void;
  /** Called when the session is closed, under its lock; may reject. */
  recompress?: ((summary: SessionSummary) => Promise<void>) | undefined;
  /** Environment of its members' programs. */
  environment: SessionEnvironment;
  /** Indexes the log for search until the returned function is called. */
  indexLog: (log: EventLog) => () => void;
  /** Absent: sessions are not mirrored. */
  loadMirror?: LoadMirror | undefined;
}

export class LocalSession {
  readonly log: EventLog;
  readonly session: Session;
  /** The log as clients follow it. */
  readonly feed: SharedFeed;
  readonly #deps: LocalSessionDeps;
  readonly #summary: SummaryWriter;
  readonly #stopFollowing: () => void;
  readonly #stopIndexing: () => void;
  readonly #mirror: SessionMirror;
  #holds = 0;
  #activeAt: number;
  #cancelIdle: (() => void) | undefined;
  readonly #endListeners = new Set<(reason: string) => void>();
  #hasEnded = false;

  constructor(deps: LocalSessionDeps) {
    const { log, session, dataDir, clock } = deps;
    this.#deps = deps;
    this.log = log;
    this.session = session;
    // Real time, whatever clock the session uses: it only paces socket writes.
    this.feed = new SharedFeed(log, systemClock);
    this.#activeAt = clock.monotonic();
    this.#summary = createSummaryWriter({
      dataDir,
      sessionId: log.sessionId,
      summarize: () => this.summary(),
      clock,
    });
    this.#summary.touch();
    this.#stopFollowing = log.follow(log.committedSeq, () => {
      this.#activeAt = clock.monotonic();
      this.#summary.touch();
    });
    this.#stopIndexing = deps.indexLog(log);
    this.#mirror = new SessionMirror({ session, log, hold: () => this.hold() }, deps.loadMirror);
    this.#watchIdle(deps.idleMs);
  }

  /** Keeps the session open until the returned function is called. */
  hold(): () => void {
    let isHeld = true;
    this.#holds += 1;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#activeAt = this.#deps.clock.monotonic();
    };
  }

  /**
   * A terminal has opened the session: programs started from now on get its environment, unless members are working or
   * another terminal is still connected. Call the returned function when the terminal leaves.
   */
  openedFrom(environment: CarriedEnvironment): () => void {
    const { session } = this.#deps;
    const own = this.#deps.environment;
    const hasWork = !session.isIdle || session.transcript.head.queue.length > 0;
    if (own.terminals === 0 && !hasWork && own.replace(environment)) session.renewAgents();
    own.terminals += 1;
    return () => {
      own.terminals -= 1;
    };
  }

  /** Called when the session is closed while in use, such as when it is deleted. */
  onEnd(listener: (reason: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Tells all endpoints that the session is closed here. */
  notifyEnd(reason: string): void {
    this.#hasEnded = true;
    for (const listener of this.#endListeners) listener(reason);
  }

  /** The end was announced; later listeners are not called. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it has files that other programs may write to at any time. */
  get isMirrored(): boolean {
    return this.#mirror.isOn;
  }

  /** Nobody holds it, and nothing runs or waits in it: it can be closed at any time. */
  get isUnused(): boolean {
    const { session } = this.#deps;
    return this.#holds === 0 && session.isIdle && session.transcript.head.queue.length === 0;
  }

  /** When it was last written to or let go, on the monotonic clock. */
  get activeAt(): number {
    return this.#activeAt;
  }

  summary(): SessionSummary {
    return summaryOf(this.session.transcript);
  }

  /** The lock is released last, and always: no other process may write before our log is closed. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    this.#stopFollowing();
    await this.#mirror.close();
    try {
      await this.session.close();
    } finally {
      try {
        await this.log.close();
      } finally {
        this.feed.close();
        this.#stopIndexing();
        await this.#summary.close();
        // On failure the log stays uncompressed.
        await this.#deps.recompress?.(this.summary()).catch(() => {});
        this.#deps.lock.release();
      }
    }
  }

  #watchIdle(inMs: number): void {
    const { clock, idleMs, onIdle } = this.#deps;
    this.#cancelIdle = clock.after(inMs, () => {
      const idleForMs = clock.monotonic() - this.#activeAt;
      if (!this.isUnused) return this.#watchIdle(idleMs);
      if (idleForMs < idleMs) return this.#watchIdle(idleMs - idleForMs);
      onIdle();
    });
  }
}

/** Environment variables of a session's programs, in memory only. */
export class SessionEnvironment {
  variables: CarriedEnvironment;
  /** Number of connected terminals. */
  terminals = 0;

  constructor(variables: CarriedEnvironment) {
    this.variables = variables;
  }

  /** False when nothing changes. */
  replace(variables: CarriedEnvironment): boolean {
    if (isSameEnvironment(this.variables, variables)) return false;
    this.variables = variables;
    return true;
  }
}
