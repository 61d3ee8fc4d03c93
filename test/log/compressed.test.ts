/** Logs put away compressed: the same bytes, readable anywhere in them, crash-safe both ways. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  checkLog,
  compressLog,
  isCompressedWhole,
  openFileLog,
  openLogReader,
  sessionPaths,
} from "../../src/log/index.ts";
import { created, message, readAll } from "./drafts.ts";
import { SESSION, DATA, LOG_PATH } from "./history.ts";
import { createHandClock } from "./hand-clock.ts";
import { MemoryFiles } from "./memory-files.ts";

const COMPRESSED_PATH = `${LOG_PATH}.zst`;

/** More than three pieces of text that does not compress to nothing. */
async function longLog(files: MemoryFiles, events = 60): Promise<void> {
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock: createHandClock() });
  const text = () => randomBytes(30_000).toString("base64");
  await log.append([created()]).committed;
  for (let index = 0; index < events; index++) await log.append([message(`${index} ${text()}`)]).committed;
  await log.close();
}

test("[L60] a compressed log is read like the plain one, from any seq, and says the same of itself", async () => {
  const files = new MemoryFiles();
  await longLog(files);
  const options = { dataDir: DATA, sessionId: SESSION, files };
  const plain = await openLogReader(options);
  const before = { all: await readAll(plain), tail: await readAll(plain, 40), check: await checkLog(options) };
  await plain.close();
  const bytes = files.contentOf(LOG_PATH) ?? Buffer.alloc(0);
  expect(bytes.length).toBeGreaterThan(2 * 1024 * 1024);

  const done = await compressLog(options);
  expect(done).toEqual({ plainBytes: bytes.length, bytes: files.contentOf(COMPRESSED_PATH)?.length });
  expect(done?.bytes ?? 0).toBeLessThan(bytes.length * 0.8);
  expect(files.paths().filter((path) => path.startsWith(`${DATA}/logs/${SESSION}.jsonl`))).toEqual([COMPRESSED_PATH]);
  const reader = await openLogReader(options);
  expect({ seq: reader.committedSeq, knows: await reader.knows({ epoch: 1, seq: 40 }) }).toEqual({
    seq: 61,
    knows: true,
  });
  const after = { all: await readAll(reader), tail: await readAll(reader, 40), check: await checkLog(options) };
  await reader.close();
  expect(after).toEqual(before);
  expect(await isCompressedWhole(options)).toBe(true);
  expect(await compressLog(options)).toBeUndefined();
});

test("[L61] opening for writing restores the plain log byte for byte and continues after its end", async () => {
  const files = new MemoryFiles();
  await longLog(files, 3);
  const bytes = Buffer.from(files.contentOf(LOG_PATH) ?? []);
  await compressLog({ dataDir: DATA, sessionId: SESSION, files });
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock: createHandClock() });
  expect(files.contentOf(LOG_PATH)?.equals(bytes)).toBe(true);
  expect(files.contentOf(COMPRESSED_PATH)).toBeUndefined();
  await log.append([message("after")]).committed;
  expect((await readAll(log)).map(({ seq, epoch }) => [seq, epoch])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
  ]);
  await log.close();
});

test("[L62] a damaged piece of a compressed log is shown as damage, the rest is read, and nothing overwrites the file", async () => {
  const files = new MemoryFiles();
  await longLog(files);
  await compressLog({ dataDir: DATA, sessionId: SESSION, files });
  const damaged = Buffer.from(files.contentOf(COMPRESSED_PATH) ?? []);
  damaged.fill(0xaa, 900_000, 900_050);
  files.replaceContent(COMPRESSED_PATH, damaged);
  const reader = await openLogReader({ dataDir: DATA, sessionId: SESSION, files });
  const events = await readAll(reader);
  await reader.close();
  const damages = events.filter((event) => event.type === "damage");
  expect(damages).toHaveLength(1);
  expect(events.length).toBeGreaterThan(30);
  expect(events.at(-1)?.seq).toBe(61);
  expect(await isCompressedWhole({ dataDir: DATA, sessionId: SESSION, files })).toBe(false);
  await expect(openFileLog({ dataDir: DATA, sessionId: SESSION, files })).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining("does not decompress to the original bytes"),
  });
  expect(files.contentOf(COMPRESSED_PATH)?.equals(damaged)).toBe(true);
  expect(files.contentOf(LOG_PATH)).toBeUndefined();
});

test("[L62] a compressed log that is cut off is refused by name, not taken for an empty session", async () => {
  const files = new MemoryFiles();
  await longLog(files, 2);
  await compressLog({ dataDir: DATA, sessionId: SESSION, files });
  const whole = files.contentOf(COMPRESSED_PATH) ?? Buffer.alloc(0);
  for (const kept of [0, 5, whole.length - 1]) {
    files.replaceContent(COMPRESSED_PATH, whole.subarray(0, kept));
    await expect(openLogReader({ dataDir: DATA, sessionId: SESSION, files })).rejects.toMatchObject({
      code: "store_unavailable",
      message: `The compressed log ${COMPRESSED_PATH} is incomplete or has an unknown format.`,
    });
  }
});

test("the plain log counts while both are there, and the next writer removes the other", async () => {
  const files = new MemoryFiles();
  await longLog(files, 1);
  const bytes = Buffer.from(files.contentOf(LOG_PATH) ?? []);
  await compressLog({ dataDir: DATA, sessionId: SESSION, files });
  const compressed = Buffer.from(files.contentOf(COMPRESSED_PATH) ?? []);
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock: createHandClock() });
  await log.append([message("newer")]).committed;
  await log.close();
  files.replaceContent(COMPRESSED_PATH, compressed);
  files.replaceContent(`${COMPRESSED_PATH}.tmp`, Buffer.from("half"));
  const reader = await openLogReader({ dataDir: DATA, sessionId: SESSION, files });
  expect(reader.committedSeq).toBe(3);
  await reader.close();
  const next = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock: createHandClock() });
  await next.close();
  expect(files.contentOf(LOG_PATH)?.subarray(0, bytes.length).equals(bytes)).toBe(true);
  expect([files.contentOf(COMPRESSED_PATH), files.contentOf(`${COMPRESSED_PATH}.tmp`)]).toEqual([undefined, undefined]);
});

test("a compressed log that differs from the plain one beside it is set aside, never removed", async () => {
  const files = new MemoryFiles();
  await longLog(files, 2);
  await compressLog({ dataDir: DATA, sessionId: SESSION, files });
  const compressed = Buffer.from(files.contentOf(COMPRESSED_PATH) ?? []);
  files.unlink(COMPRESSED_PATH);
  await longLog(files, 2);
  for (const other of [compressed, compressed.subarray(0, 100)]) {
    files.replaceContent(COMPRESSED_PATH, other);
    const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files, clock: createHandClock() });
    await log.close();
    const [aside = "", ...more] = files.paths().filter((path) => path.includes(".torn-"));
    expect({ isSame: files.contentOf(aside)?.equals(other), more }).toEqual({ isSame: true, more: [] });
    files.unlink(aside);
  }
});

test("on a real disk: modes, no second file, and the tool zstd reads it where there is one", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-compressed-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const log = await openFileLog({ dataDir, sessionId: SESSION });
  await log.append([created(), message("hello".repeat(5000)), message("ü")]).committed;
  await log.close();
  const paths = sessionPaths(dataDir, SESSION);
  const bytes = readFileSync(paths.log);
  await compressLog({ dataDir, sessionId: SESSION });
  expect(readdirSync(paths.logs).sort()).toEqual([`${SESSION}.epoch`, `${SESSION}.jsonl.zst`]);
  const reader = await openLogReader({ dataDir, sessionId: SESSION });
  expect(await readAll(reader)).toHaveLength(3);
  await reader.close();
  const tool = unpackWithTool(paths.compressed);
  if (tool !== undefined) expect(tool.equals(bytes)).toBe(true);
  writeFileSync(paths.log, bytes);
  expect((await checkLog({ dataDir, sessionId: SESSION })).whole).toBe(true);
});

function unpackWithTool(path: string): Buffer | undefined {
  try {
    return execFileSync("zstd", ["-dcq", path], { stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    // Not on every machine; our own reader is what counts.
    return undefined;
  }
}
