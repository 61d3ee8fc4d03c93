/** The files of a session as they are on a real disk: names, permissions, the index, the lock. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { crc32 } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/ids.ts";
import {
  acquireLock,
  openAdoptedLog,
  openFileLog,
  openLogReader,
  sessionPaths,
  type Lock,
} from "../../src/log/index.ts";
import { delta, message, readAll } from "./drafts.ts";

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "roundtable-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("names and permissions", () => {
  test.each([0o000, 0o022, 0o777])("[L29] directories are 0700 and files 0600 under umask %i", async (umask) => {
    const dataDir = join(temporaryDirectory(), "data");
    const sessionId = newId();
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    const lock = (await acquireLock({ dataDir, sessionId, holder: { pid: 1, socket: "s", hostId: "h" } })) as Lock;
    const log = await openFileLog({ dataDir, sessionId });
    await log.append([message("1")]).committed;
    await log.snapshots.save({ foldVersion: 1, epoch: 1, seq: 1, frozenPages: 1, state: 1 }, [{ index: 0, page: 1 }]);
    const { sha256 } = await log.blobs.put(Buffer.from("blob"));
    await log.close();
    const paths = sessionPaths(dataDir, sessionId);
    const files = [
      paths.log,
      paths.epoch,
      paths.lock,
      paths.lockHolder,
      join(paths.blobs, sha256),
      ...readdirSync(paths.snapshots).map((name) => join(paths.snapshots, name)),
    ];
    lock.release();
    expect(files.filter((path) => existsSync(path)).map(modeOf)).toEqual(Array.from({ length: 7 }, () => "600"));
    expect([dataDir, paths.logs, paths.snapshots, paths.blobs, join(dataDir, "blobs")].map(modeOf)).toEqual(
      Array.from({ length: 5 }, () => "700"),
    );
    expect(readdirSync(paths.logs).sort()).toEqual(
      [".epoch", ".jsonl", ".lock", ".snap"].map((end) => sessionId + end),
    );
    expect(readdirSync(paths.snapshots).sort()).toEqual(["head.json", "index.json", "page-000000.json"]);
  });

  test("[L18] a reader leaves no trace on the disk", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const log = await openFileLog({ dataDir, sessionId });
    await log.append([message("1")]).committed;
    await log.close();
    const paths = sessionPaths(dataDir, sessionId);
    appendFileSync(paths.log, "half a li");
    const before = [readdirSync(dataDir, { recursive: true }), readFileSync(paths.log), readFileSync(paths.epoch)];
    const reader = await openLogReader({ dataDir, sessionId });
    expect(await readAll(reader)).toHaveLength(1);
    await reader.snapshots.load();
    await reader.close();
    expect([readdirSync(dataDir, { recursive: true }), readFileSync(paths.log), readFileSync(paths.epoch)]).toEqual(
      before,
    );
  });

  test("remains of derived files after a crash are removed when the log is opened for writing", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const first = await openFileLog({ dataDir, sessionId });
    await first.append([message("1")]).committed;
    await first.snapshots.save({ foldVersion: 1, epoch: 1, seq: 1, frozenPages: 0, state: 1 }, []);
    await first.close();
    const { snapshots } = sessionPaths(dataDir, sessionId);
    writeFileSync(join(snapshots, "head.json.X.tmp"), "half");
    await (await openFileLog({ dataDir, sessionId })).close();
    expect(readdirSync(snapshots).sort()).toEqual(["head.json", "index.json"]);
  });

  test("a snapshot file with any bit wrong is as good as none", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const log = await openFileLog({ dataDir, sessionId });
    await log.append([message("1")]).committed;
    await log.snapshots.save({ foldVersion: 1, epoch: 1, seq: 1, frozenPages: 1, state: "s" }, [
      { index: 0, page: "p" },
    ]);
    const { snapshots } = sessionPaths(dataDir, sessionId);
    for (const name of ["page-000000.json", "head.json"]) {
      const whole = readFileSync(join(snapshots, name));
      for (const broken of [
        Buffer.alloc(0),
        whole.subarray(0, -1),
        Buffer.concat([whole, Buffer.from(" ")]),
        Buffer.alloc(whole.length),
      ]) {
        writeFileSync(join(snapshots, name), broken);
        expect(name === "head.json" ? await log.snapshots.load() : await log.snapshots.page(0)).toBeUndefined();
      }
      const flipped = Buffer.from(whole);
      flipped[30] = (flipped[30] ?? 0) ^ 1;
      writeFileSync(join(snapshots, name), flipped);
      expect(name === "head.json" ? await log.snapshots.load() : await log.snapshots.page(0)).toBeUndefined();
      writeFileSync(join(snapshots, name), whole);
    }
    expect([await log.snapshots.load(), await log.snapshots.page(0)]).toMatchObject([{ state: "s" }, "p"]);
    await log.close();
  });
});

describe("the index", () => {
  async function writeLong(dataDir: string, sessionId: string): Promise<void> {
    const log = await openFileLog({ dataDir, sessionId });
    for (let i = 0; i < 30; i++)
      await log.append(Array.from({ length: 200 }, (_, k) => delta(`${i * 200 + k}`.padEnd(100)))).committed;
    await log.close();
  }

  test("a later opening reads the tail only, and finds the same", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    await writeLong(dataDir, sessionId);
    const paths = sessionPaths(dataDir, sessionId);
    // Damage before the indexed end is not looked for at opening; it is found when it is read.
    const bytes = readFileSync(paths.log);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    writeFileSync(paths.log, bytes);
    const log = await openFileLog({ dataDir, sessionId });
    expect([log.committedSeq, log.recovery.damages]).toEqual([6000, []]);
    expect((await readAll(log)).filter(({ type }) => type === "damage")).toHaveLength(1);
    expect((await readAll(log, 5990)).map(({ seq }) => seq)).toEqual([
      5991, 5992, 5993, 5994, 5995, 5996, 5997, 5998, 5999, 6000,
    ]);
    await log.close();
  });

  test.each<[string, (index: string, log: string) => void]>([
    ["absent", (index) => rmSync(index)],
    ["broken", (index) => truncateSync(index, 100)],
    ["of a longer log", (_index, log) => truncateSync(log, readFileSync(log).lastIndexOf(10, 500_000) + 1)],
    [
      "of another state of the log",
      (_index, log) => writeFileSync(log, readFileSync(log).subarray(readFileSync(log).indexOf(10) + 1)),
    ],
  ])("an index that is %s does no harm", async (_name, spoil) => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    await writeLong(dataDir, sessionId);
    const { log: path, snapshots } = sessionPaths(dataDir, sessionId);
    spoil(join(snapshots, "index.json"), path);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const last = (JSON.parse(lines.at(-1) ?? "") as { seq: number }).seq;
    const log = await openFileLog({ dataDir, sessionId });
    expect(log.committedSeq).toBe(last);
    const seqs = (await readAll(log, 1)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: last - 1 }, (_, i) => i + 2));
    await log.close();
  });

  test.each<[string, (at: number, entry: number) => number]>([
    ["beside the records", (at, entry) => (at % 2 === 1 && at > 1 ? entry + 7 : entry)],
    ["at other records", (at, entry) => (at % 2 === 0 && at > 0 ? entry + 1 : entry)],
  ])("an index whose entries point %s is dropped when it is used", async (_name, change) => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    await writeLong(dataDir, sessionId);
    const path = join(sessionPaths(dataDir, sessionId).snapshots, "index.json");
    const { body } = JSON.parse(readFileSync(path, "utf8")) as { body: { entries: number[] } };
    const text = JSON.stringify({ ...body, entries: body.entries.map((entry, at) => change(at, entry)) });
    writeFileSync(path, `{"crc":"${crc32(text).toString(16).padStart(8, "0")}","body":${text}}`);
    const log = await openFileLog({ dataDir, sessionId });
    expect(log.recovery.damages).toEqual([]);
    const seqs = (await readAll(log, 3000)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 3000 }, (_, i) => i + 3001));
    expect([await log.knows({ epoch: 1, seq: 4000 }), await log.knows({ epoch: 2, seq: 4000 })]).toEqual([true, false]);
    await log.close();
  });
});

describe("the lock", () => {
  const holder = { pid: process.pid, socket: "/run/a.sock", hostId: "a" };

  test("[L31] the second learns who holds it; after release it is free", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const first = (await acquireLock({ dataDir, sessionId, holder })) as Lock;
    expect(await acquireLock({ dataDir, sessionId, holder: { ...holder, hostId: "b" } })).toEqual({ heldBy: holder });
    const other = (await acquireLock({ dataDir, sessionId: newId(), holder })) as Lock;
    first.release();
    first.release();
    const second = await acquireLock({ dataDir, sessionId, holder: { ...holder, hostId: "b" } });
    expect(second).toHaveProperty("release");
    (second as Lock).release();
    other.release();
  });

  test("[L31] it dies with its process, also by kill -9, and says nothing on stderr", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const code = `
      const { acquireLock } = await import(${JSON.stringify(new URL("../../src/log/index.ts", import.meta.url).href)});
      const holder = { pid: process.pid, socket: "s", hostId: "child" };
      console.log(JSON.stringify(await acquireLock({ dataDir: ${JSON.stringify(dataDir)}, sessionId: "${sessionId}", holder })));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("{}");
    expect(await acquireLock({ dataDir, sessionId, holder })).toEqual({
      heldBy: { pid: child.pid, socket: "s", hostId: "child" },
    });
    child.kill("SIGSTOP");
    expect(await acquireLock({ dataDir, sessionId, holder })).toHaveProperty("heldBy");
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    const lock = await acquireLock({ dataDir, sessionId, holder });
    expect(lock).toHaveProperty("release");
    (lock as Lock).release();
    expect(stderr).toBe("");
  });

  test("[L31] of many that race, exactly one gets it", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => acquireLock({ dataDir, sessionId, holder: { ...holder, hostId: `${i}` } })),
    );
    const locks = results.filter((result): result is Lock => "release" in result);
    expect(locks).toHaveLength(1);
    for (const lock of locks) lock.release();
  });

  test("a note that cannot be removed keeps no lock, neither when it is let go of nor when it is taken", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const { lockHolder } = sessionPaths(dataDir, sessionId);
    const first = (await acquireLock({ dataDir, sessionId, holder })) as Lock;
    // Nothing that removes files removes a directory; a read-only disk cannot be had in a test.
    rmSync(lockHolder);
    mkdirSync(lockHolder);
    first.release();
    for (const hostId of ["b", "c"]) {
      const refused = acquireLock({ dataDir, sessionId, holder: { ...holder, hostId } });
      await expect(refused).rejects.toMatchObject({
        code: "store_unavailable",
        message: expect.stringContaining("which says who holds the session, cannot be written"),
      });
    }
    rmSync(lockHolder, { recursive: true });
    const next = await acquireLock({ dataDir, sessionId, holder });
    expect(next).toHaveProperty("release");
    (next as Lock).release();
  });

  test("a process that finds its own name beside a lock it cannot get waits, then reports it as locked", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    const lock = (await acquireLock({ dataDir, sessionId, holder })) as Lock;
    let now = 0;
    const clock = { ...systemClock, monotonic: () => (now += 400) };
    await expect(acquireLock({ dataDir, sessionId, holder, clock })).rejects.toMatchObject({
      code: "locked",
      message: `Session ${sessionId} is locked, and its lock names this process.`,
    });
    const waiting = acquireLock({ dataDir, sessionId, holder });
    lock.release();
    const next = await waiting;
    expect(next).toHaveProperty("release");
    (next as Lock).release();
  });

  test("a lock that cannot be acquired names the file and the reason", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "logs"), "");
    const refused = acquireLock({ dataDir, sessionId: newId(), holder });
    await expect(refused).rejects.toThrow(/^The \w+ \S+logs\S* cannot be created: E[A-Z]+: /);
  });
});

describe("numbers", () => {
  const LAST = 999_999_999_999_999;

  async function adopt(dataDir: string, sessionId: string, numbers: { seq: number; epoch: number }): Promise<void> {
    const log = await openAdoptedLog({ dataDir, sessionId });
    const event = { ...numbers, id: "e", ts: 1, sessionId, type: "session_renamed", title: "last" } as const;
    try {
      log.write([event]);
    } finally {
      await log.close();
    }
  }

  test("[L85] a log that has no number left is not opened for writing, and nothing of it is changed", async () => {
    for (const numbers of [
      { seq: 1, epoch: LAST },
      { seq: LAST, epoch: 1 },
    ]) {
      const dataDir = temporaryDirectory();
      const sessionId = newId();
      await adopt(dataDir, sessionId, numbers);
      const { log, epoch } = sessionPaths(dataDir, sessionId);
      // What an earlier program wrote behind it, and what looks torn to this one.
      appendFileSync(log, '{"seq":2,"epoch":1000000000000000,');
      const before = [readFileSync(log, "utf8"), readFileSync(epoch, "utf8")];
      await expect(openFileLog({ dataDir, sessionId })).rejects.toMatchObject({
        code: "store_unavailable",
        message: expect.stringContaining(`its log has reached number ${LAST}`),
      });
      expect([readFileSync(log, "utf8"), readFileSync(epoch, "utf8")]).toEqual(before);
      const reader = await openLogReader({ dataDir, sessionId });
      expect(reader.committedSeq).toBe(numbers.seq);
      await reader.close();
    }
  });

  test("[L85] every accepted event can be read back: the event after the last seq is refused", async () => {
    const dataDir = temporaryDirectory();
    const sessionId = newId();
    await adopt(dataDir, sessionId, { seq: LAST - 1, epoch: LAST - 1 });
    const log = await openFileLog({ dataDir, sessionId });
    expect(() => log.append([message("a"), message("b")])).toThrow(expect.objectContaining({ code: "too_large" }));
    await log.append([message("a")]).committed;
    expect(() => log.append([message("b")])).toThrow(expect.objectContaining({ code: "too_large" }));
    await log.close();
    const reader = await openLogReader({ dataDir, sessionId });
    expect([reader.committedSeq, reader.epoch]).toEqual([LAST, LAST]);
    await reader.close();
    const beyond = newId();
    for (const numbers of [
      { seq: 1, epoch: LAST + 1 },
      { seq: LAST + 1, epoch: 1 },
    ]) {
      await expect(adopt(dataDir, beyond, numbers)).rejects.toThrow(`Event ${numbers.seq} of epoch ${numbers.epoch}`);
    }
  });
});
