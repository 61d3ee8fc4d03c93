/**
 * A store for the same views that shows a session as it was after some event. It reads like the live one; whatever would
 * change the session is refused with a sentence.
 */
import { findSeq } from "../store/find-seq.ts";
import { createFrames } from "../store/frames.ts";
import type { AppState } from "../store/app-state.ts";
import type { PageStore } from "../store/page-store.ts";
import type { Transcript } from "../../transcript/index.ts";

const NOTE_MS = 6_000;

export interface ReplayStore {
  readonly store: PageStore;
  show(transcript: Transcript): void;
}

export function createReplayStore(live: PageStore): ReplayStore {
  const listeners = new Set<() => void>();
  const { targetSeq: _target, transcript: _now, comparing: _open, ...rest } = live.getState();
  let state: AppState = { ...rest, pending: [], problem: "", note: "" };
  let noteTimer: ReturnType<typeof setTimeout> | undefined;
  const frames = createFrames(tell);

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function patch(change: Partial<AppState>): void {
    state = { ...state, ...change };
    tell();
  }

  async function refuse(): Promise<never> {
    throw new Error("This is a replay: nothing can be changed here. Go back to live first.");
  }

  async function guarded(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      patch({ problem: "" });
      return true;
    } catch (error) {
      patch({ problem: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  const isRefused = () => guarded(refuse);
  const store: PageStore = {
    client: live.client,
    defaults: live.defaults,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getState: () => state,
    start: () => {},
    end: (reason) => live.end(reason),
    goTo(place) {
      if (place.sessionId === state.sessionId && place.seq !== undefined) patch({ targetSeq: place.seq });
      else live.goTo(place);
    },
    targetReached() {
      const { targetSeq: _done, ...others } = state;
      state = others;
      tell();
    },
    linkTo: (seq) => live.linkTo(seq),
    compare(messageId) {
      const { comparing: _before, ...others } = state;
      state = messageId === undefined ? others : { ...others, comparing: messageId };
      tell();
    },
    send: isRefused,
    command: refuse,
    wish: isRefused,
    interrupt: isRefused,
    loadPage: async () => {},
    positionOf: (seq) =>
      findSeq(
        seq,
        () => state.transcript,
        async () => {},
      ),
    ask: (path, init) => live.ask(path, init),
    readBlob: (sha256) => live.readBlob(sha256),
    listFiles: async () => [],
    refreshList: async () => {},
    markSeen: () => {},
    say(note) {
      clearTimeout(noteTimer);
      patch({ note });
      if (note !== "") noteTimer = setTimeout(() => patch({ note: "" }), NOTE_MS);
    },
    complain: (problem) => patch({ problem }),
    guarded,
  };
  return {
    store,
    show(transcript) {
      state = { ...state, transcript };
      frames.ask();
    },
  };
}
