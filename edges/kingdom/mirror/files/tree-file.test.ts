import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isBusyElsewhere } from "../incoming/busy-elsewhere.ts";
import { writeThreadFile } from "../thread-location.ts";
import { withFileLock } from "./file-lock.ts";
import { ExternalStream } from "../incoming/external-stream.ts";
import { readMessageFile } from "./read-message.ts";
import { hasContent, readTreeFile, UnreadableFile } from "./tree-file.ts";

const HUGE_BYTES = 64 * 1024 ** 3;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "rt-tree-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A hole behind these words: it takes no room on the disk. */
function putHuge(name: string, words: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, words);
  truncateSync(file, HUGE_BYTES);
  return file;
}

test("no more of a file is read than the limit, and an oversized stream is skipped at once", async () => {
  putHuge("0001-king.md", "---\nfrom: king\n---\n\nwords");
  const message = await readMessageFile(dir, "0001-king.md");
  expect(message).toMatchObject({
    size: HUGE_BYTES,
    bytes: { length: 8 * 1024 * 1024 },
    read: { damage: `it has ${HUGE_BYTES} bytes; only the first 8388608 were read` },
  });
  const json = putHuge("state.json", "{}");
  await expect(readTreeFile(json)).rejects.toThrow(`it has ${HUGE_BYTES} bytes; at most 1048576 are read`);
  expect(await hasContent(json, "{}")).toBe(false);
  writeFileSync(path.join(dir, "small.json"), "{}");
  expect(await hasContent(path.join(dir, "small.json"), "{}")).toBe(true);
  expect(await readTreeFile(path.join(dir, "none.json"))).toBeUndefined();
  mkdirSync(path.join(dir, "directory.json"));
  await expect(readTreeFile(path.join(dir, "directory.json"))).rejects.toThrow(UnreadableFile);
  const stream = new ExternalStream(putHuge(".stream-ada.jsonl", "\n"));
  expect(await stream.read()).toMatchObject({ text: "", hasMore: true });
  await stream.skip();
  expect(await stream.read()).toMatchObject({ text: "", hasGrown: false, hasMore: false });
});

test.skipIf(process.platform === "win32")(
  "a pipe in the place of a small file of the tree is never waited for, and stays as it is",
  async () => {
    mkdirSync(path.join(dir, "sessions"));
    const names = ["sessions/ada.json", "thread.json", "state.json", ".state.json.lock"];
    for (const name of names) execFileSync("mkfifo", [path.join(dir, name)]);
    const location = { kd: dir, branch: "main", thread: "t", branchDir: dir, dir, isNew: false };
    expect(await writeThreadFile(location, { members: ["ada"], createdTs: 0, owner: "S" })).toBe(false);
    expect(await isBusyElsewhere({ branchDir: dir, thread: "t", sender: "ada", sinceMs: 0 })).toBe(false);
    await expect(readTreeFile(path.join(dir, "state.json"))).rejects.toThrow("it is not a file");
    const locking = withFileLock(path.join(dir, "state.json"), async () => "done");
    await expect(locking).rejects.toThrow("is not a file and cannot be locked");
  },
);
