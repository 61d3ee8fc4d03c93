/**
 * The sessions that this process holds. Concurrent opens of a session share one, and an open waits for a close of the
 * same session.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { AgentFactory, ApprovalSource } from "../../agents/index.ts";
import { carriedEnvironment, type CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { acquireLock, hasSession, openFileLog, type Holder } from "../../log/index.ts";
import { RoundtableError, type ClientFrame } from "../../protocol/index.ts";
import {
  createSession,
  openSession,
  type Fork,
  type ForkRequest,
  type ListFiles,
  type Session,
  type WhyNotWritable,
} from "../../session/index.ts";
import { recompressOnClose } from "../maintenance/compress-session.ts";
import { assertComplete } from "../maintenance/incomplete-sessions.ts";
import { SessionEnvironment } from "./local-session.ts";
import type { LogFiles } from "./log-files.ts";
import { LocalSession, type LocalSessionDeps } from "./local-session.ts";
import { forkSession } from "./fork.ts";

/** Each open session holds a lock, a log and possibly agents. */
const OPEN_SESSIONS_MAX = 256;

export type Entry =
  | { readonly kind: "here"; readonly local: LocalSession; readonly release: () => void }
  | { readonly kind: "elsewhere"; readonly holder: Holder };

export type CreateFrame = Extract<ClientFrame, { frame: "create" }>;

export interface OpenSessionsOptions {
  dataDir: string;
  holder: Holder;
  agentFactory: AgentFactory;
  clock: Clock;
  approvals: ApprovalSource | undefined;
  listFiles: ListFiles;
  whyNotWritable: WhyNotWritable | undefined;
  idleMs: number;
  files: LogFiles | undefined;
  /** For sessions that no terminal has opened; by default that of this process. */
  environment: CarriedEnvironment | undefined;
  /** The session was written to, opened or closed. */
  onChange: (sessionId: string) => void;
  indexLog: LocalSessionDeps["indexLog"];
  loadMirror: LocalSessionDeps["loadMirror"];
}

export interface ExclusiveOptions {
  /** Reason given to subscribers of the session. */
  readonly notice: string;
  readonly mustExist: boolean;
}

export type ExclusiveResult<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "elsewhere"; readonly holder: Holder };

interface Opening {
  readonly check?: () => void;
  readonly variables?: CarriedEnvironment | undefined;
}

type Opened = { kind: "here"; local: LocalSession } | { kind: "elsewhere"; holder: Holder };
type Slot =
  | { state: "opening"; done: Promise<Opened> }
  | { state: "open"; local: LocalSession }
  | { state: "closing"; done: Promise<void> };

export class OpenSessions {
  readonly #options: OpenSessionsOptions;
  readonly #environment: CarriedEnvironment;
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  constructor(options: OpenSessionsOptions) {
    this.#options = options;
    this.#environment = options.environment ?? carriedEnvironment(process.env) ?? {};
  }

  /** The session if it is open here. */
  get(sessionId: string): LocalSession | undefined {
    const slot = this.#slots.get(sessionId);
    return slot?.state === "open" ? slot.local : undefined;
  }

  /** All sessions that are open here. */
  all(): LocalSession[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.state === "open" ? [slot.local] : []));
  }

  /** Whether a session is being opened, or an open one has a turn, queued message, request or mirror. */
  get hasWork(): boolean {
    return [...this.#slots.values()].some(
      (slot) =>
        slot.state === "opening" || (slot.state === "open" && (slot.local.isMirrored || isAtWork(slot.local.session))),
    );
  }

  /** Whether an open session has a turn, queued message or request. */
  get isAtWork(): boolean {
    return this.all().some(({ session }) => isAtWork(session));
  }

  /** Opens the session here, or returns its holder. The caller must call `release`. */
  async enter(sessionId: string): Promise<Entry> {
    for (;;) {
      if (this.#isClosed) throw closedError();
      const slot = this.#slots.get(sessionId);
      if (slot?.state === "open") return { kind: "here", local: slot.local, release: slot.local.hold() };
      if (slot?.state === "closing") {
        await slot.done;
        continue;
      }
      const opened = await (slot?.done ?? this.#fill(sessionId, () => this.#openExisting(sessionId)));
      if (opened.kind === "elsewhere") return opened;
    }
  }

  /** `environment` is that of the terminal that creates it. */
  async create(frame: Omit<CreateFrame, "frame" | "id">, environment?: CarriedEnvironment): Promise<string> {
    if (this.#isClosed) throw closedError();
    await checkDirectory(frame.cwd);
    const sessionId = newId();
    await this.#fill(sessionId, () =>
      this.#open(
        sessionId,
        (options) =>
          createSession({
            ...options,
            cwd: frame.cwd,
            title: frame.title,
            settings: frame.settings,
            members: frame.members,
          }),
        { variables: environment },
      ),
    );
    return sessionId;
  }

  /**
   * Runs `work` under the lock of a session that is idle here, after closing it; opens wait meanwhile. Returns the
   * holder when that is another process.
   */
  async runExclusive<T>(
    sessionId: string,
    options: ExclusiveOptions,
    work: () => Promise<T>,
  ): Promise<ExclusiveResult<T>> {
    for (;;) {
      if (this.#isClosed) throw closedError();
      const slot = this.#slots.get(sessionId);
      if (slot !== undefined && slot.state !== "open") {
        // Its caller gets the error.
        await Promise.allSettled([slot.done]);
        continue;
      }
      if (slot !== undefined && !slot.local.session.isIdle) throw atWorkError(sessionId);
      const done = this.#runUnderLock(slot?.local, sessionId, { ...options, work });
      this.#slots.set(sessionId, { state: "closing", done: done.then(ignore, ignore) });
      try {
        return await done;
      } finally {
        this.#slots.delete(sessionId);
        this.#options.onChange(sessionId);
      }
    }
  }

  /**
   * Runs `work` under the lock of a session that is open nowhere; opens wait meanwhile. Does nothing for any other
   * session.
   */
  async runIfFree(sessionId: string, work: () => Promise<void>): Promise<void> {
    if (this.#isClosed || this.#slots.has(sessionId)) return;
    const done = this.#runUnderLock(undefined, sessionId, { notice: "", mustExist: true, work });
    this.#slots.set(sessionId, { state: "closing", done: done.then(ignore, ignore) });
    await done.finally(() => this.#slots.delete(sessionId));
  }

  /** Resolves when a pending open of the session has finished or failed. */
  async settled(sessionId: string): Promise<void> {
    const slot = this.#slots.get(sessionId);
    if (slot?.state === "opening") await Promise.allSettled([slot.done]);
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#slots.keys()].map((sessionId) => this.#close(sessionId)));
  }

  async #fill(sessionId: string, open: () => Promise<Opened>): Promise<Opened> {
    const done = this.#slots.size < OPEN_SESSIONS_MAX ? open() : this.#closeLongestUnused().then(open);
    this.#slots.set(sessionId, { state: "opening", done });
    try {
      const opened = await done;
      if (opened.kind === "here") this.#slots.set(sessionId, { state: "open", local: opened.local });
      else this.#slots.delete(sessionId);
      this.#options.onChange(sessionId);
      return opened;
    } catch (error) {
      this.#slots.delete(sessionId);
      throw error;
    }
  }

  /** A program may use hundreds of sessions one after the other within the time after which an unused one is closed. */
  #closeLongestUnused(): Promise<void> {
    const unused = this.all().filter((local) => local.isUnused);
    const [longest] = unused.toSorted((one, other) => one.activeAt - other.activeAt);
    if (longest === undefined) {
      throw new RoundtableError("busy", `Too many sessions are in use in this process (limit ${OPEN_SESSIONS_MAX}).`, {
        hint: "Close some of them, or start another process.",
      });
    }
    // Even then its lock is released, and the next open recovers the rest.
    return this.#close(longest.log.sessionId).catch(ignore);
  }

  async #openExisting(sessionId: string): Promise<Opened> {
    this.#assertExists(sessionId);
    // It may be deleted while we wait for its lock; opening its log would then create an empty one.
    return this.#open(sessionId, (options) => this.#openComplete(options), {
      check: () => this.#assertExists(sessionId),
    });
  }

  async #openComplete(options: OpenSessionOptions): Promise<Session> {
    await assertComplete(this.#options.dataDir, options.log);
    return openSession(options);
  }

  #assertExists(sessionId: string): void {
    if (!hasSession(this.#options.dataDir, sessionId)) {
      throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
    }
  }

  async #runUnderLock<T>(
    local: LocalSession | undefined,
    sessionId: string,
    { notice, mustExist, work }: ExclusiveOptions & { work: () => Promise<T> },
  ): Promise<ExclusiveResult<T>> {
    const { dataDir, holder, clock } = this.#options;
    if (mustExist) this.#assertExists(sessionId);
    local?.notifyEnd(notice);
    await local?.close();
    const lock = await acquireLock({ dataDir, sessionId, holder, clock });
    if ("heldBy" in lock) return { kind: "elsewhere", holder: lock.heldBy };
    try {
      if (mustExist) this.#assertExists(sessionId);
      return { kind: "done", result: await work() };
    } finally {
      lock.release();
    }
  }

  async #open(
    sessionId: string,
    makeSession: (options: OpenSessionOptions) => Promise<Session>,
    { check = () => {}, variables = this.#environment }: Opening,
  ): Promise<Opened> {
    const environment = new SessionEnvironment(variables);
    const agentFactory: AgentFactory = (spec, setup) =>
      this.#options.agentFactory(spec, { ...setup, environment: { variables: environment.variables } });
    const { dataDir, holder, clock, approvals, listFiles, whyNotWritable, idleMs, files } = this.#options;
    const { indexLog, loadMirror } = this.#options;
    const onChange = () => this.#options.onChange(sessionId);
    const lock = await acquireLock({ dataDir, sessionId, holder, clock });
    if ("heldBy" in lock) return { kind: "elsewhere", holder: lock.heldBy };
    try {
      check();
      const recompress = recompressOnClose(dataDir, sessionId);
      const log = await openFileLog({ dataDir, sessionId, clock, ...(files === undefined ? {} : { files }) });
      try {
        const fork: Fork = (request) => this.#fork(request);
        const given = { approvals, listFiles, whyNotWritable, fork, onChange };
        const session = await makeSession({ log, agentFactory, clock, ...given });
        // The lock is released even if closing fails, and the next open recovers the rest.
        const onIdle = () => void this.#close(sessionId).catch(() => {});
        const deps = { dataDir, lock, log, session, clock, idleMs, onIdle, recompress, environment };
        return { kind: "here", local: new LocalSession({ ...deps, indexLog, loadMirror }) };
      } catch (error) {
        await log.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async #fork(request: ForkRequest): Promise<string> {
    const { dataDir, holder, clock, files } = this.#options;
    const sessionId = await forkSession({ dataDir, holder, clock, files, ...request });
    this.#options.onChange(sessionId);
    return sessionId;
  }

  async #close(sessionId: string): Promise<void> {
    const slot = this.#slots.get(sessionId);
    if (slot === undefined) return;
    if (slot.state === "closing") return slot.done;
    if (slot.state === "opening") {
      // A session that fails to open has nothing to close; its caller gets the error.
      await slot.done.catch(() => {});
      return this.#close(sessionId);
    }
    const done = slot.local.close().finally(() => {
      this.#slots.delete(sessionId);
      this.#options.onChange(sessionId);
    });
    this.#slots.set(sessionId, { state: "closing", done });
    return done;
  }
}

function isAtWork({ isIdle, transcript: { head } }: Session): boolean {
  return !isIdle || head.queue.length > 0 || head.requests.length > 0;
}

type OpenSessionOptions = Parameters<typeof openSession>[0];

function closedError(): RoundtableError {
  return new RoundtableError("closed", "This process is shutting down.");
}

async function checkDirectory(cwd: string): Promise<void> {
  const stats = path.isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined;
  if (stats?.isDirectory()) return;
  throw new RoundtableError("bad_command", `${JSON.stringify(cwd)} is not a directory.`, {
    hint: "Use the absolute path of an existing directory.",
  });
}

function atWorkError(sessionId: string): RoundtableError {
  return new RoundtableError("busy", `Session ${sessionId} is busy.`, {
    hint: "Stop the running turns or wait for them to end, then try again.",
  });
}

function ignore(): void {}
