/**
 * A store for the same views that shows a session as it was after some event. It reads like the live one; whatever would
 * change the session is refused with a sentence.
 */
import { findSeq } from "../store/find-seq.ts";
import type { PageStore } from "../store/page-store.ts";
import { stateOfRoute } from "../store/route.ts";
import type { Transcript } from "../../transcript/index.ts";
import { createReplayState } from "./replay-state.ts";

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
    targetReached: () => state.forget("targetSeq"),
    linkTo: (seq) => live.linkTo(seq),
    replaceRoute: () => {},
    compare(messageId) {
      if (messageId === undefined) state.forget("comparing");
      else state.patch({ comparing: messageId });
    },
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
