/**
 * Files of another system that an edge keeps beside a session. Its code is loaded when the settings of a session first
 * have a mirror; from then on it follows the settings.
 */
import type { EventLog } from "../../log/index.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import type { Session } from "../../session/index.ts";

export interface MirrorDeps {
  readonly session: Session;
  readonly log: EventLog;
  /** Keeps the session open until the returned function is called. */
  readonly hold: () => () => void;
}

/** Called for a session whose settings have a mirror, or had one. Follows `settings.mirror` until it is closed. */
export type OpenMirror = (deps: MirrorDeps) => Mirror;
export type LoadMirror = () => Promise<OpenMirror>;

export interface Mirror {
  /** Other programs may write to its files at any time, so the session stays open. */
  readonly isOn: boolean;
  /** Writes pending changes; called before the session is closed, under its lock. */
  close(): Promise<void>;
}

const NO_MIRROR = "This build of Roundtable cannot mirror sessions, so no thread files are written.";

export class SessionMirror implements Mirror {
  readonly #deps: MirrorDeps;
  readonly #load: LoadMirror | undefined;
  readonly #stopFollowing: () => void;
  #mirror: Mirror | undefined;
  #opening: Promise<void> | undefined;
  #isOpening = false;
  #isClosed = false;

  constructor(deps: MirrorDeps, load: LoadMirror | undefined) {
    this.#deps = deps;
    this.#load = load;
    const { log } = deps;
    this.#stopFollowing = log.follow(log.committedSeq, (events) => {
      if (events.some((event) => event.type === "settings_changed" && event.settings.mirror != null)) this.#open();
    });
    if (deps.session.transcript.head.settings?.mirror !== undefined) this.#open();
  }

  get isOn(): boolean {
    return this.#isOpening || this.#mirror?.isOn === true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing();
    await this.#opening;
    await this.#mirror?.close();
  }

  #open(): void {
    this.#opening ??= this.#loadAndOpen();
  }

  async #loadAndOpen(): Promise<void> {
    const { session, hold } = this.#deps;
    const release = hold();
    this.#isOpening = true;
    try {
      const open = await this.#load?.();
      if (this.#isClosed) return;
      this.#mirror = open?.(this.#deps);
      if (open === undefined && session.transcript.head.settings?.mirror != null) this.#warn(NO_MIRROR);
    } catch (error) {
      this.#warn(`The mirror cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#isOpening = false;
      release();
    }
  }

  #warn(message: string): void {
    // A log that cannot be written reports that itself.
    this.#deps.session.externalTurns.note({ type: "warning", code: "mirror", message }).catch(() => {});
  }
}

export interface ResumeMirrorsDeps {
  readonly enter: (sessionId: string) => Promise<{ readonly kind: string; readonly release?: () => void }>;
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  readonly warn: (sentence: string) => void;
}

/**
 * Opens all mirrored sessions after a restart, one after another: each continues its mirror, which then holds it. A
 * session that another process holds is mirrored by that process. Never rejects.
 */
export async function resumeMirrors({ enter, listSessions, warn }: ResumeMirrorsDeps): Promise<void> {
  const warnAbout = (what: string) => (error: unknown) =>
    warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  const sessions = await listSessions().catch(warnAbout("cannot list sessions, so none is mirrored"));
  for (const { sessionId, mirrored, archived } of sessions ?? []) {
    if (mirrored !== true || archived) continue;
    const entry = await enter(sessionId).catch(warnAbout(`session ${sessionId} is not mirrored`));
    entry?.release?.();
  }
}
