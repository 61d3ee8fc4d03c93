/**
 * A store that shows a session as it was after some event, for the views of the live one. Changes are rejected with a
 * message.
 */
import type { Transcript } from "../../transcript/index.ts";
import type { AppState } from "../store/app-state.ts";
import { createFrames } from "../store/draw-in-steps.ts";
import { findSeq } from "../store/log-pages.ts";
import type { PageStore } from "../store/page-store.ts";
import { stateOfRoute } from "../store/route.ts";

const NOTE_MS = 6_000;

export interface ReplayStore {
  readonly store: PageStore;
  show(transcript: Transcript): void;
}

export function createReplayStore(live: PageStore): ReplayStore {
  const state = createReplayState(live.getState());
  let noteTimer: ReturnType<typeof setTimeout> | undefined;
  const isRefused = () => state.guarded(refuse);
  const nothing = async () => {};
  const store: PageStore = {
    client: live.client,
    speech: live.speech,
    subscribe: state.subscribe,
    getState: state.get,
    start: () => {},
    end: (reason) => live.end(reason),
    goTo(route) {
      if (route.sessionId !== state.get().sessionId || route.view === "replay") return live.goTo(route);
      state.forget("viewing");
      return state.patch(stateOfRoute(route));
    },
    targetReached: () => state.forget("target"),
    linkTo: (seq) => live.linkTo(seq),
    replaceRoute: () => {},
    setPanel: (panel) => live.setPanel(panel),
    openFile: (path, line) => live.openFile(path, line),
    chooseFolder: isRefused,
    rememberPlan: () => {},
    send: isRefused,
    command: refuse,
    tryCommand: isRefused,
    interrupt: isRefused,
    loadPage: nothing,
    positionOf: (seq) => findSeq(seq, () => state.get().transcript, nothing),
    ask: (path, init) => live.ask(path, init),
    readBlob: (sha256) => live.readBlob(sha256),
    markSeen: () => {},
    notify(note) {
      clearTimeout(noteTimer);
      state.patch({ note });
      if (note !== "") noteTimer = setTimeout(() => state.patch({ note: "" }), NOTE_MS);
    },
    showProblem: (problem) => state.patch({ problem }),
    guarded: (work) => state.guarded(work),
  };
  return { store, show: (transcript) => state.show(transcript) };
}

async function refuse(): Promise<never> {
  throw new Error("This is a replay: nothing can be changed here. Go back to live first.");
}

/** State of a replay, separate from the live page. */
interface ReplayState {
  readonly get: () => AppState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Notifies views within a frame, as the live store does. */
  show(transcript: Transcript): void;
  patch(change: Partial<AppState>): void;
  forget(name: "target" | "viewing"): void;
  /** Shows an error to the user; true on success. */
  guarded(work: () => Promise<unknown>): Promise<boolean>;
}

function createReplayState(live: AppState): ReplayState {
  const listeners = new Set<() => void>();
  const { target: _target, transcript: _now, viewing: _view, noteAction: _act, ...rest } = live;
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
