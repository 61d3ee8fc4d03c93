/** A session that this process writes, as a place: its log is followed directly. */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { toAnswerError, type Cursor, type SessionEvent } from "../../protocol/index.ts";
import type { LocalSession } from "../sessions/local-session.ts";
import { HEARTBEAT_MS, EndpointLostError, type SessionEndpoint, type EndpointSink } from "./endpoint.ts";

export interface LocalEndpointOptions {
  local: LocalSession;
  /** Ends the hold on the session that `enter` took for this place. */
  release: () => void;
  clientId: string;
  /** That of the client's terminal, where it has one. */
  environment: CarriedEnvironment | undefined;
  sink: EndpointSink;
  clock: Clock;
}

export function createLocalEndpoint(options: LocalEndpointOptions): SessionEndpoint {
  const { local, release, clientId, environment, sink } = options;
  const { session, feed } = local;
  let stopFollowing: (() => void) | undefined;
  let hasLeft = false;
  const stopEnd = local.onEnd(end);
  const leaveEnvironment = environment === undefined ? undefined : local.openedFrom(environment);

  function endSubscription(): void {
    const stop = stopFollowing;
    stopFollowing = undefined;
    stop?.();
  }

  /**
   * The session is closed while the host stays. Whatever is on its way here, and comes later, would never be answered: it
   * has to look for the session again, and hear from there what became of it.
   */
  function end(reason: string): void {
    if (stopFollowing !== undefined) sink.resync(reason);
    if (hasLeft) return;
    leave();
    sink.lost(reason);
  }

  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    stopEnd();
    leaveEnvironment?.();
    endSubscription();
    release();
  }

  return {
    command(command) {
      // On its way when the session was closed: it is asked again where the session is next.
      if (hasLeft) return;
      session.command(command, clientId).then(
        // Otherwise a session closes under a client only when its host leaves: the close of the connection is the answer.
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
      endSubscription();
      // A log that was closed under it cannot say; then the session has another place, which does.
      const isKnown = await knows(local, cursor).catch((error: unknown) => {
        if (hasLeft) return false;
        throw error;
      });
      if (hasLeft) throw new EndpointLostError("the session was closed here");
      onReady(headOf(local));
      if (isKnown) stopFollowing = follow(options, cursor);
      else sink.resync(`the log does not know the cursor epoch ${cursor.epoch}, seq ${cursor.seq}`);
    },
    unsubscribe: endSubscription,
    leave,
    get isOver() {
      return hasLeft;
    },
  };
}

function headOf({ log }: LocalSession): Cursor {
  return { epoch: log.epoch, seq: log.committedSeq };
}

/** Feeds the sink with everything after the cursor until the returned function is called. */
function follow({ local, clientId, sink, clock }: LocalEndpointOptions, cursor: Cursor): () => void {
  const { log, session, feed } = local;
  const stops = [
    feed.follow(cursor.seq, (events: readonly SessionEvent[]) => sink.events(events)),
    log.onStore((report) => sink.store(report.state, report.message)),
    repeat(clock, HEARTBEAT_MS, () => sink.heartbeat(headOf(local))),
  ];
  session.clientJoined(clientId);
  if (log.store.state !== "ok") sink.store(log.store.state, log.store.message);
  return () => {
    for (const stop of stops) stop();
    session.clientLeft(clientId);
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
