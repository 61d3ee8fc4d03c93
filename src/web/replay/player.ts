/** Where a replay stands and how it moves: by itself at a speed, by steps, or wherever somebody drags it. */
import type { SessionEvent } from "../../protocol/index.ts";
import type { Recording } from "./recording.ts";
import { createTimeline, type Timeline } from "./timeline.ts";

export const SPEEDS = [1, 4, 16] as const;
export type Speed = (typeof SPEEDS)[number];

/** A longer frame is one in which nobody looked: it does not count. */
const FRAME_MS_MAX = 250;

export interface PlayerState {
  /** How many events are shown. */
  readonly step: number;
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly ms: number;
}

export class Player {
  readonly timeline: Timeline;
  readonly #recording: Recording;
  readonly #onChange: (state: PlayerState) => void;
  #state: PlayerState;
  #frame = 0;

  constructor(recording: Recording, onChange: (state: PlayerState) => void) {
    this.#recording = recording;
    this.#onChange = onChange;
    this.timeline = createTimeline(recording.length, (step) => recording.eventAt(step)?.ts ?? 0);
    this.#state = { step: recording.length, isPlaying: false, speed: 1, ms: this.timeline.totalMs };
  }

  get state(): PlayerState {
    return this.#state;
  }

  get length(): number {
    return this.#recording.length;
  }

  get userSteps(): readonly number[] {
    return this.#recording.userSteps;
  }

  /** Where the session stood when it was read. */
  get lastSeq(): number {
    return this.#recording.eventAt(this.length)?.seq ?? 0;
  }

  /** The event that is shown last at this step; undefined before the first. */
  eventAt(step: number): SessionEvent | undefined {
    return this.#recording.eventAt(step);
  }

  /** From the beginning, when it stands at the end. */
  play(): void {
    if (this.#state.isPlaying) return;
    if (this.#state.step >= this.length) this.#set({ step: 0, ms: 0 });
    this.#set({ isPlaying: true });
    let before = performance.now();
    const turn = (now: number): void => {
      const passedMs = Math.min(Math.max(0, now - before), FRAME_MS_MAX);
      before = now;
      this.#advance(passedMs * this.#state.speed);
      if (this.#state.isPlaying) this.#frame = requestAnimationFrame(turn);
    };
    this.#frame = requestAnimationFrame(turn);
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    if (this.#state.isPlaying) this.#set({ isPlaying: false });
  }

  setSpeed(speed: Speed): void {
    this.#set({ speed });
  }

  /** Wherever it goes by hand, it stays there. */
  goTo(step: number): void {
    this.pause();
    const next = Math.min(Math.max(Math.round(step), 0), this.length);
    this.#set({ step: next, ms: this.timeline.timeAt(next) });
  }

  goBy(steps: number): void {
    this.goTo(this.#state.step + steps);
  }

  /** To the next message of a user, or the one before; to the end when there is none. */
  goToUser(direction: 1 | -1): void {
    const { step } = this.#state;
    const { userSteps } = this.#recording;
    const found = direction === 1 ? userSteps.find((one) => one > step) : userSteps.findLast((one) => one < step);
    this.goTo(found ?? (direction === 1 ? this.length : 0));
  }

  #advance(ms: number): void {
    const next = Math.min(this.#state.ms + ms, this.timeline.totalMs);
    const step = Math.max(this.#state.step, this.timeline.stepAt(next));
    this.#set({ ms: next, step, isPlaying: step < this.length });
  }

  #set(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange(this.#state);
  }
}
