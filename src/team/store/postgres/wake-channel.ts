/**
 * Wake-ups between nodes. Ids are collected and sent in a statement of their own: NOTIFY in the transaction of an insert
 * would hold a lock of the whole database until that is on disk. A lost message costs no more than the next poll.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { WakeUps } from "../wake-ups.ts";
import type { Database, Listener } from "./database.ts";

const CHANNEL = "roundtable_wake";
const COLLECT_MS = 10;
/** PostgreSQL allows 8,000 bytes. */
const PAYLOAD_CHARS_MAX = 7_000;
/** More than this many ids wake everything. */
const IDS_MAX = 2_000;
const EVERYTHING = "*";
/** Between attempts to connect again. */
const RECONNECT_MS = 1_000;
const SEPARATOR = "\n";

export interface WakeChannel {
  /** Wakes waiters of this process now, those of other nodes soon. */
  wake(id: string): void;
  close(): Promise<void>;
}

export function openWakeChannel(database: Database, wakeUps: WakeUps, clock: Clock): WakeChannel {
  const waiting = new Set<string>();
  let listener: Listener | undefined;
  let sending: Promise<void> | undefined;
  let connecting: Promise<void> | undefined;
  let isClosed = false;
  let cancelConnect: (() => void) | undefined;
  let cancelSend: (() => void) | undefined;

  const receive = (payload: string): void => {
    if (payload === EVERYTHING) wakeUps.wakeAll();
    else for (const id of payload.split(SEPARATOR)) wakeUps.wake(id);
  };
  const connectLater = (ms: number): void => {
    if (isClosed) return;
    cancelConnect = clock.after(ms, () => {
      connecting = connect().catch(() => connectLater(RECONNECT_MS));
    });
  };
  const connect = async (): Promise<void> => {
    const connected = await database.listen(CHANNEL, receive, () => {
      listener = undefined;
      connectLater(RECONNECT_MS);
    });
    if (isClosed) return connected.close();
    // A message that a crash of the server loses is only a hint: it does not wait for the disk.
    await connected.query({ text: "set synchronous_commit = off" });
    listener = connected;
    // What happened before is not announced again.
    wakeUps.wakeAll();
  };
  const send = async (): Promise<void> => {
    const payloads = payloadsOf(waiting);
    waiting.clear();
    // Only a hint: whoever misses it polls.
    for (const payload of payloads)
      await listener?.query({ text: "select pg_notify($1, $2)", values: [CHANNEL, payload] }).catch(() => {});
  };
  const sendLater = (): void => {
    if (isClosed || sending !== undefined || waiting.size === 0) return;
    cancelSend ??= clock.after(COLLECT_MS, () => {
      cancelSend = undefined;
      sending = send().finally(() => {
        sending = undefined;
        sendLater();
      });
    });
  };
  connectLater(0);
  return {
    wake(id) {
      wakeUps.wake(id);
      waiting.add(id);
      sendLater();
    },
    async close() {
      isClosed = true;
      cancelConnect?.();
      cancelSend?.();
      await Promise.all([sending, connecting]);
      await listener?.close();
    },
  };
}

function payloadsOf(ids: ReadonlySet<string>): string[] {
  if (ids.size > IDS_MAX) return [EVERYTHING];
  const payloads: string[] = [];
  for (const id of ids) {
    const last = payloads.at(-1);
    if (last === undefined || last.length + id.length >= PAYLOAD_CHARS_MAX) payloads.push(id);
    else payloads[payloads.length - 1] = `${last}${SEPARATOR}${id}`;
  }
  return payloads;
}
