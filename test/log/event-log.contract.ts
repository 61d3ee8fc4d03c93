/** What any store of a log must do. Run on every store: on real files, and on a disk in memory. */
import { describe, expect, test } from "vitest";
import type { EventLog, LogReader } from "../../src/log/index.ts";
import { EVENT_BYTES_MAX, RoundtableError, type EventDraft, type SessionEvent } from "../../src/protocol/index.ts";
import { created, delta, message, readAll, textOf } from "./drafts.ts";

export interface StoreUnderTest {
  readonly sessionId: string;
  /** Opens the same log again and again; the caller closes it. */
  open(): Promise<EventLog>;
  openReader(): Promise<LogReader>;
}

type CreateStore = () => Promise<StoreUnderTest>;

export function eventLogContract(name: string, createStore: CreateStore): void {
  describe(`event log contract: ${name}`, () => {
    numbersEvents(createStore);
    countsEpochsAndFollows(createStore);
    servesManyFollowers(createStore);
    readsAndRefuses(createStore);
    knowsCursorsAndCloses(createStore);
    keepsSnapshotsAndBlobs(createStore);
    readsWithoutWriting(createStore);
  });
}

function numbersEvents(createStore: CreateStore): void {
  test("[L1] events are numbered from 1 without gaps and stamped at once", async () => {
    const store = await createStore();
    const log = await store.open();
    const { events, committed } = log.append([created(), message("one"), delta("two")]);
    expect(events.map(({ seq, epoch, sessionId, type }) => ({ seq, epoch, sessionId, type }))).toEqual([
      { seq: 1, epoch: 1, sessionId: store.sessionId, type: "session_created" },
      { seq: 2, epoch: 1, sessionId: store.sessionId, type: "user_message" },
      { seq: 3, epoch: 1, sessionId: store.sessionId, type: "text_delta" },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    await committed;
    expect(log.committedSeq).toBe(3);
    expect(await readAll(log)).toEqual(events);
    await log.close();
  });

  test("[L1] an envelope that a draft still carries does not win", async () => {
    const log = await (await createStore()).open();
    const copied = {
      ...message("copy"),
      seq: 99,
      epoch: 99,
      id: "old",
      ts: 1,
      sessionId: "other",
    } as unknown as EventDraft;
    const { events, committed } = log.append([copied]);
    expect(events[0]).toMatchObject({ seq: 1, epoch: 1, sessionId: log.sessionId });
    expect(events[0]?.id).not.toBe("old");
    await committed;
    expect(await readAll(log)).toEqual(events);
    await log.close();
  });

  test("[L2] followers and acknowledgements come in seq order, each event once", async () => {
    const log = await (await createStore()).open();
    const received: number[] = [];
    const acknowledged: number[] = [];
    log.follow(0, (events) => void received.push(...events.map(({ seq }) => seq)));
    const pending: Promise<unknown>[] = [];
    for (let i = 0; i < 200; i++) {
      const { events, committed } = log.append([i % 3 === 0 ? message(`${i}`) : delta(`${i}`)]);
      pending.push(committed.then(() => acknowledged.push(events[0]?.seq ?? 0)));
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(pending);
    const all = Array.from({ length: 200 }, (_, i) => i + 1);
    expect(received).toEqual(all);
    expect(acknowledged).toEqual(all);
    await log.close();
  });
}

function countsEpochsAndFollows(createStore: CreateStore): void {
  test("[L5] the epoch is one more at each opening, also when nothing was appended in between", async () => {
    const store = await createStore();
    const epochs: number[] = [];
    for (let i = 0; i < 3; i++) {
      const log = await store.open();
      epochs.push(log.epoch);
      await log.close();
    }
    const log = await store.open();
    const { events } = log.append([message("late")]);
    expect([...epochs, log.epoch, events[0]?.epoch]).toEqual([1, 2, 3, 4, 4]);
    await log.close();
  });

  test("[L6] follow gives stored events, then live ones, without a gap or a repeat, from any seq", async () => {
    const store = await createStore();
    const first = await store.open();
    await first.append(Array.from({ length: 20 }, (_, i) => message(`${i + 1}`))).committed;
    await first.close();
    const log = await store.open();
    const received = new Map<number, string[]>();
    for (const after of [0, 7, 19, 20]) {
      received.set(after, []);
      log.follow(after, (events) => void received.get(after)?.push(...events.map(textOf)));
    }
    for (let i = 21; i <= 60; i++) {
      await log.append([i % 2 === 0 ? delta(`${i}`) : message(`${i}`)]).committed;
      if (i === 40) {
        received.set(33, []);
        log.follow(33, (events) => void received.get(33)?.push(...events.map(textOf)));
      }
    }
    await eventually(() => [...received.values()].every((texts) => texts.at(-1) === "60"));
    for (const [after, texts] of received) {
      expect(texts).toEqual(Array.from({ length: 60 - after }, (_, i) => `${after + 1 + i}`));
    }
    await log.close();
  });
}

function servesManyFollowers(createStore: CreateStore): void {
  test("[L6] a follower is never called while its promise is pending, and then continues where it was", async () => {
    const log = await (await createStore()).open();
    const received: number[] = [];
    let calls = 0;
    let release: () => void = () => undefined;
    log.follow(0, async (events) => {
      calls++;
      received.push(...events.map(({ seq }) => seq));
      await new Promise<void>((resolve) => (release = resolve));
    });
    await log.append([message("first")]).committed;
    await eventually(() => calls === 1);
    for (let i = 0; i < 6000; i += 100)
      await log.append(Array.from({ length: 100 }, (_, k) => delta(`${i + k}`))).committed;
    expect(calls).toBe(1);
    while (received.length < 6001) {
      const before = calls;
      release();
      await eventually(() => calls > before || received.length === 6001);
    }
    expect(received).toEqual(Array.from({ length: 6001 }, (_, i) => i + 1));
    await log.close();
  });

  test("[L6] followers share the event objects, and a stopped one receives nothing more", async () => {
    const log = await (await createStore()).open();
    const received: SessionEvent[][] = [[], []];
    const stops = received.map((list) => log.follow(0, (events) => void list.push(...events)));
    const { events, committed } = log.append([message("shared")]);
    await committed;
    await eventually(() => received.every((list) => list.length === 1));
    expect(received[0]?.[0]).toBe(events[0]);
    expect(received[1]?.[0]).toBe(events[0]);
    stops[1]?.();
    await log.append([message("second")]).committed;
    await eventually(() => received[0]?.length === 2);
    expect(received[1]?.length).toBe(1);
    await log.close();
  });
}

function readsAndRefuses(createStore: CreateStore): void {
  test("reading from any cursor gives exactly the events after it", async () => {
    const store = await createStore();
    const log = await store.open();
    const { events, committed } = log.append(Array.from({ length: 1200 }, (_, i) => delta(`${i}`.repeat((i % 5) + 1))));
    await committed;
    for (const after of [0, 1, 254, 255, 256, 257, 511, 1023, 1199, 1200, 5000]) {
      expect(await readAll(log, after)).toEqual(events.slice(after));
    }
    await log.close();
    const reader = await store.openReader();
    for (const after of [0, 256, 1199, 1200]) expect(await readAll(reader, after)).toEqual(events.slice(after));
    await reader.close();
  });

  test("[L8] an event that can never be written is refused before anything gets a seq", async () => {
    const log = await (await createStore()).open();
    const damage: EventDraft = { type: "damage", fromSeq: 1, toSeq: 1, offset: 0, bytes: 0 };
    expect(() => log.append([message("good"), damage])).toThrow(RoundtableError);
    expect(() => log.append([message("good"), message("x".repeat(EVENT_BYTES_MAX))])).toThrow(
      expect.objectContaining({ code: "too_large" }) as Error,
    );
    expect(log.append([message("next")]).events[0]?.seq).toBe(1);
    const largest = EVENT_BYTES_MAX - 400;
    await log.append([message("é".repeat(largest / 4))]).committed;
    expect((await readAll(log)).map(({ seq }) => seq)).toEqual([1, 2]);
    await log.close();
  });

  test("[L13] types and fields this version does not know are kept untouched", async () => {
    const store = await createStore();
    const log = await store.open();
    const strange = {
      type: "from_the_future",
      crc: "not ours",
      nested: { seq: 7, crc: "0a1b2c3d" },
      text: "\ud800 \u0000 \n",
    };
    const { events, committed } = log.append([strange as unknown as EventDraft]);
    await committed;
    await log.close();
    const reader = await store.openReader();
    expect(await readAll(reader)).toEqual(events);
    expect(events[0]).toMatchObject(strange);
    await reader.close();
  });
}

function knowsCursorsAndCloses(createStore: CreateStore): void {
  test("[L14] a cursor is known when the log can have given it out, and not otherwise", async () => {
    const store = await createStore();
    const first = await store.open();
    await first.append([message("1"), message("2")]).committed;
    await first.close();
    await (await store.open()).close();
    const log = await store.open();
    await log.append([message("3")]).committed;
    const cursors: [number, number, boolean][] = [
      [0, 0, true],
      [1, 0, true],
      [1, 1, true],
      [2, 1, false],
      [1, 2, true],
      [2, 2, true],
      [3, 2, true],
      [3, 3, true],
      [1, 3, false],
      [4, 3, false],
      [3, 4, false],
    ];
    for (const [epoch, seq, known] of cursors) {
      expect([epoch, seq, await log.knows({ epoch, seq })]).toEqual([epoch, seq, known]);
    }
    await log.close();
  });

  test("a closed log refuses appends, ends its followers, and may be closed twice", async () => {
    const log = await (await createStore()).open();
    const received: string[] = [];
    log.follow(0, (events) => void received.push(...events.map(textOf)));
    const { committed } = log.append([delta("last words")]);
    await Promise.all([log.close(), log.close()]);
    await committed;
    expect(received).toEqual(["last words"]);
    expect(() => log.append([message("late")])).toThrow(expect.objectContaining({ code: "closed" }) as Error);
  });
}

function keepsSnapshotsAndBlobs(createStore: CreateStore): void {
  test("a snapshot comes back with its pages, and only while the log knows its place", async () => {
    const store = await createStore();
    const log = await store.open();
    await log.append([message("1"), message("2")]).committed;
    expect(await log.snapshots.load()).toBeUndefined();
    const snapshot = { foldVersion: 1, epoch: log.epoch, seq: 2, frozenPages: 2, state: { head: ["a"] } };
    await log.snapshots.save(snapshot, [
      { index: 0, page: ["p0"] },
      { index: 1, page: { p: 1 } },
    ]);
    await log.close();
    const reader = await store.openReader();
    expect(await reader.snapshots.load()).toEqual(snapshot);
    expect([await reader.snapshots.page(0), await reader.snapshots.page(1)]).toEqual([["p0"], { p: 1 }]);
    expect(await reader.snapshots.page(2)).toBeUndefined();
    await reader.close();
    const again = await store.open();
    await again.snapshots.save({ ...snapshot, epoch: again.epoch, seq: 9 }, []);
    expect(await again.snapshots.load()).toBeUndefined();
    await again.snapshots.save({ ...snapshot, epoch: again.epoch, seq: 2, foldVersion: 2, frozenPages: 1 }, []);
    expect((await again.snapshots.load())?.foldVersion).toBe(2);
    expect(await again.snapshots.page(0)).toBeUndefined();
    await again.close();
  });

  test("[L17] a blob is found by its hash, with its ends in the reference, cut between characters", async () => {
    const store = await createStore();
    const log = await store.open();
    const text = "ä".repeat(1500);
    const ref = await log.blobs.put(Buffer.from(text), "text/plain");
    expect(ref).toMatchObject({ bytes: 3000, mime: "text/plain", head: "ä".repeat(512), tail: "ä".repeat(512) });
    expect(await log.blobs.put(Buffer.from(text), "text/plain")).toEqual(ref);
    expect(Buffer.from((await log.blobs.get(ref.sha256)) ?? []).toString()).toBe(text);
    expect(await log.blobs.get("0".repeat(64))).toBeUndefined();
    expect(await log.blobs.get("../../etc/passwd")).toBeUndefined();
    expect(await log.blobs.put(Buffer.from([0xff, 0xfe]))).toEqual({
      sha256: expect.any(String) as string,
      bytes: 2,
    });
    await log.close();
  });
}

function readsWithoutWriting(createStore: CreateStore): void {
  test("[L18] a reader sees committed events and can change nothing", async () => {
    const store = await createStore();
    const log = await store.open();
    const { events, committed } = log.append([message("1"), delta("2")]);
    await committed;
    const reader = await store.openReader();
    expect(await readAll(reader)).toEqual(events);
    expect({ seq: reader.committedSeq, epoch: reader.epoch }).toEqual({ seq: 2, epoch: 1 });
    const unsupported = expect.objectContaining({ code: "unsupported" }) as Error;
    await expect(reader.blobs.put(Buffer.from("x"))).rejects.toThrow(unsupported);
    await expect(
      reader.snapshots.save({ foldVersion: 1, epoch: 1, seq: 2, frozenPages: 0, state: null }, []),
    ).rejects.toThrow(unsupported);
    await reader.close();
    await log.close();
  });

  test("flush resolves when everything appended is on disk", async () => {
    const store = await createStore();
    const log = await store.open();
    log.append([delta("1"), delta("2")]);
    await log.flush();
    expect(log.committedSeq).toBe(2);
    await log.flush();
    await log.close();
  });
}

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !isTrue(); turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isTrue()).toBe(true);
}
