/** Whatever reads answers aloud, as the store and the views know it. */
import type { AppState } from "./app-state.ts";

export interface ReadAloud {
  readonly turnId: string;
  /** How long it has been read. */
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
  /** The turn that is being read. */
  readonly turnId: string | undefined;
  /** Reads the turn from its beginning, and goes on while it grows. */
  read(store: SpokenStore, turnId: string): void;
  /** Falls silent, and says how far it got; undefined when nothing was being read. */
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
