/** A session that this process writes, as a place: its log is followed directly. */
import type { Clock } from "../kit/clock.ts";
import { toAnswerError, type Cursor, type SessionEvent } from "../protocol/index.ts";
import type { LocalSession } from "./local-session.ts";
import { HEARTBEAT_MS, type Place, type PlaceSink } from "./place.ts";

export interface LocalPlaceOptions {
  local: LocalSession;
  /** Ends the hold on the session that `enter` took for this place. */
  release: () => void;
  clientId: string;
  sink: PlaceSink;
  clock: Clock;
}

export function createLocalPlace({ local, release, clientId, sink, clock }: LocalPlaceOptions): Place {
  const { log, session, feed } = local;
  let endSubscription: (() => void) | undefined;
  let hasLeft = false;

  function head(): Cursor {
    return { epoch: log.epoch, seq: log.committedSeq };
  }

  function start(cursor: Cursor): void {
    const stops = [
      feed.follow(cursor.seq, (events: readonly SessionEvent[]) => sink.events(events)),
      log.onStore((report) => sink.store(report.state, report.message)),
      local.onEnd((reason) => sink.resync(reason)),
      repeat(clock, HEARTBEAT_MS, () => sink.heartbeat(head())),
    ];
    session.clientJoined(clientId);
    if (log.store.state !== "ok") sink.store(log.store.state, log.store.message);
    endSubscription = () => {
      endSubscription = undefined;
      for (const stop of stops) stop();
      session.clientLeft(clientId);
    };
  }

  return {
    command(command) {
      session.command(command, clientId).then(
        // A session closes under a client only when its host leaves: the close of the connection is the answer then.
        (ack) => {
          if (hasLeft || (!ack.ok && ack.error.code === "closed")) return;
          // What a command has done is seen before it is acknowledged.
          feed.flush();
          sink.acked(ack);
        },
        (error: unknown) =>
          hasLeft || sink.acked({ commandId: command.commandId, ok: false, error: toAnswerError(error) }),
      );
    },
    async subscribe(cursor, onReady) {
      endSubscription?.();
      const isKnown = await knows(local, cursor);
      if (hasLeft) return;
      onReady(head());
      if (isKnown) start(cursor);
      else sink.resync(`the log does not know the cursor epoch ${cursor.epoch}, seq ${cursor.seq}`);
    },
    unsubscribe: () => endSubscription?.(),
    leave() {
      if (hasLeft) return;
      hasLeft = true;
      endSubscription?.();
      release();
    },
  };
}

async function knows({ log }: LocalSession, cursor: Cursor): Promise<boolean> {
  if (cursor.seq === 0) return true;
  // A reader that was given bare seqs does not know the epoch; all that can be said is whether the seq is there.
  if (cursor.epoch === 0) return cursor.seq <= log.committedSeq;
  if (await log.knows(cursor)) return true;
  if (cursor.epoch !== log.epoch) return false;
  // A reader of the file can be ahead of what is committed: it saw events that are written but not yet synced.
  await log.flush().catch(() => {});
  return log.knows(cursor);
}

function repeat(clock: Clock, everyMs: number, action: () => void): () => void {
  let cancel = clock.after(everyMs, tick);
  function tick(): void {
    cancel = clock.after(everyMs, tick);
    action();
  }
  return () => cancel();
}
