/** The state of a replay: what the views of the live page read, kept apart from it. */
import { createFrames } from "../store/frames.ts";
import type { AppState } from "../store/app-state.ts";
import type { Transcript } from "../../transcript/index.ts";

export interface ReplayState {
  readonly get: () => AppState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Told a frame later at most, as the live page does. */
  show(transcript: Transcript): void;
  patch(change: Partial<AppState>): void;
  forget(name: "targetSeq" | "comparing" | "viewing"): void;
  /** What goes wrong is said where the person looks; true when all went well. */
  guarded(work: () => Promise<unknown>): Promise<boolean>;
}

export function createReplayState(live: AppState): ReplayState {
  const listeners = new Set<() => void>();
  const { targetSeq: _target, transcript: _now, comparing: _open, viewing: _view, noteAction: _act, ...rest } = live;
  let state: AppState = { ...rest, pending: [], problem: "", note: "" };
  const frames = createFrames(notify);

  function notify(): void {
    for (const listener of listeners) listener();
  }

  function patch(change: Partial<AppState>): void {
    state = { ...state, ...change };
    notify();
  }

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    show(transcript) {
      state = { ...state, transcript };
      frames.ask();
    },
    patch,
    forget(name) {
      const { [name]: _gone, ...others } = state;
      state = others;
      notify();
    },
    async guarded(work) {
      try {
        await work();
        patch({ problem: "" });
        return true;
      } catch (error) {
        patch({ problem: error instanceof Error ? error.message : String(error) });
        return false;
      }
    },
  };
}
