/** Endpoint of a session that this process holds: follows its log directly. */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { toAnswerError, type Cursor } from "../../protocol/index.ts";
import type { LocalSession } from "../sessions/local-session.ts";
import { HEARTBEAT_MS, EndpointLostError, type SessionEndpoint, type EndpointSink } from "./endpoint.ts";

export interface LocalEndpointOptions {
  local: LocalSession;
  /** Releases the hold that `enter` took for this endpoint. */
  release: () => void;
  clientId: string;
  /** Environment of the client's terminal, if it has one. */
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
   * The session is closed while the host keeps running. Pending commands would never be answered: the link finds the
   * session again.
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
      // Sent while the session was being closed: the link repeats it at the next endpoint.
      if (hasLeft) return;
      session.command(command, clientId).then(
        // The host is shutting down: the closed connection is the answer.
        (ack) => {
          if (hasLeft || (!ack.ok && ack.error.code === "closed")) return;
          // Clients see the effects of a command before its acknowledgement.
          feed.flush();
          sink.acked(ack);
        },
        (error: unknown) =>
          hasLeft || sink.acked({ commandId: command.commandId, ok: false, error: toAnswerError(error) }),
      );
    },
    async subscribe(cursor, onReady) {
      endSubscription();
      // A log that was closed meanwhile cannot tell; the session's next endpoint will.
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
    feed.follow(cursor.seq, sink.events),
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
  // A client that was given a bare seq does not know the epoch: only the seq can be checked.
  if (cursor.epoch === 0) return cursor.seq <= log.committedSeq;
  if (await log.knows(cursor)) return true;
  if (cursor.epoch !== log.epoch) return false;
  // A reader of the file may be ahead of the committed seq: it saw events that are written but not yet synced.
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
