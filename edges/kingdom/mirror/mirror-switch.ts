/** Turns the mirror of an open session on and off as its settings say. */
import type { MirrorDeps, OpenMirror } from "../../../src/host/index.ts";
import { cleanUpInterruptedMirror } from "./interrupted-mirror.ts";
import { Mirror, type MirrorOptions } from "./mirror.ts";

export const openMirror: OpenMirror = (deps) => new MirrorSwitch(deps);

export interface MirrorSwitchOptions extends MirrorDeps, Pick<MirrorOptions, "clock" | "graceMs" | "flock"> {}

export class MirrorSwitch {
  readonly #options: MirrorSwitchOptions;
  readonly #stopFollowing: () => void;
  #mirror: Mirror | undefined;
  #release: (() => void) | undefined;
  #thread: string | undefined;
  #work: Promise<void> = Promise.resolve();
  /** Of the mirror before: two at once would take each other's files for another program's. */
  #ended: Promise<void> = Promise.resolve();
  readonly #closed = Promise.withResolvers<void>();

  constructor(options: MirrorSwitchOptions) {
    this.#options = options;
    const { log } = options;
    // Switched off, and perhaps cut before it had left.
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

  /** The mirror itself writes the thread it has chosen; that is no reason to restart it. */
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
