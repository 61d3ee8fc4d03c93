/** One connection of a reconnecting client: opened within a timeout, welcomed, and probed for liveness. */
import { type Clock, systemClock } from "../kit/clock.ts";
import { type ClientConnection, RoundtableError } from "../protocol/index.ts";
import type { LastingClientOptions } from "./client-port.ts";
import { openWireClient, type WireClient } from "./client.ts";

/** Sockets have no connect timeout of their own: a dropped packet would delay the next attempt by minutes. */
const OPEN_MS = 10_000;

export interface MonitoredConnection {
  readonly client: WireClient;
  /** Probes now. */
  probe(): void;
  /** Stops probing; for a connection that is already closed. */
  stop(): void;
  close(reason: string): void;
}

export async function openMonitoredConnection(
  connect: () => Promise<ClientConnection>,
  options: LastingClientOptions & { clientId: string },
): Promise<MonitoredConnection> {
  const { clientId, quietMs, answerMs, openMs = OPEN_MS, clock = systemClock } = options;
  let liveness: Liveness | undefined;
  const open = async (connection: ClientConnection) => {
    const onReceive = (): void => liveness?.markReceived();
    return { connection, client: await openWireClient(async () => connection, { clientId, clock, openMs, onReceive }) };
  };
  const { connection, client } = await inTime(connect, open, { clock, openMs });
  const watch = createLiveness({
    clock,
    quietMs,
    answerMs,
    // Ping: a page of a session that cannot exist costs the host nothing, and the error proves that it is alive.
    ask: () => client.page("", 0),
    onDead: (reason) => connection.close(reason),
  });
  liveness = watch;
  return {
    client,
    probe: () => watch.probe(),
    stop: () => watch.stop(),
    close(reason) {
      watch.stop();
      connection.close(reason);
    },
  };
}

/** Closes a connection that opens too late or is not welcomed in time. */
async function inTime<T>(
  connect: () => Promise<ClientConnection>,
  open: (connection: ClientConnection) => Promise<T>,
  { clock, openMs }: { clock: Clock; openMs: number },
): Promise<T> {
  const reason = `no answer within ${openMs / 1000} s`;
  const late = Promise.withResolvers<never>();
  let closeLate: (() => void) | undefined;
  let isLate = false;
  const cancel = clock.after(openMs, () => {
    isLate = true;
    closeLate?.();
    const hint = "It may be busy or suspended. Try again, or restart it.";
    late.reject(new RoundtableError("closed", `The host cannot be reached: ${reason}.`, { hint }));
  });
  const opening = connect().then((connection) => {
    closeLate = () => connection.close(reason);
    if (isLate) closeLate();
    return open(connection);
  });
  return Promise.race([opening, late.promise]).finally(cancel);
}

/** The interval of the host's heartbeats. */
const QUIET_MS = 15_000;
const ANSWER_MS = 10_000;
/** While other frames arrive, the answer may be queued behind them: it gets this many times the timeout. */
const PATIENCE = 3;

interface Liveness {
  /** A frame arrived. */
  markReceived(): void;
  /** Probes now instead of at the next interval. */
  probe(): void;
  stop(): void;
}

interface LivenessOptions {
  readonly clock: Clock;
  readonly quietMs?: number | undefined;
  readonly answerMs?: number | undefined;
  /** A request that any host answers at once; any settlement counts as an answer. */
  readonly ask: () => Promise<unknown>;
  readonly onDead: (reason: string) => void;
}

/**
 * Tells a dead connection from a quiet one. A half-open connection raises no error and may still deliver frames, so the
 * host is probed: the connection is dead when nothing at all follows a probe, or when frames arrive but the answer
 * never does, because then our frames are lost.
 */
export function createLiveness(options: LivenessOptions): Liveness {
  const { clock, quietMs = QUIET_MS, answerMs = ANSWER_MS, ask, onDead } = options;
  let receivedAt = clock.monotonic();
  let isAsking = false;
  let isStopped = false;
  let cancel = clock.after(quietMs, probe);

  function wait(ms: number, next: () => void): void {
    cancel();
    cancel = clock.after(ms, next);
  }

  function probe(): void {
    if (isAsking || isStopped) return;
    isAsking = true;
    const probedAt = clock.monotonic();
    ask().then(answered, answered);
    wait(answerMs, () => judge(probedAt, probedAt + answerMs));
  }

  function answered(): void {
    isAsking = false;
    if (!isStopped) wait(quietMs, probe);
  }

  function judge(probedAt: number, dueAt: number): void {
    const now = clock.monotonic();
    const isLate = now - dueAt > answerMs;
    const silentMs = now - Math.max(receivedAt, probedAt);
    // A late timer means that this process was suspended: frames of the host may still be unread.
    if (!isLate && silentMs >= answerMs) return onDead(`the host was silent for ${Math.round(now - receivedAt)} ms`);
    if (!isLate && now - probedAt >= PATIENCE * answerMs) {
      return onDead(`the host did not answer for ${Math.round(now - probedAt)} ms`);
    }
    wait(answerMs, () => judge(probedAt, now + answerMs));
  }

  return {
    markReceived: () => (receivedAt = clock.monotonic()),
    probe,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
