import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { ECHO, SETTINGS } from "../../../test/host/scripted-agent.ts";
import { checkDataDir } from "./check-data-dir.ts";
import type { Host } from "../host.ts";
import { rebuildDerived } from "./repair-data-dir.ts";

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(dataDir: string) {
  const host = await openHost(dataDir);
  hosts.push(host);
  return connect(host);
}

const member = (name: string) => ({ ...ECHO, name });
const MEMBERS = [member("one"), member("two"), member("three")];
const request = (cwd: string) => ({ cwd, title: "test", settings: SETTINGS, members: MEMBERS });
const logOf = (dataDir: string, sessionId: string) => path.join(dataDir, "logs", `${sessionId}.jsonl`);

/** A directory with only the beginning of a session's log. */
function cutAt(log: Buffer, sessionId: string, bytes: number): string {
  const dataDir = newDataDir();
  mkdirSync(path.join(dataDir, "logs"), { mode: 0o700 });
  writeFileSync(logOf(dataDir, sessionId), log.subarray(0, bytes));
  return dataDir;
}

test("a session whose creation was interrupted before its last member joined is absent for the next process", async () => {
  const first = newDataDir();
  const { sessionId } = await (await open(first)).create(request(first));
  const log = readFileSync(logOf(first, sessionId));
  const ends = [...log.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []));
  expect(ends).toHaveLength(1 + MEMBERS.length);
  // The last record lacks only its newline, which the next open for writing adds.
  for (const bytes of ends.slice(0, -1).flatMap((end) => [end - 1, end])) {
    const client = await open(cutAt(log, sessionId, bytes));
    expect([bytes, await client.list()]).toEqual([bytes, []]);
    await expect(client.snapshot(sessionId)).rejects.toMatchObject({ code: "unknown_session" });
    const ack = await client.command(sessionId, { type: "rename", title: "x" });
    expect(ack).toMatchObject({ ok: false, error: { code: "unknown_session" } });
    expect(await client.list()).toEqual([]);
  }
  const whole = await open(cutAt(log, sessionId, log.length));
  expect(await whole.list()).toMatchObject([{ sessionId, members: ["one", "two", "three"] }]);
});

test("a session with a member that cannot join is refused and leaves nothing in the list", async () => {
  const dataDir = newDataDir();
  const client = await open(dataDir);
  const tooLarge = { ...ECHO, name: "four", prompt: "x".repeat(300_000) };
  const complete = client.create({ ...request(dataDir), members: [...MEMBERS, tooLarge] });
  await expect(complete).rejects.toMatchObject({ code: "too_large" });
  expect(await client.list()).toEqual([]);
});

test("leftovers of an incomplete session are no problem, and `doctor --rebuild` removes them", async () => {
  const first = newDataDir();
  const { sessionId } = await (await open(first)).create(request(first));
  const log = readFileSync(logOf(first, sessionId));
  const dataDir = cutAt(log, sessionId, log.indexOf("\n") + 1);
  const left = logOf(dataDir, sessionId);
  utimesSync(left, 0, 0);
  const report = await checkDataDir(dataDir);
  expect([report.isWhole, report.sessions, report.strayFiles]).toEqual([true, [], [left]]);
  expect((await rebuildDerived(dataDir)).removedFiles).toEqual([left]);
  expect(existsSync(left)).toBe(false);
});

test("an empty log left by a kill is no damage, and a rebuild removes it; one that was emptied later is damaged", async () => {
  const dataDir = newDataDir();
  const { sessionId } = await (await open(dataDir)).create(request(dataDir));
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  const cut = "01J0000000000000000000000Z";
  writeFileSync(logOf(dataDir, cut), "");
  utimesSync(logOf(dataDir, cut), 1, 1);
  expect(await checkDataDir(dataDir)).toMatchObject({ isWhole: true, strayFiles: [logOf(dataDir, cut)] });
  expect((await rebuildDerived(dataDir)).removedFiles).toEqual([logOf(dataDir, cut)]);
  writeFileSync(logOf(dataDir, sessionId), "");
  expect(await checkDataDir(dataDir)).toMatchObject({ isWhole: false, sessions: [{ sessionId, isWhole: false }] });
});
