/** Reading aloud, as store and views see it. */
import type { AppState } from "./app-state.ts";

export interface ReadAloud {
  readonly turnId: string;
  /** Time read so far. */
  readonly ms: number;
}

/** The store that the text is read from, while it grows. */
export interface SpokenStore {
  getState(): Pick<AppState, "transcript">;
  subscribe(listener: () => void): () => void;
}

export interface TextToSpeech {
  /** False where the browser cannot speak. */
  readonly canSpeak: boolean;
  /** The turn being read. */
  readonly turnId: string | undefined;
  /** Reads the turn from its beginning and continues while it grows. */
  read(store: SpokenStore, turnId: string): void;
  /** Stops and returns how far it got; undefined when nothing was being read. */
  stop(): ReadAloud | undefined;
  subscribe(listener: () => void): () => void;
}

export const SILENT: TextToSpeech = {
  canSpeak: false,
  turnId: undefined,
  read: () => {},
  stop: () => undefined,
  subscribe: () => () => {},
};
