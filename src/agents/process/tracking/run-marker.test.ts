import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createHostId, createMarker, hashDirectory, parseMarker } from "./run-marker.ts";

test("a marker names its directory, host and member", () => {
  const host = { pid: 12, start: 3456, table: "proc" };
  const hostId = createHostId(host);
  const marker = createMarker({ dataDir: "/data", hostId, member: "ada_1-b" });
  const nonce = marker.split(":").at(-1);
  expect(parseMarker(marker)).toEqual({ directory: hashDirectory("/data"), hostId, host, member: "ada_1-b", nonce });
});

test.each(["", "x", "0123456789abcdef:1-2-proc-00000000:ada", "0123456789abcdef:1-2-proc-00000000:ada:000000000000 "])(
  "%j is no marker",
  (text) => {
    expect(parseMarker(text)).toBeUndefined();
  },
);

test("a directory has one marker, however its path is spelled", () => {
  const root = mkdtempSync(path.join(tmpdir(), "roundtable-mark-"));
  symlinkSync(root, `${root}-link`);
  expect(hashDirectory(`${root}-link`)).toBe(hashDirectory(`${root}/.`));
  expect(hashDirectory(root)).not.toBe(hashDirectory(`${root}/not-there-yet`));
  rmSync(`${root}-link`);
  rmSync(root, { recursive: true });
});
