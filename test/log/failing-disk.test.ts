/** What the log does and says while the disk fails. */
import { describe, expect, test } from "vitest";
import { openFileLog, type EventLog, type StoreReport } from "../../src/log/index.ts";
import { RoundtableError, type SessionEvent } from "../../src/protocol/index.ts";
import { delta, message, readAll, textOf } from "./drafts.ts";
import { createHandClock, idle, type HandClock } from "./hand-clock.ts";
import { DATA, LOG_PATH, SESSION } from "./history.ts";
import { MemoryFiles } from "./memory-files.ts";

interface Bench {
  files: MemoryFiles;
  clock: HandClock;
  log: EventLog;
  received: string[];
  reports: StoreReport[];
}

async function open(): Promise<Bench> {
  const files = new MemoryFiles();
  const clock = createHandClock();
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock });
  const bench: Bench = { files, clock, log, received: [], reports: [] };
  log.follow(0, (events) => void bench.received.push(...events.map(textOf)));
  log.onStore((report) => bench.reports.push(report));
  files.trace.length = 0;
  return bench;
}

const syncs = ({ files }: Bench): number => files.trace.filter((line) => line.startsWith("datasync")).length;

describe("two classes", () => {
  test("[L2] a sync event is delivered after fdatasync and not before", async () => {
    const bench = await open();
    const gate = Promise.withResolvers<void>();
    bench.files.syncGate = gate.promise;
    const { committed } = bench.log.append([message("one")]);
    await idle();
    expect([bench.received, bench.log.committedSeq, syncs(bench)]).toEqual([[], 0, 1]);
    expect(await readAll(bench.log)).toEqual([]);
    gate.resolve();
    await committed;
    expect([bench.received, bench.log.committedSeq]).toEqual([["one"], 1]);
  });

  test("[L2] a stream event is delivered after its write, without waiting for fdatasync", async () => {
    const bench = await open();
    const gate = Promise.withResolvers<void>();
    bench.files.syncGate = gate.promise;
    await bench.log.append([delta("one")]).committed;
    expect(bench.received).toEqual(["one"]);
    gate.resolve();
    await idle();
    expect(syncs(bench)).toBe(1);
    bench.clock.advance(1000);
    await idle();
    expect(syncs(bench)).toBe(1);
  });

  test("a stream event is synced at once, and those that come within 48 ms after that together", async () => {
    const bench = await open();
    await bench.log.append([delta("one")]).committed;
    await idle();
    expect(syncs(bench)).toBe(1);
    for (const text of ["two", "three"]) {
      bench.clock.advance(20);
      await bench.log.append([delta(text)]).committed;
      await idle();
    }
    expect([bench.received, syncs(bench)]).toEqual([["one", "two", "three"], 1]);
    bench.clock.advance(8);
    await idle();
    expect(syncs(bench)).toBe(2);
    bench.clock.advance(48);
    await bench.log.append([delta("four")]).committed;
    await idle();
    expect(syncs(bench)).toBe(3);
  });

  test("[L2] a stream event does not overtake a sync event that waits for the disk", async () => {
    const bench = await open();
    const gate = Promise.withResolvers<void>();
    bench.files.syncGate = gate.promise;
    bench.log.append([message("one")]);
    await idle();
    const { committed } = bench.log.append([delta("two")]);
    await idle();
    expect(bench.received).toEqual([]);
    gate.resolve();
    await committed;
    expect(bench.received).toEqual(["one", "two"]);
  });

  test("[L2] what is appended in one go is one write", async () => {
    const bench = await open();
    bench.log.append([message("1")]);
    bench.log.append([delta("2")]);
    await bench.log.append([message("3"), delta("4")]).committed;
    expect(bench.files.trace.filter((line) => line.startsWith("write"))).toHaveLength(1);
  });
});

describe("a full disk", () => {
  test("[L21] reports it at once, queues events, leaves nothing half-written, and recovers", async () => {
    const bench = await open();
    await bench.log.append([message("before")]).committed;
    const whole = bench.files.contentOf(LOG_PATH);
    bench.files.freeBytes = 100;
    const { events, committed } = bench.log.append([message("during"), delta("too")]);
    await idle();
    expect(bench.reports).toMatchObject([{ state: "full", dropped: 0 }]);
    expect(bench.log.store.backlogBytes).toBeGreaterThan(300);
    expect(bench.files.contentOf(LOG_PATH)).toEqual(whole);
    await expect(bench.log.flush()).rejects.toThrow(expect.objectContaining({ code: "store_unavailable" }) as Error);
    bench.clock.advance(5000);
    await idle();
    expect(bench.received).toEqual(["before"]);
    bench.files.freeBytes = Infinity;
    bench.clock.advance(1000);
    await committed;
    await idle();
    expect(bench.log.store).toEqual({ state: "ok", message: "", backlogBytes: 0, dropped: 0 });
    expect(bench.reports.map(({ state }) => state)).toEqual(["full", "ok"]);
    const all = await readAll(bench.log);
    expect(all.slice(1, 3)).toEqual(events);
    expect(all[3]).toMatchObject({ type: "read_only", fromTs: 1_700_000_000_000, toTs: 1_700_000_006_000, dropped: 0 });
    expect(all).toHaveLength(4);
  });

  test("[L22] beyond 8 MiB stream events are refused and counted, sync events use 1 MiB more, then nothing is accepted", async () => {
    const bench = await open();
    bench.files.freeBytes = 0;
    bench.log.append([message("first")]);
    await idle();
    const large = "x".repeat(200_000);
    let refused = 0;
    for (let i = 0; i < 50; i++) refused += 1 - bench.log.append([delta(large)]).events.length;
    expect(refused).toBe(9);
    expect(bench.log.store).toMatchObject({ state: "full", dropped: 9 });
    const mixed = bench.log.append([delta(large), message(large), delta(large)]);
    expect(mixed.events.map(({ type }) => type)).toEqual(["user_message"]);
    let accepted = 0;
    expect(() => {
      for (;;) accepted += bench.log.append([message(large)]).events.length;
    }).toThrow(expect.objectContaining({ code: "store_unavailable" }) as Error);
    expect(accepted).toBeGreaterThan(2);
    expect(bench.log.store.backlogBytes).toBeLessThan(9 * 1024 * 1024 + 1000);
    bench.files.freeBytes = Infinity;
    bench.clock.advance(1000);
    await mixed.committed;
    await idle(60);
    const all = await readAll(bench.log);
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: all.length }, (_, i) => i + 1));
    expect(all.at(-1)).toMatchObject({ type: "read_only", dropped: 11 });
    expect(all).toHaveLength(1 + 41 + 1 + accepted + 1);
  });

  test("[L21] closing while the disk is full rejects pending waits and leaves a whole log", async () => {
    const bench = await open();
    await bench.log.append([message("kept")]).committed;
    bench.files.freeBytes = 10;
    const { committed } = bench.log.append([message("lost")]);
    const told = expect(committed).rejects.toThrow(expect.objectContaining({ code: "closed" }) as Error);
    await idle();
    await bench.log.close();
    await told;
    bench.files.freeBytes = Infinity;
    const again = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files });
    expect(again.recovery).toEqual({ tornBytes: 0, tornFile: undefined, damages: [] });
    expect((await readAll(again)).map(textOf)).toEqual(["kept"]);
    await again.close();
  });
});

describe("a failed fdatasync", () => {
  test("[L23] acknowledges nothing, is never repeated on that file, and the unsynced bytes are written again", async () => {
    const bench = await open();
    await bench.log.append([message("safe")]).committed;
    const before = bench.files.trace.length;
    bench.files.fault = { at: 1, operations: ["datasync"], effect: { error: "EIO" } };
    const { events, committed } = bench.log.append([message("one"), delta("two")]);
    await committed;
    const steps = bench.files.trace.slice(before).map((line) => line.split(" ")[0]);
    expect(steps.slice(0, 8)).toEqual(["stat", "write", "datasync", "stat", "open", "fstat", "truncate", "write"]);
    expect(bench.reports.map(({ state }) => state)).toContain("read-only");
    await idle();
    expect(bench.log.store.state).toBe("ok");
    const after = bench.files.powerCut(() => 0);
    const again = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: after });
    const all = await readAll(again);
    expect(all.slice(1, 3)).toEqual(events);
    expect(all[3]).toMatchObject({ type: "read_only" });
    await again.close();
  });

  test("[L23] a stream event already delivered is written again and not delivered twice", async () => {
    const bench = await open();
    bench.files.fault = { at: 1, operations: ["datasync"], effect: { error: "EIO" } };
    await bench.log.append([delta("one")]).committed;
    expect(bench.received).toEqual(["one"]);
    await idle();
    expect(bench.received).toEqual(["one", "read_only"]);
    const after = bench.files.powerCut(() => 0);
    const again = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: after });
    expect((await readAll(again)).map(textOf)).toEqual(["one", "read_only"]);
    await again.close();
  });
});

test("[L23] what a failed fdatasync of an earlier writer dropped is written again when the log is opened", async () => {
  const bench = await open();
  await bench.log.append([delta("heard")]).committed;
  bench.files.fault = { at: 1, operations: ["datasync"], effect: { error: "EIO" }, persistent: true };
  bench.clock.advance(50);
  await idle();
  await bench.log.close();
  await expect(openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files })).rejects.toThrow("EIO");
  bench.files.fault = undefined;
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files });
  await log.append([message("acknowledged")]).committed;
  const again = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files.powerCut(() => 0) });
  expect((await readAll(again)).map(textOf)).toEqual(["heard", "acknowledged"]);
  await again.close();
});

test("written comes with the write and waits for no sync; where nothing can be written it waits for that", async () => {
  const bench = await open();
  const gate = Promise.withResolvers<void>();
  bench.files.syncGate = gate.promise;
  const { committed } = bench.log.append([message("one")]);
  await bench.log.written();
  expect(bench.received).toEqual([]);
  gate.resolve();
  await committed;
  bench.files.fault = { at: 1, operations: ["write"], effect: { error: "ENOSPC" }, persistent: true };
  const second = bench.log.append([message("two")]);
  let isWritten = false;
  const written = bench.log.written().then(() => (isWritten = true));
  await idle();
  expect(isWritten).toBe(false);
  bench.files.fault = undefined;
  bench.clock.advance(1000);
  await written;
  await second.committed;
  expect((await readAll(bench.log)).map(textOf).slice(0, 2)).toEqual(["one", "two"]);
  bench.files.fault = { at: 1, operations: ["write"], effect: { error: "ENOSPC" }, persistent: true };
  bench.log.append([message("three")]).committed.catch(() => undefined);
  const before = bench.log.written().catch((error: unknown) => String(error));
  const closing = bench.log.close();
  await idle();
  bench.clock.advance(60_000);
  await closing;
  expect(await before).toContain("closed");
  await expect(bench.log.written()).rejects.toThrow("closed");
});

describe("a sync of streamed text that fails", () => {
  test("[L89] the text is written again and not delivered twice", async () => {
    const bench = await open();
    bench.files.fault = { at: 1, operations: ["datasync"], effect: { error: "EIO" } };
    await bench.log.append([delta("one")]).committed;
    await idle();
    expect(bench.received).toEqual(["one", "read_only"]);
    expect(bench.reports.map(({ state }) => state)).toEqual(["read-only", "ok"]);
    const after = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files.powerCut(() => 0) });
    expect((await readAll(after)).map(textOf)).toEqual(["one", "read_only"]);
    await after.close();
  });

  test("[L89] a delayed sync that fails is reported as read-only until the file can be reopened", async () => {
    const bench = await open();
    await bench.log.append([delta("one")]).committed;
    await idle();
    await bench.log.append([delta("two")]).committed;
    bench.files.fault = { at: 1, operations: ["datasync", "open"], effect: { error: "EIO" }, persistent: true };
    bench.clock.advance(48);
    await idle();
    expect(bench.log.store.state).toBe("read-only");
    bench.files.fault = undefined;
    bench.clock.advance(1000);
    await idle();
    expect([bench.log.store.state, bench.received]).toEqual(["ok", ["one", "two", "read_only"]]);
  });
});

test("reports an fdatasync of more than a second as slow, and as ok afterwards", async () => {
  const bench = await open();
  const gate = Promise.withResolvers<void>();
  bench.files.syncGate = gate.promise;
  const { committed } = bench.log.append([message("slow")]);
  await idle();
  bench.clock.advance(999);
  expect(bench.reports).toEqual([]);
  bench.clock.advance(1);
  expect(bench.reports.map(({ state }) => state)).toEqual(["slow"]);
  gate.resolve();
  await committed;
  expect(bench.reports.map(({ state }) => state)).toEqual(["slow", "ok"]);
  expect((await readAll(bench.log)).map(textOf)).toEqual(["slow"]);
});

test("the disk is not blamed for a second in which this process was suspended", async () => {
  const bench = await open();
  const gate = Promise.withResolvers<void>();
  bench.files.syncGate = gate.promise;
  const { committed } = bench.log.append([message("in time")]);
  await idle();
  // Timers come first when a process wakes; what the disk did meanwhile is heard right after them.
  bench.clock.standStill(1500);
  gate.resolve();
  await committed;
  bench.clock.advance(5000);
  expect(bench.reports).toEqual([]);
});

test("events refused because the disk was slow are counted in the log when it is over", async () => {
  const bench = await open();
  const gate = Promise.withResolvers<void>();
  bench.files.syncGate = gate.promise;
  const { committed } = bench.log.append([message("slow")]);
  await idle();
  bench.clock.advance(1000);
  const large = "x".repeat(200_000);
  let accepted = 0;
  for (let i = 0; i < 50; i++) accepted += bench.log.append([delta(large)]).events.length;
  expect([accepted, bench.log.store.dropped]).toEqual([41, 9]);
  gate.resolve();
  await committed;
  await idle(60);
  const last = (await readAll(bench.log)).at(-1);
  expect(last).toMatchObject({ type: "read_only", seq: 43, fromTs: 1_700_000_001_000, dropped: 9 });
  expect(bench.log.store).toMatchObject({ state: "ok", dropped: 0, backlogBytes: 0 });
});

test("[L25] a data directory moved away while running: read-only, nothing written there, and it recovers when it is back", async () => {
  const bench = await open();
  await bench.log.append([message("here")]).committed;
  bench.files.moveAway(DATA, "/elsewhere");
  const moved = LOG_PATH.replace(DATA, "/elsewhere");
  const whole = bench.files.contentOf(moved);
  const { committed } = bench.log.append([message("waiting")]);
  await idle();
  expect(bench.log.store.state).toBe("read-only");
  expect(bench.log.store.message).toContain("is gone");
  bench.clock.advance(3000);
  await idle();
  expect(bench.files.contentOf(moved)).toEqual(whole);
  expect(bench.files.paths().filter((path) => path.startsWith(DATA))).toEqual([]);
  bench.files.replaceContent(LOG_PATH, Buffer.from("another file"));
  bench.clock.advance(1000);
  await idle();
  expect(bench.log.store.message).toContain("has been replaced by another file");
  expect(bench.files.contentOf(LOG_PATH)?.toString()).toBe("another file");
  bench.files.unlink(LOG_PATH);
  bench.files.moveAway("/elsewhere", DATA);
  bench.clock.advance(1000);
  await committed;
  await idle();
  expect((await readAll(bench.log)).map(textOf)).toEqual(["here", "waiting", "read_only"]);
});

test("[L25] a log moved away between two writes that one sync would be for is not written there either", async () => {
  const bench = await open();
  await bench.log.append([message("here")]).committed;
  await bench.log.append([delta("one")]).committed;
  bench.files.moveAway(DATA, "/elsewhere");
  const moved = LOG_PATH.replace(DATA, "/elsewhere");
  const whole = bench.files.contentOf(moved);
  bench.log.append([delta("two")]);
  await idle();
  expect(bench.log.store.message).toContain("is gone");
  expect(bench.files.contentOf(moved)).toEqual(whole);
});

test("opening for writing on a failing disk reports it and changes nothing", async () => {
  const bench = await open();
  await bench.log.append([message("kept")]).committed;
  await bench.log.close();
  bench.files.fault = { at: 1, operations: ["create"], effect: { error: "EROFS" } };
  const refused: unknown = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files }).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(RoundtableError);
  expect(refused).toMatchObject({ code: "store_unavailable", message: expect.stringContaining("EROFS") as string });
  const again = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files });
  expect([again.epoch, (await readAll(again)).map(textOf)]).toEqual([2, ["kept"]]);
  await again.close();
});

test("[L6] a follower of events that are only in the file survives a disk that does not give them for a while", async () => {
  const bench = await open();
  await bench.log.append([message("one")]).committed;
  await bench.log.close();
  const clock = createHandClock();
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: bench.files, clock });
  bench.files.fault = { at: 1, operations: ["read", "open"], effect: { error: "EIO" }, persistent: true };
  const received: SessionEvent[] = [];
  log.follow(0, (events) => void received.push(...events));
  await idle();
  expect(received).toEqual([]);
  bench.files.fault = undefined;
  clock.advance(1000);
  await idle();
  expect(received.map(textOf)).toEqual(["one"]);
  await log.close();
});
