import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFileAtomic, type AtomicFiles } from "./atomic-file.ts";

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "roundtable-atomic-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("a small file is replaced whole, with exactly the asked permissions, and nothing else is left", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "meta.json");
  writeFileSync(path, "old", { mode: 0o644 });
  await writeFileAtomic(path, "new");
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await writeFileAtomic(path, Buffer.from("newer"), { mode: 0o640 });
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["newer", 0o640]);
  expect(readdirSync(directory)).toEqual(["meta.json"]);
});

test("the order is write, sync, rename, sync of the directory, also with short writes", async () => {
  const steps: string[] = [];
  const files: AtomicFiles = {
    create: () => ({
      write: (bytes) => (steps.push(`write ${bytes.length}`), Math.min(2, bytes.length)),
      datasync: async () => void steps.push("sync"),
      close: () => void steps.push("close"),
    }),
    rename: (_from, to) => void steps.push(`rename to ${to}`),
    unlink: () => void steps.push("unlink"),
    syncDirectory: async (path) => void steps.push(`sync ${path}`),
  };
  await writeFileAtomic("/d/f", "abc", { files });
  expect(steps).toEqual(["write 3", "write 1", "sync", "close", "rename to /d/f", "sync /d"]);
});

test("when it fails, the old file and no temporary one remain", async () => {
  const directory = temporaryDirectory();
  await expect(writeFileAtomic(join(directory, "no", "such"), "x")).rejects.toThrow("ENOENT");
  const path = join(directory, "kept");
  writeFileSync(path, "old");
  rmSync(path);
  writeFileSync(join(directory, "file"), "");
  await expect(writeFileAtomic(join(directory, "file", "under"), "x")).rejects.toThrow("ENOTDIR");
  expect(readdirSync(directory)).toEqual(["file"]);
});
