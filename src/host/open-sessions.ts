/**
 * The sessions this process holds, and the way in. Opening is done once however many ask at the same time, and never
 * while the same session is still closing.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { AgentFactory, ApprovalSource } from "../agents/index.ts";
import type { Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import { acquireLock, openFileLog, sessionPaths, type Holder, type OpenLogOptions } from "../log/index.ts";
import { RoundtableError, type ClientFrame } from "../protocol/index.ts";
import { createSession, openSession, type ListFiles, type Session } from "../session/index.ts";
import { refuseWhileArchived } from "./archived-session.ts";
import { LocalSession } from "./local-session.ts";

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
  idleMs: number;
  files: LogFiles | undefined;
  /** Something was written to this session, or it was opened or closed. */
  onChange: (sessionId: string) => void;
}

export type LogFiles = NonNullable<OpenLogOptions["files"]>;

type Opened = { kind: "here"; local: LocalSession } | { kind: "elsewhere"; holder: Holder };
type Slot =
  | { state: "opening"; done: Promise<Opened> }
  | { state: "open"; local: LocalSession }
  | { state: "closing"; done: Promise<void> };

export class OpenSessions {
  readonly #options: OpenSessionsOptions;
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  constructor(options: OpenSessionsOptions) {
    this.#options = options;
  }

  /** The session if it is open here now; opens nothing. */
  get(sessionId: string): LocalSession | undefined {
    const slot = this.#slots.get(sessionId);
    return slot?.state === "open" ? slot.local : undefined;
  }

  /** The sessions that are open here now. */
  all(): LocalSession[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.state === "open" ? [slot.local] : []));
  }

  /** Whether a session is being opened, or one that is open here has a turn, a message, a request or a mirror. */
  get hasWork(): boolean {
    return [...this.#slots.values()].some(
      (slot) =>
        slot.state === "opening" || (slot.state === "open" && (slot.local.isMirrored || isAtWork(slot.local.session))),
    );
  }

  /** Opens the session here, or says who holds it. The caller ends its hold by `release`. */
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

  async create(frame: Omit<CreateFrame, "frame" | "id">): Promise<string> {
    if (this.#isClosed) throw closedError();
    await checkDirectory(frame.cwd);
    const sessionId = newId();
    await this.#fill(sessionId, () =>
      this.#open(sessionId, (parts) =>
        createSession({
          ...parts,
          cwd: frame.cwd,
          title: frame.title,
          settings: frame.settings,
          members: frame.members,
        }),
      ),
    );
    return sessionId;
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#slots.keys()].map((sessionId) => this.#close(sessionId)));
  }

  async #fill(sessionId: string, open: () => Promise<Opened>): Promise<Opened> {
    if (this.#slots.size >= OPEN_SESSIONS_MAX) {
      throw new RoundtableError("busy", `This process already holds ${OPEN_SESSIONS_MAX} sessions.`, {
        hint: "Close some of them, or start another process.",
      });
    }
    const done = open();
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

  async #openExisting(sessionId: string): Promise<Opened> {
    const { log } = sessionPaths(this.#options.dataDir, sessionId);
    if (!(await isFile(log))) throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
    return this.#open(sessionId, openSession);
  }

  async #open(sessionId: string, makeSession: (parts: SessionParts) => Promise<Session>): Promise<Opened> {
    const { dataDir, holder, agentFactory, clock, approvals, listFiles, idleMs, files } = this.#options;
    const onChange = () => this.#options.onChange(sessionId);
    const lock = await acquireLock({ dataDir, sessionId, holder });
    if ("heldBy" in lock) return { kind: "elsewhere", holder: lock.heldBy };
    try {
      const log = await openFileLog({ dataDir, sessionId, clock, ...(files === undefined ? {} : { files }) });
      try {
        const session = refuseWhileArchived(
          await makeSession({ log, agentFactory, clock, approvals, listFiles, onChange }),
        );
        // Whatever fails while closing, the lock is free afterwards, and the next open recovers what is missing.
        const onIdle = () => void this.#close(sessionId).catch(() => {});
        return { kind: "here", local: new LocalSession({ dataDir, lock, log, session, clock, idleMs, onIdle }) };
      } catch (error) {
        await log.close();
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async #close(sessionId: string): Promise<void> {
    const slot = this.#slots.get(sessionId);
    if (slot === undefined) return;
    if (slot.state === "closing") return slot.done;
    if (slot.state === "opening") {
      // A session that fails to open has nothing to close; whoever asked for it is told.
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

type SessionParts = Parameters<typeof openSession>[0];

function closedError(): RoundtableError {
  return new RoundtableError("closed", "This process is shutting down.");
}

async function checkDirectory(cwd: string): Promise<void> {
  const found = path.isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined;
  if (found?.isDirectory()) return;
  throw new RoundtableError("bad_command", `${JSON.stringify(cwd)} is not a directory.`, {
    hint: "Give the absolute path of a directory that exists.",
  });
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() ?? false;
}
