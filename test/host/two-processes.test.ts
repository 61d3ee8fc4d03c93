/** Two real processes on one data directory: one holds the session, the other is its client without anybody noticing. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { checkDataDir } from "../../src/host/index.ts";
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { HostProcess } from "./host-process.ts";
import { rounds } from "../rounds.ts";

/** More of them with KILLS=200. */
const KILLS = Number(process.env["KILLS"] ?? rounds(3, 50));

async function start({ onTestFinished }: TestContext, dataDir: string): Promise<HostProcess> {
  const hostProcess = await HostProcess.start(dataDir);
  onTestFinished(() => hostProcess.close());
  return hostProcess;
}

/** Both on the same data directory, started at once. */
function startTwo(context: TestContext, dataDir: string): Promise<[HostProcess, HostProcess]> {
  return Promise.all([start(context, dataDir), start(context, dataDir)]);
}

function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-two-"));
}

async function readAll(dataDir: string, sessionId: string): Promise<SessionEvent[]> {
  const reader = await openLogReader({ dataDir, sessionId });
  const events: SessionEvent[] = [];
  for await (const batch of reader.read(0)) events.push(...batch);
  await reader.close();
  return events;
}

function seqsOf(events: readonly SessionEvent[]): number[] {
  return events.map((event) => event.seq);
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

function ended(events: readonly SessionEvent[]): number {
  return events.filter((event) => event.type === "turn_end").length;
}

/** The processes in which the members answered. */
function pidsIn(events: readonly SessionEvent[]): number[] {
  const text = events.filter((event) => event.type === "text_done").map((event) => event.text);
  return [...text.join("\n").matchAll(/\[pid (\d+)\]/g)].map(([, pid]) => Number(pid));
}

function sentIds(events: readonly SessionEvent[]): (string | undefined)[] {
  return events.flatMap((event) => {
    if (event.type === "user_message") return [event.clientMessageId];
    return event.type === "queue_updated" ? event.items.map((item) => item.clientMessageId) : [];
  });
}

/** Turns that were running when that epoch ended. */
function openAtEndOf(events: readonly SessionEvent[], epoch: number): string[] {
  const started = events.filter((event) => event.type === "turn_start" && event.epoch === epoch);
  const turnIds = started.map((event) => event.turnId ?? "");
  return turnIds.filter((turnId) => !endsOf(events, turnId).some((end) => end.epoch === epoch));
}

function endsOf(events: readonly SessionEvent[], turnId: string): SessionEvent[] {
  return events.filter((event) => event.type === "turn_end" && event.turnId === turnId);
}

describe.concurrent("two processes on one session", () => {
  test("[H20] both see the same events in the same order, and a command of the second acts in the first", async (context) => {
    const dataDir = newDataDir();
    const [first, second] = await startTwo(context, dataDir);
    const sessionId = await first.create();
    await first.subscribe(sessionId);
    await second.subscribe(sessionId);
    expect(await second.send(sessionId, "stream 40", "m1")).toMatchObject({ ok: true });
    await first.until("the first answer", (events) => ended(events) === 1);
    expect(await first.send(sessionId, "again", "m2")).toMatchObject({ ok: true });
    for (const hostProcess of [first, second]) await hostProcess.until("both answers", (events) => ended(events) === 2);
    await second.until("as many events", (events) => events.length >= first.events.length);
    await first.until("as many events", (events) => events.length >= second.events.length);
    expect(second.events).toEqual(first.events);
    expect(pidsIn(first.events)).toEqual([first.pid, first.pid]);
    const onDisk = await readAll(dataDir, sessionId);
    expect(seqsOf(first.events)).toEqual(countTo(first.events.length));
    expect(onDisk.slice(0, first.events.length)).toEqual(first.events);
  });

  test("[H21] when the holder is killed the other takes over: nothing acknowledged is missing, no gap, no repeat", async (context) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);
    console.log(`seed ${seed}`);
    let random = seed;
    for (let round = 0; round < KILLS; round += 1) {
      random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
      const dataDir = newDataDir();
      const [first, second] = await startTwo(context, dataDir);
      const sessionId = await first.create();
      await second.subscribe(sessionId);
      const acks = [second.send(sessionId, "stream 200", `r${round}-a`)];
      const killAfter = random % 120;
      await second.until("the stream", (events) => events.length > killAfter);
      for (const name of ["b", "c", "d"]) acks.push(second.send(sessionId, "stream 5", `r${round}-${name}`));
      await first.kill();
      const answers = await Promise.all(acks);
      expect(answers.map((ack) => ack.ok)).toEqual([true, true, true, true]);
      expect(await second.send(sessionId, "and now", `r${round}-last`)).toMatchObject({ ok: true });
      await second.call({ do: "snapshot", sessionId });
      const onDisk = await readAll(dataDir, sessionId);
      const lastSeq = Math.max(...answers.map((ack) => (ack.ok ? ack.seq : 0)));
      await second.until("everything acknowledged", (events) => (events.at(-1)?.seq ?? 0) >= lastSeq);
      expect([second.resyncs, seqsOf(second.events)]).toEqual([[], countTo(second.events.length)]);
      expect(onDisk.slice(0, second.events.length)).toEqual(second.events.slice(0, onDisk.length));
      const sent = ["a", "b", "c", "d", "last"].map((name) => `r${round}-${name}`);
      expect(new Set(sentIds(onDisk))).toEqual(new Set(sent));
      const cut = openAtEndOf(onDisk, 1);
      const recovered = onDisk.filter((event) => event.type === "recovered").map((event) => event.turnIds);
      expect(recovered).toEqual(cut.length > 0 ? [cut] : []);
      for (const turnId of cut) expect(endsOf(onDisk, turnId)).toMatchObject([{ outcome: "interrupted", epoch: 2 }]);
      await second.close();
    }
  });

  test("a holder that shuts down in order hands the session over without a gap", async (context) => {
    const dataDir = newDataDir();
    const [first, second] = await startTwo(context, dataDir);
    const sessionId = await first.create();
    await second.subscribe(sessionId);
    await second.send(sessionId, "stream 500", "m1");
    await second.until("the stream", (events) => events.length > 30);
    await first.close();
    expect(await second.send(sessionId, "after", "m2")).toMatchObject({ ok: true });
    expect([second.resyncs, seqsOf(second.events)]).toEqual([[], countTo(second.events.length)]);
    const report = await checkDataDir(dataDir);
    expect(report.sessions).toMatchObject([{ sessionId, isWhole: true, isHeld: true }]);
  });

  test("[H23] of processes that open the same session at the same moment exactly one holds it, every time", async (context) => {
    const dataDir = newDataDir();
    const maker = await start(context, dataDir);
    const sessionIds: string[] = [];
    for (let count = 0; count < rounds(12, 200); count += 1) sessionIds.push(await maker.create());
    await maker.close();
    const tables = await startTwo(context, dataDir);
    for (const sessionId of sessionIds) {
      const acks = await Promise.all(
        tables.map(async (hostProcess) => {
          await hostProcess.subscribe(sessionId);
          return hostProcess.send(sessionId, "who are you", `${sessionId}-${hostProcess.pid}`);
        }),
      );
      expect(acks).toMatchObject([{ ok: true }, { ok: true }]);
      const here = (events: readonly SessionEvent[]) => events.filter((event) => event.sessionId === sessionId);
      for (const hostProcess of tables) await hostProcess.until("both answers", (events) => ended(here(events)) === 2);
      const [one, two] = tables.map((hostProcess) => here(hostProcess.events));
      const shared = Math.min(one!.length, two!.length);
      expect(one!.slice(0, shared)).toEqual(two!.slice(0, shared));
      expect(new Set(pidsIn(one!)).size).toBe(1);
      expect(new Set(one!.map((event) => event.epoch))).toEqual(new Set([1, 2]));
    }
    expect((await checkDataDir(dataDir)).isWhole).toBe(true);
  });

  test("a stopped holder is reported in bounded time, and serves again when it continues", async (context) => {
    const dataDir = newDataDir();
    const [first, second] = await startTwo(context, dataDir);
    const sessionId = await first.create();
    await first.subscribe(sessionId);
    first.signal("SIGSTOP");
    await expect(second.subscribe(sessionId)).rejects.toMatchObject({ code: "locked" });
    first.signal("SIGCONT");
    await second.subscribe(sessionId);
    expect(await second.send(sessionId, "hello", "m1")).toMatchObject({ ok: true });
  });
});
