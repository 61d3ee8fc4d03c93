import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expectedSession } from "./expected-session.ts";

let dataDir = "";
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), "expected-session-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

let clock = 1_000;
function put(id: string, summary: object): void {
  for (const folder of ["logs", "sessions"]) mkdirSync(path.join(dataDir, folder), { recursive: true });
  const log = path.join(dataDir, "logs", `${id}.jsonl`);
  writeFileSync(log, "");
  clock += 10;
  utimesSync(log, clock, clock);
  writeFileSync(path.join(dataDir, "sessions", `${id}.meta.json`), JSON.stringify({ summary }));
}

test("a new session is expected when none is stored or when one is requested", () => {
  expect(expectedSession(dataDir, { cwd: "/a" })).toEqual({ isNew: true });
  put("01AAAAAAAAAAAAAAAAAAAAAAAA", { cwd: "/a", title: "One" });
  expect(expectedSession(dataDir, { cwd: "/a", isNew: true })).toEqual({ isNew: true });
});

test("the directory's last session, or the one with the given id, is expected by its title", () => {
  put("01AAAAAAAAAAAAAAAAAAAAAAAA", { cwd: "/a", title: "One" });
  put("01BBBBBBBBBBBBBBBBBBBBBBBB", { cwd: "/a", title: "Two" });
  put("01CCCCCCCCCCCCCCCCCCCCCCCC", { cwd: "/b", title: "Elsewhere" });
  put("01DDDDDDDDDDDDDDDDDDDDDDDD", { cwd: "/a", title: "Old", archived: true });
  expect(expectedSession(dataDir, { cwd: "/a" })).toEqual({ isNew: false, title: "Two" });
  expect(expectedSession(dataDir, { cwd: "/a", id: "cccccc" })).toEqual({ isNew: false, title: "Elsewhere" });
  expect(expectedSession(dataDir, { cwd: "/none" })).toEqual({ isNew: true });
  expect(expectedSession(dataDir, { cwd: "/a", isPicking: true })).toEqual({ isNew: false });
});
