import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { BEGINNING, connect, createSession, newDataDir, openHost, until } from "../../../test/host/open-host.ts";
import { newId } from "../../kit/ids.ts";
import { acquireLock, openFileLog, openLogReader, sessionPaths } from "../../log/index.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { loadFold } from "../../session/index.ts";
import type { Host } from "../host.ts";
import { readTranscript, toSnapshotFrame } from "./read-session.ts";

const EVENTS = 21_000;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function hostOn(dataDir: string): Promise<Host> {
  const host = await openHost(dataDir);
  closing.push(() => host.close());
  return host;
}

/** A session with a long log and no derived files, like a copied one. */
async function longSession(): Promise<{ dataDir: string; sessionId: string; snapshots: string }> {
  const dataDir = newDataDir();
  const host = await openHost(dataDir);
  const sessionId = await createSession(await connect(host), dataDir);
  await host.close();
  const log = await openFileLog({ dataDir, sessionId });
  const draft: EventDraft = { type: "message_pinned", messageId: "m", pinned: true };
  for (let made = 0; made < EVENTS; made += 1_000) {
    await log.append(Array.from({ length: 1_000 }, () => draft)).committed;
  }
  await log.close();
  const { snapshots } = sessionPaths(dataDir, sessionId);
  rmSync(snapshots, { recursive: true, force: true });
  return { dataDir, sessionId, snapshots };
}

async function savedSeq(dataDir: string, sessionId: string): Promise<number> {
  const reader = await openLogReader({ dataDir, sessionId });
  try {
    return (await loadFold(reader)).snapshotSeq;
  } finally {
    await reader.close();
  }
}

test("the first reader of a long log without a snapshot saves one, for readers and for writers", async () => {
  const { dataDir, sessionId, snapshots } = await longSession();
  const client = await connect(await hostOn(dataDir));
  const { log } = sessionPaths(dataDir, sessionId);
  const before = readFileSync(log);
  const [one, two] = await Promise.all([client.snapshot(sessionId), client.snapshot(sessionId)]);
  await until("the snapshot", () => existsSync(`${snapshots}/index.json`));
  expect([one.seq > EVENTS, two]).toEqual([true, one]);
  expect(await savedSeq(dataDir, sessionId)).toBe(one.seq);
  // Reading did not change the log.
  expect(readFileSync(log).equals(before)).toBe(true);
  expect(await client.snapshot(sessionId)).toMatchObject({ seq: one.seq, frozenPages: one.frozenPages });
  await client.subscribe(sessionId, { epoch: one.epoch, seq: one.seq }, () => {});
});

test("a damaged long log gives the same transcript whether it is folded while its end is searched or afterwards", async () => {
  const { dataDir, sessionId } = await longSession();
  const { log } = sessionPaths(dataDir, sessionId);
  const bytes = readFileSync(log);
  const at = bytes.length >> 1;
  bytes[at] = bytes[at] === 0x78 ? 0x79 : 0x78;
  writeFileSync(log, bytes);
  const client = await connect(await hostOn(dataDir));
  const told = toSnapshotFrame(await readTranscript(dataDir, sessionId));
  expect(await client.snapshot(sessionId)).toEqual(JSON.parse(JSON.stringify(told)));
  expect(JSON.stringify(told)).toContain("damage");
});

test("a session held by another process is read without writing derived files", async () => {
  const { dataDir, sessionId, snapshots } = await longSession();
  const holder = { pid: process.pid, socket: "/nowhere", hostId: newId() };
  const lock = await acquireLock({ dataDir, sessionId, holder });
  if (!("release" in lock)) throw new Error("the lock is not free");
  closing.push(() => lock.release());
  const host = await hostOn(dataDir);
  const client = await connect(host);
  const { seq } = await client.snapshot(sessionId);
  expect(seq).toBeGreaterThan(EVENTS);
  // Closing waits for pending writes.
  await host.close();
  expect(existsSync(snapshots)).toBe(false);
});

test("opening a session with a long log and no snapshot saves one", async () => {
  const { dataDir, sessionId, snapshots } = await longSession();
  const client = await connect(await hostOn(dataDir));
  await Promise.all([client.subscribe(sessionId, BEGINNING, () => {}), client.snapshot(sessionId)]);
  await until("the snapshot", () => existsSync(`${snapshots}/index.json`));
  expect(await savedSeq(dataDir, sessionId)).toBeGreaterThan(EVENTS);
});
