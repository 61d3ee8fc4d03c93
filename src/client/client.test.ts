import { describe, expect, test } from "vitest";
import type { Clock } from "../kit/clock.ts";
import {
  PROTOCOL_VERSION,
  type ClientFrame,
  type Cursor,
  type HostConnection,
  type HostFrame,
  type SessionEvent,
} from "../protocol/index.ts";
import { createClient } from "./client.ts";
import { createConnectionPair } from "./connections.ts";

const SESSION = "01J00000000000000000000000";
const START: Cursor = { epoch: 1, seq: 0 };

function event(seq: number): SessionEvent {
  return { seq, epoch: 1, id: `e${seq}`, ts: seq, sessionId: SESSION, type: "session_renamed", title: `t${seq}` };
}

function damage(fromSeq: number, toSeq: number): SessionEvent {
  const envelope = { seq: toSeq, epoch: 1, id: "d", ts: 0, sessionId: SESSION };
  return { ...envelope, type: "damage", fromSeq, toSeq, offset: 0, bytes: 10 };
}

async function settle(): Promise<void> {
  for (let step = 0; step < 30; step += 1) await Promise.resolve();
}

/** A scripted host end. */
async function connect() {
  const [near, far] = createConnectionPair();
  const sent: ClientFrame[] = [];
  far.onFrame((frame) => {
    sent.push(frame);
    if (frame.frame === "hello") {
      far.send({ frame: "welcome", protocol: PROTOCOL_VERSION, version: "9.9.9", hostId: "H" });
    }
  });
  const client = await createClient(async () => near, { clientId: "me" });
  const onFrame = () => sent.splice(0);
  expect(onFrame()).toEqual([{ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "me" }]);
  return { client, host: far, onFrame };
}

async function subscribe(cursor = START) {
  const { client, host, onFrame } = await connect();
  const seqs: number[] = [];
  const resyncs: string[] = [];
  const waiting = client.subscribe(SESSION, cursor, (events) => seqs.push(...events.map((one) => one.seq)), {
    onResync: (reason) => resyncs.push(reason),
  });
  await settle();
  answerSubscribe(host, onFrame());
  const subscription = await waiting;
  const feed = async (...events: SessionEvent[]) => {
    host.send({ frame: "events", sessionId: SESSION, events });
    await settle();
  };
  return { client, host, onFrame, seqs, resyncs, subscription, feed };
}

function answerSubscribe(host: HostConnection, frames: ClientFrame[], head = { epoch: 1, seq: 9 }): void {
  const [frame] = frames;
  if (frame?.frame !== "subscribe") throw new Error(`expected a subscribe, got ${JSON.stringify(frames)}`);
  host.send({ frame: "reply", id: frame.id, ok: true, result: head });
}

describe("calls", () => {
  test("[C5] each call is answered by the reply with its id, in any order, errors as RoundtableError", async () => {
    const { client, host, onFrame } = await connect();
    const calls = [client.list(), client.snapshot(SESSION), client.page(SESSION, 3)];
    await settle();
    const [list, snapshot, page] = onFrame() as { id: string }[];
    expect([snapshot, page]).toMatchObject([
      { frame: "snapshot", sessionId: SESSION },
      { frame: "page", sessionId: SESSION, page: 3 },
    ]);
    host.send({ frame: "reply", id: page!.id, ok: true, result: { index: 3 } });
    host.send({ frame: "reply", id: "nobody asked", ok: true, result: 1 });
    const error = { code: "unknown_session" as const, message: "There is none.", hint: "Look." };
    host.send({ frame: "reply", id: snapshot!.id, ok: false, error });
    host.send({ frame: "reply", id: list!.id, ok: true, result: [] });
    const settled = await Promise.allSettled(calls);
    expect(settled).toMatchObject([
      { status: "fulfilled", value: [] },
      { status: "rejected", reason: { name: "RoundtableError", ...error } },
      { status: "fulfilled", value: { index: 3 } },
    ]);
  });

  test("a command gets its id here and resolves with its acknowledgement, also with a refusal", async () => {
    const { client, host, onFrame } = await connect();
    const first = client.command(SESSION, { type: "rename", title: "a" });
    const second = client.command(SESSION, { type: "continue" });
    await settle();
    const ids = onFrame().map((frame) => (frame.frame === "command" ? frame.command.commandId : ""));
    const refusal = { commandId: ids[1]!, ok: false as const, error: { code: "busy" as const, message: "no" } };
    host.send({ frame: "ack", sessionId: SESSION, ack: refusal });
    host.send({ frame: "ack", sessionId: SESSION, ack: { commandId: ids[0]!, ok: true, seq: 7 } });
    expect(await Promise.all([first, second])).toEqual([{ commandId: ids[0], ok: true, seq: 7 }, refusal]);
    expect(new Set(ids).size).toBe(2);
  });

  test("a closed connection rejects pending and later calls with code closed", async () => {
    const { client, host } = await connect();
    const closed: string[] = [];
    client.onClose((reason) => closed.push(reason));
    const calls = [
      client.list(),
      client.command(SESSION, { type: "clear" }),
      client.subscribe(SESSION, START, () => {}),
    ];
    await settle();
    host.close("crashed");
    const settled = await Promise.allSettled(calls);
    const reason = { code: "closed", message: "The connection to the host is closed: crashed." };
    expect(settled).toMatchObject(Array.from({ length: 3 }, () => ({ status: "rejected", reason })));
    await expect(client.list()).rejects.toMatchObject(reason);
    client.onClose((late) => closed.push(`late: ${late}`));
    expect(closed).toEqual(["crashed", "late: crashed"]);
  });

  test("a host of another protocol is refused with version_mismatch", async () => {
    const [near, far] = createConnectionPair();
    far.onFrame(() => far.send({ frame: "welcome", protocol: 99, version: "12", hostId: "H" }));
    await expect(createClient(async () => near)).rejects.toMatchObject({ code: "version_mismatch" });
  });

  test("a host that sends no welcome is given up with code closed", async () => {
    const [near] = createConnectionPair();
    let fire = () => {};
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      after(_ms, callback) {
        fire = callback;
        return () => {};
      },
    };
    const waiting = createClient(async () => near, { clock });
    await settle();
    fire();
    await expect(waiting).rejects.toMatchObject({ code: "closed" });
  });

  test("store and shutdown frames reach their listeners", async () => {
    const { client, host } = await connect();
    const heard: unknown[] = [];
    client.onStore((notice) => heard.push(notice));
    client.onShutdown((reason) => heard.push(reason));
    host.send({ frame: "store", sessionId: SESSION, state: "full", message: "no space" });
    host.send({ frame: "shutdown", reason: "bye" });
    await settle();
    expect(heard).toEqual([{ sessionId: SESSION, state: "full", message: "no space" }, "bye"]);
  });
});

describe("subscriptions", () => {
  test("[C11] events are delivered once and in order; repeats are dropped by seq alone", async () => {
    const { feed, seqs, subscription } = await subscribe();
    await feed(event(1), event(2));
    await feed(event(2), { ...event(3), id: "e1" });
    await feed(event(1), event(3));
    expect(seqs).toEqual([1, 2, 3]);
    expect([subscription.cursor, subscription.head]).toEqual([
      { epoch: 1, seq: 3 },
      { epoch: 1, seq: 9 },
    ]);
  });

  test("[C12] after a gap the client subscribes again from the last good seq, without loss or repeats", async () => {
    const { host, onFrame, feed, seqs } = await subscribe();
    await feed(event(1), event(2), event(5));
    await feed(event(6));
    const again = onFrame();
    expect(again).toMatchObject([{ frame: "subscribe", sessionId: SESSION, cursor: { epoch: 1, seq: 2 } }]);
    answerSubscribe(host, again);
    await feed(event(3), event(4), event(5), event(6), event(7));
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("a gap that recurs at the same position ends the subscription with resync", async () => {
    const { host, onFrame, feed, seqs, resyncs } = await subscribe();
    await feed(event(1), event(3));
    answerSubscribe(host, onFrame());
    await feed(event(3));
    expect([seqs, resyncs]).toEqual([[1], ["the host cannot deliver the events after seq 1"]]);
    expect(onFrame()).toEqual([{ frame: "unsubscribe", sessionId: SESSION }]);
  });

  test("a damaged range stands for the seqs it lost and is not a gap", async () => {
    const { feed, seqs, onFrame, subscription } = await subscribe();
    await feed(event(1), damage(2, 5), event(6));
    expect([seqs, onFrame(), subscription.cursor.seq]).toEqual([[1, 5, 6], [], 6]);
  });

  test("a second heartbeat that names missing events makes the client subscribe again", async () => {
    const { host, feed, onFrame, seqs } = await subscribe();
    const heartbeat = async (seq: number) => {
      host.send({ frame: "heartbeat", sessionId: SESSION, epoch: 1, seq });
      await settle();
    };
    await feed(event(1));
    await heartbeat(1);
    await heartbeat(3);
    expect(onFrame()).toEqual([]);
    await heartbeat(3);
    const again = onFrame();
    expect(again).toMatchObject([{ frame: "subscribe", cursor: { epoch: 1, seq: 1 } }]);
    answerSubscribe(host, again);
    await feed(event(2), event(3));
    await heartbeat(3);
    expect([seqs, onFrame()]).toEqual([[1, 2, 3], []]);
  });

  test("resync ends the subscription and is reported; the client may subscribe again", async () => {
    const { client, host, onFrame, feed, seqs, resyncs } = await subscribe();
    host.send({ frame: "resync", sessionId: SESSION, reason: "too slow" });
    await feed(event(1));
    expect([seqs, resyncs]).toEqual([[], ["too slow"]]);
    const more: number[] = [];
    const waiting = client.subscribe(SESSION, { epoch: 1, seq: 4 }, (events) =>
      more.push(...events.map((one) => one.seq)),
    );
    await settle();
    answerSubscribe(host, onFrame());
    await waiting;
    await feed(event(5));
    expect(more).toEqual([5]);
  });

  test("a second subscription of a session is refused; after close the first gets nothing more", async () => {
    const { client, onFrame, feed, seqs, subscription } = await subscribe();
    await expect(client.subscribe(SESSION, START, () => {})).rejects.toMatchObject({ code: "conflict" });
    subscription.close();
    subscription.close();
    await feed(event(1));
    expect([seqs, onFrame()]).toEqual([[], [{ frame: "unsubscribe", sessionId: SESSION }]]);
  });

  test("a subscription dropped before its answer gets nothing, and the next one gets everything once", async () => {
    const { client, host, onFrame } = await connect();
    const seqs: string[] = [];
    const hear = (who: string) => (events: readonly SessionEvent[]) =>
      seqs.push(...events.map(({ seq }) => `${who} ${seq}`));
    const drop = new AbortController();
    void client.subscribe(SESSION, START, hear("first"), { signal: drop.signal });
    drop.abort();
    const second = client.subscribe(SESSION, START, hear("second"));
    await settle();
    const [asked, left, again] = onFrame();
    expect([asked?.frame, left?.frame, again?.frame]).toEqual(["subscribe", "unsubscribe", "subscribe"]);
    answerSubscribe(host, [asked!]);
    host.send({ frame: "events", sessionId: SESSION, events: [event(1)] });
    answerSubscribe(host, [again!]);
    host.send({ frame: "events", sessionId: SESSION, events: [event(1), event(2)] });
    await second;
    await settle();
    expect(seqs).toEqual(["second 1", "second 2"]);
  });

  test("unknown frames are ignored", async () => {
    const { host, feed, seqs } = await subscribe();
    host.send({ frame: "weather", sessionId: SESSION } as unknown as HostFrame);
    await feed(event(1));
    expect(seqs).toEqual([1]);
  });
});
