import { expect, test } from "vitest";
import type { Cursor, SessionEvent, SnapshotFrame } from "../protocol/index.ts";
import type { Client } from "./client-port.ts";
import { followSession, type Fold } from "./follow-session.ts";

/** Folded seqs after that of the snapshot. */
interface Seen {
  base: number;
  seqs: readonly number[];
}

const seqFold: Fold<Seen> = {
  empty: () => ({ base: 0, seqs: [] }),
  fromSnapshot: ({ foldVersion, seq }) => (foldVersion === 1 ? { base: seq, seqs: [] } : undefined),
  fold: ({ base, seqs }, events) => ({ base, seqs: [...seqs, ...events.map((event) => event.seq)] }),
  cursorOf: ({ base, seqs }) => ({ epoch: 1, seq: seqs.at(-1) ?? base }),
};

/** A scripted host end for two calls. */
function playedHost(snapshots: SnapshotFrame[]) {
  const subscriptions: { cursor: Cursor; give: (...seqs: number[]) => void; resync: () => void; isClosed: boolean }[] =
    [];
  const client = {
    snapshot: async () => snapshots.shift() ?? Promise.reject(new Error("no more snapshots")),
    async subscribe(_id: string, cursor: Cursor, onEvents: (e: SessionEvent[]) => void, options: { onResync(): void }) {
      const one = {
        cursor,
        give: (...seqs: number[]) => onEvents(seqs.map((seq) => ({ seq }) as SessionEvent)),
        resync: () => options.onResync(),
        isClosed: false,
      };
      subscriptions.push(one);
      return { cursor, head: cursor, close: () => (one.isClosed = true) };
    },
  };
  return { client: client as unknown as Client, subscriptions };
}

const snapshotAt = (seq: number, foldVersion = 1) => ({ foldVersion, seq, epoch: 1, frozenPages: 0, state: null });

test("a followed session is its snapshot and every event after it, reloaded after a resync", async () => {
  const { client, subscriptions } = playedHost([snapshotAt(5), snapshotAt(9)]);
  const states: Seen[] = [];
  const lost: string[] = [];
  const options = { fold: seqFold, onChange: (s: Seen) => states.push(s), onLost: (e: Error) => lost.push(e.message) };
  const session = await followSession(client, "s", options);
  subscriptions[0]?.give(6, 7);
  subscriptions[0]?.resync();
  await new Promise(setImmediate);
  subscriptions[1]?.give(10);
  session.update((state) => ({ ...state, base: -1 }));
  expect(subscriptions.map((one) => one.cursor.seq)).toEqual([5, 9]);
  expect(states).toEqual([
    { base: 5, seqs: [] },
    { base: 5, seqs: [6, 7] },
    { base: 9, seqs: [] },
    { base: 9, seqs: [10] },
    { base: -1, seqs: [10] },
  ]);
  subscriptions[1]?.resync();
  await new Promise(setImmediate);
  expect(lost).toEqual(["no more snapshots"]);
  session.close();
  subscriptions[1]?.give(11);
  expect([states.length, subscriptions[1]?.isClosed]).toEqual([5, true]);
});

test("a snapshot of another fold version is not used: everything is folded from the beginning", async () => {
  const { client, subscriptions } = playedHost([snapshotAt(5, 2)]);
  const session = await followSession(client, "s", { fold: seqFold, onChange: () => {}, onLost: () => {} });
  subscriptions[0]?.give(1, 2);
  expect([subscriptions[0]?.cursor.seq, session.state]).toEqual([0, { base: 0, seqs: [1, 2] }]);
});

/** Records every call. */
function listening() {
  const told: unknown[] = [];
  const options = { fold: seqFold, onChange: (s: Seen) => told.push(s), onLost: (e: Error) => told.push(e.message) };
  return { told, options };
}

test("a follow dropped while its snapshot loads never subscribes and calls no listener; a later one is closed", async () => {
  const { client, subscriptions } = playedHost([snapshotAt(5), snapshotAt(6)]);
  const { told, options } = listening();
  const early = new AbortController();
  const never = followSession(client, "s", { ...options, signal: early.signal });
  early.abort();
  await expect(never).rejects.toMatchObject({ name: "AbortError" });
  expect([subscriptions.length, told]).toEqual([0, []]);
  const later = new AbortController();
  await followSession(client, "s", { ...options, signal: later.signal });
  later.abort();
  subscriptions[0]?.give(7);
  expect([told, subscriptions.map(({ isClosed }) => isClosed)]).toEqual([[{ base: 6, seqs: [] }], [true]]);
});

test("a session closed while it reloads is not subscribed to again, and is not reported as lost", async () => {
  const { client, subscriptions } = playedHost([snapshotAt(5), snapshotAt(9)]);
  const { told, options } = listening();
  const session = await followSession(client, "s", options);
  subscriptions[0]?.resync();
  session.close();
  await new Promise(setImmediate);
  expect([subscriptions.length, told]).toEqual([1, [{ base: 5, seqs: [] }]]);
});
