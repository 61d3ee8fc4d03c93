/** Leftovers of single crashes and disk errors, created by hand, and how they are cleaned up. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { OwnStream } from "../../mirror/own-stream.ts";
import { createFile } from "../../mirror/files/atomic-file.ts";
import { watchDisk, type Counts, type WatchedDisk } from "./breaking-disk.ts";
import { importIn, prepareThread, readings } from "./import-life.ts";
import { openMirroredSession, type OpenMirrored, type Directories } from "./open-mirror.ts";
import { prepareDirectories } from "./life-directories.ts";
import { readJson, readThread } from "./thread-reader.ts";

const DEAD_PID = 2 ** 30;
const disks: WatchedDisk[] = [];
afterEach(() => disks.splice(0).forEach((disk) => disk.end()));

const newRoot = (): string => mkdtempSync(path.join(tmpdir(), "rt-after-"));

function breaking(root: string, counts: Counts, effect: "EIO" | "ENOSPC"): WatchedDisk {
  const disk = watchDisk(root, counts, { at: 1, effect });
  disks.push(disk);
  return disk;
}

/** A session with one message and one answer in its files, closed; and where these are. */
async function talked(directories: Directories): Promise<{ sessionId: string; dir: string; branch: string }> {
  const session = await openMirroredSession(directories);
  await session.send("one", "claude");
  await session.sees("two files", () => session.of("mirrored").length === 2);
  const dir = dirOf(session);
  await session.close();
  return { sessionId: session.sessionId, dir, branch: path.resolve(dir, "../..") };
}

function dirOf({ mirror }: OpenMirrored): string {
  return path.join(mirror?.kd ?? "", "branches", mirror?.branch ?? "", "threads", mirror?.thread ?? "");
}

test("a message interrupted while moving to another number is recognised there", async () => {
  for (const isOldThere of [true, false]) {
    const directories = prepareDirectories(newRoot());
    const { sessionId, dir } = await talked(directories);
    const [old, moved] = [path.join(dir, "0002-claude.md"), path.join(dir, "0003-claude.md")];
    writeFileSync(moved, readFileSync(old));
    writeFileSync(path.join(dir, "0002-codex.md"), readFileSync(old, "utf8").replace("from: claude", "from: codex"));
    if (!isOldThere) unlinkSync(old);
    const session = await openMirroredSession(directories, sessionId);
    await session.sees("the new number", () => session.of("mirrored").length === 3);
    await session.sees("the other's turn", () => session.of("turn_end").some(({ member }) => member === "codex"));
    expect(session.of("mirrored").map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(session.of("turn_end").map(({ member }) => member)).toEqual(["claude", "codex"]);
    await session.close();
    expect(readThread(dir).messages.map(({ number, from }) => `${number} ${from}`)).toEqual([
      "1 king",
      "2 codex",
      "3 claude",
    ]);
  }
});

test("a busy status of a dead process is cleared, whether the mirror is on or off", async () => {
  for (const isOff of [false, true]) {
    const directories = prepareDirectories(newRoot());
    const { sessionId, dir, branch } = await talked(directories);
    if (isOff) await switchOff(directories, sessionId);
    const file = path.join(branch, "sessions", "claude.json");
    const thread = path.basename(dir);
    writeFileSync(file, `{"name": "claude", "pid": ${DEAD_PID}, "status": "working", "thread": "${thread}", "x": 1}\n`);
    const session = await openMirroredSession(directories, sessionId);
    await session.sees("it to be idle", () => readFileSync(file, "utf8").includes("idle"));
    expect(readJson(file)).toMatchObject({ name: "claude", status: "idle", x: 1 });
    expect(readJson(file)).not.toHaveProperty("pid");
    await session.close();
  }
});

async function switchOff(directories: Directories, sessionId: string): Promise<void> {
  const session = await openMirroredSession(directories, sessionId);
  await session.set(null);
  await session.close();
}

test("a mirror that crashed while being switched off leaves no files after the session is reopened", async () => {
  const directories = prepareDirectories(newRoot());
  const { sessionId, dir, branch } = await talked(directories);
  await switchOff(directories, sessionId);
  const stream = await OwnStream.open({ dir, sender: "claude", sessionId, turnId: "t" });
  await stream?.append("{}\n");
  const aside = `.roundtable-${sessionId}-1.tmp`;
  for (const one of [dir, branch, path.join(branch, "sessions"), path.resolve(branch, "../..")])
    writeFileSync(path.join(one, aside), "half");
  writeFileSync(path.join(dir, ".stream-codex.jsonl"), "{}\n");
  const session = await openMirroredSession(directories, sessionId);
  await session.sees("nothing to be left", () => !existsSync(path.join(dir, ".stream-claude.jsonl")));
  await session.close();
  expect(readdirSync(dir).sort()).toEqual([".stream-codex.jsonl", "0001-king.md", "0002-claude.md", "thread.json"]);
  for (const one of [branch, path.join(branch, "sessions"), path.resolve(branch, "../..")])
    expect(readdirSync(one)).not.toContain(aside);
  await stream?.close();
});

test("small files are written atomically, and a failed write leaves nothing", async () => {
  const root = newRoot();
  breaking(root, (operation) => operation === "writeFile", "ENOSPC");
  await expect(createFile(path.join(root, "current"), "main\n", "S")).rejects.toThrow("ENOSPC");
  expect(readdirSync(root)).toEqual([]);
  expect(await createFile(path.join(root, "current"), "main\n", "S")).toBe(true);
  expect(await createFile(path.join(root, "current"), "other\n", "S")).toBe(false);
  expect(readdirSync(root)).toEqual(["current"]);
  expect(readFileSync(path.join(root, "current"), "utf8")).toBe("main\n");
});

test("a stream with a failed partial write restarts with everything so far", async () => {
  const dir = newRoot();
  const stream = await OwnStream.open({ dir, sender: "claude", sessionId: "S", turnId: "t" });
  await stream?.append('{"a":1}\n');
  breaking(dir, (operation) => operation === "appendFile", "ENOSPC");
  await expect(stream?.append('{"b":2}\n')).rejects.toThrow("ENOSPC");
  await stream?.append('{"c":3}\n');
  const [, ...lines] = readFileSync(path.join(dir, ".stream-claude.jsonl"), "utf8").split("\n");
  expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}', ""]);
  await stream?.close();
  expect(readdirSync(dir)).toEqual([]);
});

test("a thread whose creation was interrupted becomes the current one, unless another was chosen later", async () => {
  const directories = prepareDirectories(newRoot());
  const state = path.join(directories.project, ".kd", "branches", "main", "state.json");
  const current = (): unknown => (existsSync(state) ? readJson(state)["current_thread"] : undefined);
  const first = await openMirroredSession(directories);
  await first.sees("the thread to be current", () => current() !== undefined);
  const thread = first.mirror?.thread;
  const { sessionId } = first;
  await first.close();
  writeFileSync(state, '{\n  "branch": "main"\n}\n');
  utimesSync(state, 1, 1);
  const second = await openMirroredSession(directories, sessionId);
  await second.sees("the thread to be current", () => current() === thread);
  await second.close();
  writeFileSync(state, '{\n  "branch": "main",\n  "current_thread": "council-0000"\n}\n');
  const third = await openMirroredSession(directories, sessionId);
  await third.send("one", "claude");
  await third.sees("two files", () => third.of("mirrored").length === 2);
  await third.close();
  expect(current()).toBe("council-0000");
});

test("a mirror that is switched on again waits until the previous one has released its files", async () => {
  const directories = prepareDirectories(newRoot());
  const session = await openMirroredSession(directories);
  await session.sees("the thread to be chosen", () => session.mirror?.thread !== undefined);
  const [mirror, dir] = [session.mirror, dirOf(session)];
  const lock = path.resolve(dir, "../../sessions/.claude.json.lock");
  const holder = spawn("flock", [lock, "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  holder.stdin.write("x");
  await once(holder.stdout, "data");
  await session.send("Please hold.", "claude");
  await session.sees("its stream", () => existsSync(path.join(dir, ".stream-claude.jsonl")));
  // Until the mirror waits for the lock to set its status.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await session.interrupt();
  await session.set(null);
  await session.send("While it is off.", "a_b");
  await session.sees("the answers", () => session.of("turn_end").length === 2);
  await session.set(mirror ?? null);
  // Longer than closing a mirror may take.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  holder.stdin.end();
  await session.sees("four files", () => session.of("mirrored").length === 4);
  const file = path.resolve(dir, "../../sessions/claude.json");
  await session.sees("it to be idle", () => !existsSync(file) || readJson(file)["status"] === "idle");
  await session.close();
  expect(readThread(dir).messages.map(({ from }) => from)).toEqual(["king", "claude", "king", "a-b"]);
  expect(session.of("user_message").map(({ text }) => text)).toEqual(["Please hold.", "While it is off."]);
});

test("an unreadable thread is a one-sentence error, and importing it again creates no second session", async () => {
  for (const operation of ["readdir", "openToRead", "read"]) {
    const root = newRoot();
    prepareThread(root);
    breaking(root, (one, file) => one === operation && readings(one, file), "EIO");
    await expect(importIn(root)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/council-3908 cannot be imported now: .*EIO/),
    });
    expect(await importIn(root)).toMatchObject({ isNew: true, added: 5, warnings: [] });
    expect(readdirSync(path.join(root, "data", "logs")).filter((file) => file.endsWith(".jsonl"))).toHaveLength(1);
  }
});
