/**
 * A session that this process holds: its lock, its log open for writing, its controller, and who needs it.
 * When nobody does and nothing runs for a while, it is closed and its lock freed for others.
 */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { EventLog, Lock } from "../../log/index.ts";
import type { Session } from "../../session/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import { MirrorSwitch } from "../mirror/mirror-switch.ts";
import type { SessionEnvironment } from "./environment.ts";
import { SharedFeed } from "../connections/shared-feed.ts";
import { createSummaryWriter, type SummaryWriter } from "./summary-file.ts";

/** Reopening costs little; an agent process that idles for nobody costs memory. */
export const SESSION_IDLE_MS = 60_000;

export interface LocalSessionDeps {
  dataDir: string;
  lock: Lock;
  log: EventLog;
  session: Session;
  clock: Clock;
  idleMs: number;
  onIdle: () => void;
  /** Done when the session is closed, under its lock; may reject. */
  recompress?: ((summary: SessionSummary) => Promise<void>) | undefined;
  /** What programs of its members are started with. */
  environment: SessionEnvironment;
  /** Makes what is written searchable until the returned function is called. */
  indexLog: (log: EventLog) => () => void;
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
  readonly #mirror: MirrorSwitch;
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
    // Real time, whatever clock governs the session: how often sockets are written is no decision about the session.
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
    this.#mirror = new MirrorSwitch({ session, log, hold: () => this.hold() });
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
   * A terminal has opened it: what is started from now on gets its environment, unless members are at work or a terminal
   * that was there before is still there. Call what is returned when it leaves.
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

  /** Called when the session is closed under those who use it, which happens only when it goes away as a whole. */
  onEnd(listener: (reason: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Tells everybody who has a place at the session that it ends here. */
  notifyEnd(reason: string): void {
    this.#hasEnded = true;
    for (const listener of this.#endListeners) listener(reason);
  }

  /** Everybody was told so; whoever comes later is told nothing. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether thread files are kept beside it, which others may write to at any time. */
  get isMirrored(): boolean {
    return this.#mirror.isOn;
  }

  summary(): SessionSummary {
    return summaryOf(this.session.transcript);
  }

  /** The lock is freed last, and always: nobody else may write before our log is closed, everybody may afterwards. */
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
        // What is not put away now stays as it is, and that is all.
        await this.#deps.recompress?.(this.summary()).catch(() => {});
        this.#deps.lock.release();
      }
    }
  }

  #watchIdle(inMs: number): void {
    const { clock, idleMs, onIdle, session } = this.#deps;
    this.#cancelIdle = clock.after(inMs, () => {
      const idleForMs = clock.monotonic() - this.#activeAt;
      const isWaiting = session.transcript.head.queue.length > 0;
      if (this.#holds > 0 || !session.isIdle || isWaiting) return this.#watchIdle(idleMs);
      if (idleForMs < idleMs) return this.#watchIdle(idleMs - idleForMs);
      onIdle();
    });
  }
}
