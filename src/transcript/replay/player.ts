/** State of a replay: plays at a speed, in steps, or jumps to any position. */
import type { SessionEvent } from "../../protocol/index.ts";
import { type Recording, createTimeline, type Timeline } from "./recording.ts";

/** A longer frame means that the page was hidden; it does not count. */
const FRAME_MS_MAX = 250;

/** Calls back before the next frame, with the time; the returned function cancels. */
export type NextFrame = (draw: (nowMs: number) => void) => () => void;

export interface PlayerState {
  /** Number of events shown. */
  readonly step: number;
  readonly isPlaying: boolean;
  readonly speed: number;
  readonly ms: number;
}

export interface PlayerOptions {
  readonly recording: Recording;
  readonly onChange: (state: PlayerState) => void;
  readonly nextFrame: NextFrame;
  readonly speed?: number;
}

/** Starts at the end. */
export class Player {
  readonly timeline: Timeline;
  readonly #options: PlayerOptions;
  readonly #recording: Recording;
  #state: PlayerState;
  #cancelFrame: () => void = () => {};

  constructor(options: PlayerOptions) {
    const { recording, speed = 1 } = options;
    this.#options = options;
    this.#recording = recording;
    this.timeline = createTimeline(recording.length, (step) => recording.eventAt(step)?.ts ?? 0);
    this.#state = { step: recording.length, isPlaying: false, speed, ms: this.timeline.totalMs };
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

  /** Head of the session when it was read. */
  get lastSeq(): number {
    return this.#recording.eventAt(this.length)?.seq ?? 0;
  }

  /** The last event shown at this step; undefined before the first. */
  eventAt(step: number): SessionEvent | undefined {
    return this.#recording.eventAt(step);
  }

  /** Starts over when it is at the end. */
  play(): void {
    if (this.#state.isPlaying) return;
    if (this.#state.step >= this.length) this.#set({ step: 0, ms: 0 });
    this.#set({ isPlaying: true });
    let before: number | undefined;
    const turn = (nowMs: number): void => {
      const passedMs = Math.min(Math.max(0, nowMs - (before ?? nowMs)), FRAME_MS_MAX);
      before = nowMs;
      this.#advance(passedMs * this.#state.speed);
      if (this.#state.isPlaying) this.#cancelFrame = this.#options.nextFrame(turn);
    };
    this.#cancelFrame = this.#options.nextFrame(turn);
  }

  pause(): void {
    this.#cancelFrame();
    if (this.#state.isPlaying) this.#set({ isPlaying: false });
  }

  toggle(): void {
    if (this.#state.isPlaying) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.#set({ speed });
  }

  /** Jumps and pauses. */
  goTo(step: number): void {
    this.pause();
    const next = Math.min(Math.max(Math.round(step), 0), this.length);
    this.#set({ step: next, ms: this.timeline.timeAt(next) });
  }

  goBy(steps: number): void {
    this.goTo(this.#state.step + steps);
  }

  /** Moves by this much shown time. */
  goByTime(ms: number): void {
    const wanted = Math.max(0, this.#state.ms + ms);
    this.goTo(wanted === 0 ? 0 : this.timeline.stepAt(wanted));
  }

  /** Jumps to the state at this seq. */
  goToSeq(seq: number): void {
    this.goTo(this.#recording.stepOf(seq));
  }

  /** Jumps to the next or previous user message, or to the end when there is none. */
  goToUser(direction: 1 | -1): void {
    const { step } = this.#state;
    const { userSteps } = this.#recording;
    const target = direction === 1 ? userSteps.find((one) => one > step) : userSteps.findLast((one) => one < step);
    this.goTo(target ?? (direction === 1 ? this.length : 0));
  }

  #advance(ms: number): void {
    const next = Math.min(this.#state.ms + ms, this.timeline.totalMs);
    const step = Math.max(this.#state.step, this.timeline.stepAt(next));
    this.#set({ ms: next, step, isPlaying: step < this.length });
  }

  #set(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onChange(this.#state);
  }
}
