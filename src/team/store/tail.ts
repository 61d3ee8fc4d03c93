/**
 * Follows a store: reads on at every wake-up. Readers of a session that are woken together at the same position share
 * one read and its array, so that a transport encodes it once.
 */
import type { Cursor, SessionEvent } from "../../protocol/index.ts";
import { isPassing, type TeamStore } from "./team-store.ts";
import type { WakeUps } from "./wake-ups.ts";

/** Retry interval while the database is unavailable. */
const AWAY_MS = 500;

export interface StoredBatch {
  readonly events: readonly SessionEvent[];
  /** The batch reaches what was the end of the session when it was read. */
  readonly isWhole: boolean;
}

export type ReadBatch = (sessionId: string, cursor: Cursor) => Promise<StoredBatch>;

/** Ends when the signal of the reader or of the store is aborted. */
export function createTail(readBatch: ReadBatch, wakeUps: WakeUps, over: AbortSignal): TeamStore["tail"] {
  const underWay = new Map<string, Promise<StoredBatch>>();
  /** A read that began before a wake-up may miss what caused it, so a later wake-up needs a later read. */
  const readShared = (sessionId: string, cursor: Cursor, seen: number): Promise<StoredBatch> => {
    const key = [sessionId, cursor.epoch, cursor.seq, seen].join(" ");
    const shared = underWay.get(key) ?? readBatch(sessionId, cursor).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
  return async function* tail(sessionId, cursor, given) {
    const signal = AbortSignal.any([given, over]);
    const waking = wakeUps.follow(sessionId, signal);
    let position = cursor;
    try {
      while (!signal.aborted) {
        const batch = await readShared(sessionId, position, waking.seen).catch(passing);
        if (signal.aborted) return;
        const last = batch?.events.at(-1);
        if (batch !== undefined && last !== undefined) {
          position = { epoch: last.epoch, seq: last.seq };
          yield batch.events;
        }
        if (batch === undefined) await waking.next(AWAY_MS);
        else if (batch.isWhole) await waking.next();
      }
    } finally {
      waking.end();
    }
  };
}

/** Rethrows errors that a retry cannot fix. */
function passing(error: unknown): undefined {
  if (!isPassing(error)) throw error;
}
