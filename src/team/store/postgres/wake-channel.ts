/**
 * Wake-ups between nodes. Ids are collected and sent in a statement of their own: NOTIFY in the transaction of an insert
 * would hold a lock of the whole database until that is on disk. A lost message costs no more than the next poll.
 */
import type { Clock } from "../../../kit/clock.ts";
import { newId } from "../../../kit/ids.ts";
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
  /** First in every message: what this node sends comes back to it. */
  const own = newId();
  const waiting = new Set<string>();
  let listener: Listener | undefined;
  let sending: Promise<void> | undefined;
  let connecting: Promise<void> | undefined;
  let isClosed = false;
  let cancelConnect: (() => void) | undefined;
  let cancelSend: (() => void) | undefined;
  let sentMs = Number.NEGATIVE_INFINITY;

  const connectLater = (ms: number): void => {
    if (isClosed) return;
    cancelConnect = clock.after(ms, () => {
      connecting = connect().catch(() => connectLater(RECONNECT_MS));
    });
  };
  const connect = async (): Promise<void> => {
    const connected = await database.listen(CHANNEL, receiveInto(wakeUps, own), () => {
      listener = undefined;
      connectLater(RECONNECT_MS);
    });
    if (isClosed) return connected.close();
    listener = connected;
    // What happened before is not announced again.
    wakeUps.wakeAll();
    sendLater();
  };
  const send = async (): Promise<void> => {
    const payloads = payloadsOf(own, waiting);
    waiting.clear();
    // Only a hint: whoever misses it polls.
    for (const payload of payloads)
      await listener?.query({ text: "select pg_notify($1, $2)", values: [CHANNEL, payload] }).catch(() => {});
  };
  const sendLater = (): void => {
    // Without a connection ids wait for the next one.
    if (isClosed || sending !== undefined || waiting.size === 0 || listener === undefined) return;
    // The first one after a pause goes at once.
    cancelSend ??= clock.after(Math.max(0, sentMs + COLLECT_MS - clock.monotonic()), () => {
      cancelSend = undefined;
      sentMs = clock.monotonic();
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
      // One more than allowed wakes everything.
      if (waiting.size <= IDS_MAX) waiting.add(id);
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

function receiveInto(wakeUps: WakeUps, own: string): (payload: string) => void {
  return (payload) => {
    const [sender, ...ids] = payload.split(SEPARATOR);
    if (sender === own) return;
    if (ids[0] === EVERYTHING) wakeUps.wakeAll();
    else for (const id of ids) wakeUps.wake(id);
  };
}

function payloadsOf(own: string, ids: ReadonlySet<string>): string[] {
  if (ids.size > IDS_MAX) return [`${own}${SEPARATOR}${EVERYTHING}`];
  const payloads: string[] = [];
  for (const id of ids) {
    const last = payloads.at(-1);
    const hasRoom = last !== undefined && last.length + id.length < PAYLOAD_CHARS_MAX;
    if (hasRoom) payloads[payloads.length - 1] = `${last}${SEPARATOR}${id}`;
    else payloads.push(`${own}${SEPARATOR}${id}`);
  }
  return payloads;
}
