/** The copy of a log in the store, read as a log: what folds and exports logs works on it. */
import type { LogReader } from "../../log/index.ts";
import { RoundtableError, type SessionEvent } from "../../protocol/index.ts";
import { fromSnapshot } from "../../transcript/index.ts";
import { asAnswer, START, type TeamStore } from "../store/team-store.ts";

/** `check` throws once the reader has lost access: a slow reader can take hours. */
export async function openStoredLog(store: TeamStore, sessionId: string, check: () => void): Promise<LogReader> {
  const saved = await asAnswer(store.saved(sessionId));
  const start = saved === undefined ? undefined : fromSnapshot(saved);
  const { epoch = 0, seq = 0 } = start?.head ?? {};
  async function* read(after: number): AsyncGenerator<SessionEvent[], void, void> {
    // Of other positions the epoch is not known; folding and exporting begin at one of these two.
    const from = after === seq ? { epoch, seq } : START;
    const batches = store.read(sessionId, from);
    for (;;) {
      const { done, value } = await asAnswer(batches.next());
      if (done === true) return;
      check();
      yield value.filter((event) => event.seq > after);
    }
  }
  const refuse = (): never => {
    throw new RoundtableError("unsupported", "A copy of a log is never written by readers.");
  };
  return {
    sessionId,
    committedSeq: seq,
    epoch,
    read,
    knows: async (cursor) => cursor.seq <= seq,
    snapshots: {
      load: async () => (saved === undefined ? undefined : { ...saved, epoch, seq }),
      page: async () => undefined,
      save: refuse,
    },
    blobs: {
      async get(sha256) {
        check();
        return await store.blobs.get(sessionId, sha256);
      },
      put: refuse,
    },
    close: async () => {},
  };
}
