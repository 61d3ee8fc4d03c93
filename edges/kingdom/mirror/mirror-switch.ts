/** Starts and stops the mirror of an open session according to its settings. */
import path from "node:path";
import type { MirrorDeps, OpenMirror } from "../../../src/host/index.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { ThreadMirror } from "../../../src/protocol/index.ts";
import * as kingdom from "../format/kingdom.ts";
import { cleanUpAfterCrash } from "./crash-cleanup.ts";
import { Mirror, type MirrorOptions } from "./mirror.ts";
import { StatusFiles } from "./status-files.ts";
import type { ThreadLocation } from "./thread-location.ts";

export const openMirror: OpenMirror = (deps) => new MirrorSwitch(deps);

export interface MirrorSwitchOptions extends MirrorDeps, Pick<MirrorOptions, "clock" | "graceMs" | "flock"> {}

export class MirrorSwitch {
  readonly #options: MirrorSwitchOptions;
  readonly #stopFollowing: () => void;
  #mirror: Mirror | undefined;
  #release: (() => void) | undefined;
  #thread: string | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Closing of the previous mirror: two at once would treat each other's files as another program's. */
  #ended: Promise<void> = Promise.resolve();
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: MirrorSwitchOptions) {
    this.#options = options;
    const { log } = options;
    // Off, and possibly crashed before it had cleaned up.
    if (options.session.transcript.head.settings?.mirror === null) this.#work = cleanUpInterruptedMirror(options);
    else this.#set();
    this.#stopFollowing = log.follow(log.committedSeq, (events) => {
      const changes = events.some((event) => event.type === "settings_changed" && event.settings.mirror !== undefined);
      if (changes) this.#set();
    });
  }

  get isOn(): boolean {
    return this.#mirror !== undefined;
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    this.#closed.resolve();
    await this.#work;
    await this.#stop();
  }

  #set(): void {
    this.#work = this.#work.then(() => this.#follow());
  }

  /** The mirror itself stores the thread it has chosen; that must not restart it. */
  async #follow(): Promise<void> {
    const { mirror } = this.#options.session.transcript.head.settings ?? {};
    if (mirror === undefined || mirror === null) return await this.#stop();
    const chosen = this.#mirror?.location?.thread ?? this.#thread;
    if (this.#mirror !== undefined && (chosen === undefined || chosen === mirror.thread)) {
      this.#thread = mirror.thread;
      return;
    }
    await this.#stop();
    const isOver = await Promise.race([this.#ended.then(() => false), this.#closed.promise.then(() => true)]);
    if (isOver) return;
    this.#thread = mirror.thread;
    const { hold, ...rest } = this.#options;
    this.#release = hold();
    this.#mirror = new Mirror(rest);
  }

  async #stop(): Promise<void> {
    const mirror = this.#mirror;
    this.#mirror = undefined;
    this.#thread = undefined;
    if (mirror !== undefined) this.#ended = mirror.ended;
    await mirror?.close();
    this.#release?.();
    this.#release = undefined;
  }
}

/**
 * Cleans up after a mirror that crashed while being switched off. Never rejects: a missing or damaged tree is ignored.
 */
async function cleanUpInterruptedMirror({ session, log, clock = systemClock, flock }: MirrorOptions): Promise<void> {
  const index = new kingdom.ThreadIndex();
  let last: ThreadMirror | undefined;
  try {
    for await (const events of log.read(0)) {
      for (const event of events) {
        index.apply(event);
        last = index.mirror ?? last;
      }
    }
    const location = last === undefined ? undefined : locationOf(last);
    if (location === undefined) return;
    await cleanUpAfterCrash(location, session.sessionId);
    await new StatusFiles({ location, index, clock, session, warn: () => {} }, undefined, flock).markAllIdle();
  } catch {
    // Files that cannot be read or removed stay; the mirror is off.
  }
}

/** Undefined when it crashed before it had chosen. */
function locationOf({ kd, branch, thread }: ThreadMirror): ThreadLocation | undefined {
  if (kd === undefined || branch === undefined || thread === undefined) return undefined;
  const branchDir = path.join(kd, "branches", kingdom.normaliseName(branch));
  return { kd, branch, thread, branchDir, dir: path.join(branchDir, "threads", thread), isNew: false };
}
