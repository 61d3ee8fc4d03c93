/**
 * State of the store: ok, slow, full or read-only, and what happened while it failed. Notifies listeners on every
 * change.
 */
import type { StoreState } from "../../protocol/index.ts";
import type { StoreReport } from "../event-log.ts";
import { errorCodeOf, noSpaceReason } from "../../kit/files/system-error.ts";

export interface Episode {
  readonly fromTs: number;
  readonly reason: string;
  readonly dropped: number;
}

export class Health {
  state: StoreState = "ok";
  message = "";
  dropped = 0;
  readonly #backlogBytes: () => number;
  readonly #listeners = new Set<(report: StoreReport) => void>();
  #episode: { fromTs: number; reason: string } | undefined;
  #slowSince: number | undefined;

  constructor(backlogBytes: () => number) {
    this.#backlogBytes = backlogBytes;
  }

  get isFailing(): boolean {
    return this.#episode !== undefined;
  }

  get report(): StoreReport {
    const { state, message, dropped } = this;
    return { state, message, backlogBytes: this.#backlogBytes(), dropped };
  }

  onChange(listener: (report: StoreReport) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  fail(error: unknown, now: number): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#episode ??= { fromTs: now, reason };
    const lack = noSpaceReason(error);
    if (lack === undefined) return this.#change("read-only", `The log cannot be written. ${reason}`);
    this.#change("full", `T${lack.slice(1)}; waiting for space.${errorCodeOf(error) === "EDQUOT" ? "" : ` ${reason}`}`);
  }

  slow(now: number): void {
    if (this.dropped === 0) this.#slowSince = now;
    if (!this.isFailing) this.#change("slow", "The disk is slow; events are waiting to be written.");
  }

  notSlow(): void {
    if (!this.isFailing) this.#change("ok", "");
  }

  /** Ends the episode and returns it for the log to record. */
  recover(): Episode {
    const episode = { ...(this.#episode ?? this.#slowEpisode), dropped: this.dropped };
    this.#episode = undefined;
    this.#slowSince = undefined;
    this.dropped = 0;
    this.#change("ok", "");
    return episode;
  }

  get #slowEpisode(): { fromTs: number; reason: string } {
    return { fromTs: this.#slowSince ?? 0, reason: "The disk was too slow." };
  }

  #change(state: StoreState, message: string): void {
    if (state === this.state && message === this.message) return;
    this.state = state;
    this.message = message;
    for (const listener of this.#listeners) listener(this.report);
  }
}
