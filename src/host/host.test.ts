import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createConnectionPair, type CommandBody } from "../client/index.ts";
import { acquireLock, openLogReader } from "../log/index.ts";
import { nodeFiles } from "../log/files/node-files.ts";
import { PROTOCOL_VERSION, type ClientFrame, type HostFrame, type SessionEvent } from "../protocol/index.ts";
import { empty, fold, fromSnapshot, type Transcript } from "../transcript/index.ts";
import { createManualClock, type ManualClock } from "../../test/host/manual-clock.ts";
import {
  BEGINNING,
  connect,
  countTo,
  createSession,
  createSluggishConnection,
  listen,
  newDataDir,
  openHost,
  seqsOf,
  turnsEnded,
  until,
} from "../../test/host/open-host.ts";
import { openedHosts } from "../../test/host/opened-hosts.ts";
import { patient } from "../../test/patience.ts";
import { BACKLOG_BYTES_MAX } from "./connections/drain.ts";
import type { Host } from "./host.ts";

const open = openedHosts();

const HOLDER = { pid: process.pid, socket: "/nowhere", hostId: "TEST" };

async function isFree(dataDir: string, sessionId: string): Promise<boolean> {
  const lock = await acquireLock({ dataDir, sessionId, holder: HOLDER });
  if ("heldBy" in lock) return false;
  lock.release();
  return true;
}

async function readAll(dataDir: string, sessionId: string): Promise<SessionEvent[]> {
  const reader = await openLogReader({ dataDir, sessionId });
  const events: SessionEvent[] = [];
  for await (const batch of reader.read(0)) events.push(...batch);
  await reader.close();
  return events;
}

/** A connection for raw frames. */
function speak(host: Host) {
  const [near, far] = createConnectionPair();
  const heard: HostFrame[] = [];
  near.onFrame((frame) => heard.push(frame));
  let closed: string | undefined;
  near.onClose((reason) => (closed = reason));
  host.serve(far);
  const say = (frame: unknown) => near.send(frame as ClientFrame);
  return { say, heard, closed: () => closed };
}

const HELLO = { frame: "hello", protocol: PROTOCOL_VERSION, clientId: "hand" };

describe("sessions", () => {
  test("one connection creates, follows, sends to and lists a session; every event is in the log", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host, "me");
    const sessionId = await createSession(client, dataDir);
    const heard = await listen(client, sessionId);
    const ack = await client.command(sessionId, { type: "send", text: "hello", clientMessageId: "m1" });
    expect(ack).toMatchObject({ ok: true });
    await until("the answer", () => turnsEnded(heard.events) === 1);
    await until("the delivery", () => heard.events.at(-1)?.type === "message_delivery");
    expect(await readAll(dataDir, sessionId)).toEqual(heard.events);
    expect(heard.events.find((event) => event.type === "user_message")).toMatchObject({
      text: "hello",
      clientId: "me",
    });
    const last = heard.events.at(-1)!;
    const summary = {
      sessionId,
      title: "test",
      cwd: dataDir,
      members: ["echo"],
      messages: 2,
      turns: 1,
      status: "idle",
    };
    expect(await client.list()).toEqual([
      { ...summary, createdTs: heard.events[0]!.ts, updatedTs: last.ts, archived: false, seq: last.seq },
    ]);
    const files = await client.command(sessionId, { type: "list_files", query: "jsonl", limit: 5 });
    expect(files).toMatchObject({ ok: true, result: { files: [`logs/${sessionId}.jsonl`] } });
  });

  test("a session in a directory that does not exist is refused and leaves nothing behind", async () => {
    const dataDir = newDataDir();
    const client = await connect(await open(dataDir));
    await expect(createSession(client, path.join(dataDir, "missing"))).rejects.toMatchObject({ code: "bad_command" });
    await expect(createSession(client, "relative")).rejects.toMatchObject({ code: "bad_command" });
    expect([await client.list(), existsSync(path.join(dataDir, "logs"))]).toEqual([[], false]);
  });

  test("an unknown session id is refused, and nothing is created for it", async () => {
    const dataDir = newDataDir();
    const client = await connect(await open(dataDir));
    for (const sessionId of ["01J00000000000000000000000", "../../etc/passwd", ""]) {
      const ack = await client.command(sessionId, { type: "clear" });
      expect(ack).toMatchObject({ ok: false, error: { code: "unknown_session" } });
      const calls = [
        client.snapshot(sessionId),
        client.page(sessionId, 0),
        client.subscribe(sessionId, BEGINNING, () => {}),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: "unknown_session" });
    }
    expect(existsSync(path.join(dataDir, "logs"))).toBe(false);
  });

  test("[H10] reading takes no lock and writes nothing, and shows what the holder shows", async () => {
    const dataDir = newDataDir();
    const writer = await openHost(dataDir);
    const writing = await connect(writer);
    const sessionId = await createSession(writing, dataDir);
    const heard = await listen(writing, sessionId);
    for (let count = 0; count < 70; count += 1) {
      await writing.command(sessionId, { type: "send", text: `number ${count}`, clientMessageId: `m${count}` });
      await until("the answer", () => turnsEnded(heard.events) === count + 1);
    }
    const live = { snapshot: await writing.snapshot(sessionId), page: await writing.page(sessionId, 0) };
    await writer.close();
    const reading = await connect(await open(dataDir));
    const before = treeOf(dataDir);
    const stored = { snapshot: await reading.snapshot(sessionId), page: await reading.page(sessionId, 0) };
    const [summary] = await reading.list();
    await expect(reading.page(sessionId, 99)).rejects.toMatchObject({ code: "unknown_message" });
    expect(treeOf(dataDir)).toEqual(before);
    expect(await isFree(dataDir, sessionId)).toBe(true);
    expect(stored.page).toEqual(live.page);
    expect(live.snapshot.frozenPages).toBe(1);
    const all = fold(empty(sessionId), await readAll(dataDir, sessionId));
    expect(shown(fromSnapshot(stored.snapshot)!)).toEqual(shown(all));
    expect(summary).toMatchObject({ sessionId, messages: 140, turns: 70, seq: all.head.seq });
  });

  test("[H11] an idle session is closed and its lock released; a subscriber, a turn or a queue keeps it open", async () => {
    const dataDir = newDataDir();
    const clock = createManualClock();
    const client = await connect(await open(dataDir, { clock, idleMs: 60_000 }));
    const wait = <T>(what: string, promise: Promise<T>) => settled(what, promise, clock);
    const sessionId = await wait("the session", createSession(client, dataDir));
    const heard: SessionEvent[] = [];
    const listening = client.subscribe(sessionId, BEGINNING, (events) => heard.push(...events));
    const subscription = await wait("the subscription", listening);
    const command = (body: CommandBody) => wait(body.type, client.command(sessionId, body));
    const isFreeAfter = async (ms: number) => {
      for (let step = 0; step < 10; step += 1) {
        clock.advance(ms / 10);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return isFree(dataDir, sessionId);
    };
    const freeBy: Record<string, boolean> = { subscriber: await isFreeAfter(200_000) };
    await command({ type: "send", text: "hold", clientMessageId: "m1" });
    await command({ type: "send", text: "wait", clientMessageId: "m2" });
    subscription.close();
    freeBy["turn"] = await isFreeAfter(200_000);
    await command({ type: "interrupt", scope: "all" });
    freeBy["queue"] = await isFreeAfter(200_000);
    const queue = heard.findLast((event) => event.type === "queue_updated")?.items ?? [];
    for (const { messageId } of queue) await command({ type: "queue_remove", messageId });
    freeBy["nothing, for a while"] = await isFreeAfter(58_000);
    const isFreeInTheEnd = async () => {
      clock.advance(1_000);
      return await isFree(dataDir, sessionId);
    };
    await expect.poll(isFreeInTheEnd, { interval: 5, timeout: patient(30_000) }).toBe(true);
    expect([queue.length, freeBy]).toEqual([
      1,
      { subscriber: false, turn: false, queue: false, "nothing, for a while": false },
    ]);
    await command({ type: "rename", title: "open again" });
    expect((await readAll(dataDir, sessionId)).at(-1)).toMatchObject({ type: "session_renamed", epoch: 2 });
  });
});

describe("the data directory", () => {
  test("an unusable one is refused in one sentence that names it", async () => {
    const file = path.join(newDataDir(), "file");
    writeFileSync(file, "");
    await expect(openHost(file)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringContaining(`Cannot use the data directory ${file}`),
    });
  });
});

describe("frames", () => {
  test("an invalid frame is answered with an error in the form it asked for, and the connection stays open", async () => {
    const host = await open(newDataDir());
    const { say, heard, closed } = speak(host);
    const bad = (id: string, message: string) => ({
      frame: "reply",
      id,
      ok: false,
      error: { code: "bad_command", message: expect.stringContaining(message) },
    });
    say({ frame: "list", id: "early" });
    say(HELLO);
    say(HELLO);
    say(null);
    say("text");
    say({ frame: "weather", id: "7" });
    say({ frame: "snapshot", id: "8" });
    say({ frame: "command", sessionId: "S", command: { type: "explode", commandId: "c1" } });
    say({ frame: "command", sessionId: "S", command: { type: "rename", commandId: "c2", title: "" } });
    say({ frame: "command", sessionId: "S", command: null });
    say({ frame: "list", id: "9" });
    await until("the last answer", () => heard.some((frame) => frame.frame === "reply" && frame.id === "9"));
    expect(heard).toEqual([
      bad("early", "hello"),
      { frame: "welcome", protocol: PROTOCOL_VERSION, version: "0.0.0-test", hostId: host.hostId },
      bad("", "already"),
      bad("", "Malformed frame"),
      bad("", "Malformed frame"),
      bad("7", "at frame"),
      bad("8", "at sessionId"),
      { frame: "ack", sessionId: "S", ack: { commandId: "c1", ok: false, error: bad("", "at command.type").error } },
      { frame: "ack", sessionId: "S", ack: { commandId: "c2", ok: false, error: bad("", "at command.title").error } },
      bad("", "at command"),
      { frame: "reply", id: "9", ok: true, result: [] },
    ]);
    expect(closed()).toBeUndefined();
  });

  test("a client of another protocol version gets the host's version and is disconnected", async () => {
    const { say, heard, closed } = speak(await open(newDataDir()));
    say({ ...HELLO, protocol: 99 });
    await until("the close", () => closed() !== undefined);
    expect(heard).toMatchObject([{ frame: "welcome", protocol: PROTOCOL_VERSION }]);
    expect(closed()).toBe(`the client uses protocol 99, this host ${PROTOCOL_VERSION}`);
  });

  test("closing the host sends shutdown to every client and then closes its connection", async () => {
    const dataDir = newDataDir();
    const host = await openHost(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    const heard: string[] = [];
    client.onShutdown((reason) => heard.push(`shutdown: ${reason}`));
    client.onClose((reason) => heard.push(`close: ${reason}`));
    await listen(client, sessionId);
    await client.command(sessionId, { type: "send", text: "hold", clientMessageId: "m1" });
    await host.close();
    await until("the close", () => heard.length === 2);
    expect(heard).toEqual(["shutdown: the host is shutting down", "close: the host has shut down"]);
    expect(await isFree(dataDir, sessionId)).toBe(true);
    expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
    const ends = (await readAll(dataDir, sessionId)).filter((event) => event.type === "turn_end");
    expect(ends).toMatchObject([{ outcome: "interrupted" }]);
  });
});

describe("subscriptions", () => {
  test("[H15] a cursor the log cannot have given out gets resync; one it knows continues without gap or repeat", async () => {
    const dataDir = newDataDir();
    const client = await connect(await open(dataDir));
    const sessionId = await createSession(client, dataDir);
    for (const cursor of [
      { epoch: 1, seq: 999 },
      { epoch: 7, seq: 1 },
    ]) {
      const lost = await listen(client, sessionId, cursor);
      await until("the resync", () => lost.resyncs.length === 1);
      expect(lost).toEqual({
        events: [],
        resyncs: [`the log does not know the cursor epoch ${cursor.epoch}, seq ${cursor.seq}`],
        heads: [],
      });
    }
    const heard = await listen(client, sessionId, { epoch: 1, seq: 1 });
    await client.command(sessionId, { type: "rename", title: "new" });
    await until("the rename", () => heard.events.at(-1)?.type === "session_renamed");
    expect(seqsOf(heard.events)).toEqual(countTo(heard.events.length + 1).slice(1));
  });

  test("a heartbeat names the head of the log every 15 s", async () => {
    const dataDir = newDataDir();
    const clock = createManualClock();
    const client = await connect(await open(dataDir, { clock }));
    const sessionId = await settled("the session", createSession(client, dataDir), clock);
    const heard = await listen(client, sessionId);
    await until("its events", () => heard.events.length > 1, { clock });
    expect(heard.heads).toEqual([]);
    for (let beats = 1; beats <= 3; beats += 1) {
      clock.advance(15_000);
      await until("the heartbeat", () => heard.heads.length === beats);
    }
    const head = { epoch: 1, seq: heard.events.length };
    expect(heard.heads).toEqual([head, head, head]);
  });

  test("[H17] a client that reads nothing is paused at 1 MiB, gets resync after 30 s, and does not slow down the others", async () => {
    const dataDir = newDataDir();
    const clock = createManualClock();
    const host = await open(dataDir, { clock });
    const client = await connect(host);
    const sessionId = await settled("the session", createSession(client, dataDir), clock);
    const slow = createSluggishConnection();
    host.serve(slow.connection);
    slow.send(HELLO as ClientFrame);
    slow.send({ frame: "subscribe", id: "1", sessionId, cursor: BEGINNING });
    const heard = await listen(client, sessionId);
    void client.command(sessionId, { type: "send", text: "flood 1000", clientMessageId: "m1" });
    await until("the flood", () => turnsEnded(heard.events) === 1, { clock });
    expect(seqsOf(heard.events)).toEqual(countTo(heard.events.length));
    const largestFrame = 32 * 9 * 1024;
    expect(slow.sentBytes()).toBeGreaterThan(BACKLOG_BYTES_MAX);
    expect(slow.sentBytes()).toBeLessThan(BACKLOG_BYTES_MAX + largestFrame);
    expect(slow.frames.some((frame) => frame.frame === "resync")).toBe(false);
    await until("the resync", () => slow.frames.some((frame) => frame.frame === "resync"), { clock, stepMs: 1000 });
    expect(slow.frames.at(-1)).toEqual({ frame: "resync", sessionId, reason: "this client reads too slowly" });
    expect(slow.frames.filter((frame) => frame.frame === "heartbeat")).toEqual([]);
    const count = slow.frames.length;
    slow.drain();
    void client.command(sessionId, { type: "rename", title: "after" });
    await until("the rename", () => heard.events.at(-1)?.type === "session_renamed", { clock });
    expect(slow.frames.length).toBe(count);
  });

  test("a client that catches up in time continues without gap or repeat", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    const slow = createSluggishConnection();
    host.serve(slow.connection);
    slow.send(HELLO as ClientFrame);
    slow.send({ frame: "subscribe", id: "1", sessionId, cursor: BEGINNING });
    const heard = await listen(client, sessionId);
    await client.command(sessionId, { type: "send", text: "flood 500", clientMessageId: "m1" });
    await until("the flood", () => turnsEnded(heard.events) === 1);
    const slowSeqs = () => slow.frames.flatMap((frame) => (frame.frame === "events" ? seqsOf(frame.events) : []));
    expect(slowSeqs().length).toBeLessThan(heard.events.length);
    await until("the rest", () => {
      slow.drain();
      return slowSeqs().length >= heard.events.length;
    });
    expect(slowSeqs()).toEqual(seqsOf(heard.events));
  });

  test("a failing disk and its recovery are reported to every subscriber, later ones included", async () => {
    const dataDir = newDataDir();
    let isFull = false;
    const fail = () => {
      if (isFull) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    };
    const files = {
      ...nodeFiles,
      openToAppend: (file: string) => breakable(nodeFiles.openToAppend(file), fail),
      create: (file: string, mode: number) => breakable(nodeFiles.create(file, mode), fail),
    };
    const host = await open(dataDir, { files });
    const [one, two, late] = [await connect(host), await connect(host), await connect(host)];
    const sessionId = await createSession(one, dataDir);
    const states: string[][] = [[], [], []];
    for (const [index, client] of [one, two, late].entries()) {
      client.onStore(({ state }) => states[index]!.push(state));
    }
    await listen(one, sessionId);
    await listen(two, sessionId);
    isFull = true;
    void one.command(sessionId, { type: "rename", title: "unwritten" });
    await until("the news", () => states[0]!.includes("full") && states[1]!.includes("full"));
    await listen(late, sessionId);
    await until("the news", () => states[2]!.includes("full"));
    const snapshot = await late.snapshot(sessionId);
    expect(fromSnapshot(snapshot)?.head.title).toBe("test");
    isFull = false;
    await until("the end of it", () => states.every((heard) => heard.at(-1) === "ok"));
  });
});

describe("the list", () => {
  test("a missing, stale, broken or foreign summary does not affect the list", async () => {
    const dataDir = newDataDir();
    const host = await openHost(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    await client.command(sessionId, { type: "rename", title: "named" });
    await host.close();
    const meta = path.join(dataDir, "sessions", `${sessionId}.meta.json`);
    const written = readFileSync(meta, "utf8");
    const expected = [JSON.parse(written).summary];
    expect(expected).toMatchObject([{ sessionId, title: "named" }]);
    const variants = {
      stale: JSON.stringify({ ...JSON.parse(written), logBytes: 1 }),
      broken: written.slice(0, 20),
      foreign: JSON.stringify({ ...JSON.parse(written), summary: { ...expected[0], sessionId: "X" } }),
      written,
    };
    for (const [name, text] of Object.entries(variants)) {
      writeFileSync(meta, text);
      const reader = await openHost(dataDir);
      expect([name, await reader.listSessions()]).toEqual([name, expected]);
      await reader.close();
    }
  });

  test("a turn that was open when its process died is listed as interrupted, not as running", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    await client.command(sessionId, { type: "send", text: "hold", clientMessageId: "m1" });
    const copy = newDataDir();
    cpSync(path.join(dataDir, "logs"), path.join(copy, "logs"), { recursive: true });
    const reader = await open(copy);
    expect([await client.list(), await reader.listSessions()]).toMatchObject([
      [{ sessionId, status: "running" }],
      // The note in the copy names our living host; without it the turn is known to be dead.
      [{ sessionId, status: "running" }],
    ]);
    rmSync(path.join(copy, "logs", `${sessionId}.lock.json`));
    expect(await reader.listSessions()).toMatchObject([{ sessionId, status: "interrupted" }]);
  });

  test("[H26] a damaged session is listed with its known facts, and the list stays usable", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    mkdirSync(path.join(dataDir, "logs", "01J00000000000000000000001.jsonl"));
    writeFileSync(path.join(dataDir, "logs", "01J00000000000000000000002.jsonl"), "");
    writeFileSync(path.join(dataDir, "logs", "notes.txt"), "not a log");
    const list = await client.list();
    expect(list).toMatchObject([
      { sessionId, title: "test" },
      {
        sessionId: "01J00000000000000000000001",
        title: "(cannot be read)",
        problem: expect.stringContaining("cannot be read"),
        seq: 0,
      },
    ]);
  });
});

describe("two hosts", () => {
  test("a second host serves its client from the first: same events, commands act there, slow clients lose nothing", async () => {
    const dataDir = newDataDir();
    const [first, second] = [await open(dataDir), await open(dataDir)];
    const near = await connect(first, "near");
    const far = await connect(second, "far");
    const sessionId = await createSession(near, dataDir);
    const here = await listen(near, sessionId);
    const there = await listen(far, sessionId);
    const slow = createSluggishConnection();
    second.serve(slow.connection);
    slow.send(HELLO as ClientFrame);
    slow.send({ frame: "subscribe", id: "1", sessionId, cursor: BEGINNING });
    expect(await far.command(sessionId, { type: "send", text: "flood 500", clientMessageId: "m1" })).toMatchObject({
      ok: true,
    });
    await until("the answer", () => turnsEnded(there.events) === 1 && there.events.length === here.events.length);
    expect(there.events).toEqual(here.events);
    expect(there.events.find((event) => event.type === "user_message")).toMatchObject({ clientId: "far" });
    const slowSeqs = () => slow.frames.flatMap((frame) => (frame.frame === "events" ? seqsOf(frame.events) : []));
    expect(slowSeqs().length).toBeLessThan(there.events.length);
    await until("the rest", () => {
      slow.drain();
      return slowSeqs().length >= there.events.length;
    });
    expect(slowSeqs()).toEqual(seqsOf(there.events));
  });

  test("when the holder exits in mid-turn the session continues in the other host from the same cursor", async () => {
    const dataDir = newDataDir();
    const first = await openHost(dataDir);
    const second = await open(dataDir);
    const near = await connect(first);
    const far = await connect(second);
    const sessionId = await createSession(near, dataDir);
    const heard = await listen(far, sessionId);
    // Without a client, which would repair gaps and drop repeats.
    const raw = speak(second);
    raw.say(HELLO);
    raw.say({ frame: "subscribe", id: "1", sessionId, cursor: BEGINNING });
    await far.command(sessionId, { type: "send", text: "hold", clientMessageId: "m1" });
    await first.close();
    expect(await far.command(sessionId, { type: "send", text: "go on", clientMessageId: "m2" })).toMatchObject({
      ok: true,
    });
    await until("the answer", () => heard.events.some((event) => event.type === "turn_end" && event.epoch === 2));
    expect([heard.resyncs, seqsOf(heard.events)]).toEqual([[], countTo(heard.events.length)]);
    const messages = heard.events.filter((event) => event.type === "user_message");
    expect(messages.map((event) => event.clientMessageId)).toEqual(["m1", "m2"]);
    const rawSeqs = () => raw.heard.flatMap((frame) => (frame.frame === "events" ? seqsOf(frame.events) : []));
    await until("the same, raw", () => rawSeqs().length >= heard.events.length);
    expect(rawSeqs()).toEqual(countTo(rawSeqs().length));
    expect(new Set(raw.heard.map(({ frame }) => frame))).toEqual(new Set(["welcome", "reply", "events"]));
  });
});

/** Awaits a promise while advancing the manual clock. */
async function settled<T>(what: string, promise: Promise<T>, clock: ManualClock): Promise<T> {
  let isSettled = false;
  const mark = () => (isSettled = true);
  promise.then(mark, mark);
  await until(what, () => isSettled, { clock });
  return promise;
}

function breakable<File extends ReturnType<typeof nodeFiles.openToAppend>>(file: File, fail: () => void): File {
  return {
    ...file,
    write(bytes: Uint8Array) {
      fail();
      return file.write(bytes);
    },
  };
}

/** The transcript, whichever frozen pages are in memory. */
function shown({ head, live }: Transcript) {
  return { head, live };
}

function treeOf(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.parentPath.endsWith("run"))
    .map((entry) => {
      const { size, mtimeMs } = statSync(path.join(entry.parentPath, entry.name));
      return `${entry.name} ${size} ${mtimeMs}`;
    })
    .sort();
}

test("the first command to a session whose data directory was moved away is refused at once, and works when it is back", async () => {
  const dataDir = newDataDir();
  const host = await open(dataDir);
  const client = await connect(host);
  const sessionId = await createSession(client, dataDir);
  renameSync(dataDir, `${dataDir}-away`);
  expect(await client.command(sessionId, { type: "rename", title: "lost" })).toMatchObject({
    ok: false,
    error: { code: "store_unavailable", message: expect.stringContaining("is gone. Move it back") },
  });
  renameSync(`${dataDir}-away`, dataDir);
  expect(await client.command(sessionId, { type: "rename", title: "found" })).toMatchObject({ ok: true });
});
