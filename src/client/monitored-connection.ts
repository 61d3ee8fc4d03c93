/** One connection of a lasting client: opened in bounded time, greeted, and watched for signs of life. */
import { systemClock, type Clock } from "../kit/clock.ts";
import { RoundtableError, type ClientConnection } from "../protocol/index.ts";
import { openWireClient, type WireClient } from "./client.ts";
import type { LastingClientOptions } from "./client-port.ts";
import { createLiveness, type Liveness } from "./liveness.ts";

/** Carriers know no limit of their own: a packet that vanishes on the way would hold the next try for minutes. */
const OPEN_MS = 10_000;

export interface MonitoredConnection {
  readonly client: WireClient;
  /** Asks for a sign of life now. */
  probe(): void;
  /** Ends the watch; for a connection that is gone. */
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
    const observed = observeConnection(connection, () => liveness?.markReceived());
    return { connection, client: await openWireClient(async () => observed, { clientId, clock, openMs }) };
  };
  const { connection, client } = await inTime(connect, open, { clock, openMs });
  const watch = createLiveness({
    clock,
    quietMs,
    answerMs,
    // No session has this name: it costs the host nothing, and its refusal is the sign of life.
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

/** A connection that comes about too late, or is not greeted in time, is closed. */
async function inTime<T>(
  connect: () => Promise<ClientConnection>,
  open: (connection: ClientConnection) => Promise<T>,
  { clock, openMs }: { clock: Clock; openMs: number },
): Promise<T> {
  const reason = `nothing was heard for ${openMs} ms`;
  const late = Promise.withResolvers<never>();
  let closeLate: (() => void) | undefined;
  let isLate = false;
  const cancel = clock.after(openMs, () => {
    isLate = true;
    closeLate?.();
    late.reject(new RoundtableError("closed", `The host cannot be reached: ${reason}.`));
  });
  const opening = connect().then((connection) => {
    closeLate = () => connection.close(reason);
    if (isLate) closeLate();
    return open(connection);
  });
  return Promise.race([opening, late.promise]).finally(cancel);
}

function observeConnection(connection: ClientConnection, onReceive: () => void): ClientConnection {
  return {
    send: (frame) => connection.send(frame),
    onFrame: (listener) =>
      connection.onFrame((frame) => {
        onReceive();
        listener(frame);
      }),
    onClose: (listener) => connection.onClose(listener),
    close: (reason) => connection.close(reason),
    get backlogBytes() {
      return connection.backlogBytes;
    },
  };
}
