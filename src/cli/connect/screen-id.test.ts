import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acquireScreenId } from "./connect-to-host.ts";

let dataDir = "";
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), "screen-id-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** As after closing the screen with this id. */
function close(clientId: string): void {
  const directory = path.join(dataDir, "screens");
  const name = readdirSync(directory).find((one) => one.startsWith(clientId)) ?? "";
  const { pid } = spawnSync(process.execPath, ["--version"]);
  renameSync(path.join(directory, name), path.join(directory, `${clientId}.${pid}`));
}

test("screens open at the same time have different ids", () => {
  const ids = [acquireScreenId(dataDir), acquireScreenId(dataDir), acquireScreenId(dataDir)];
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^terminal-[0-9A-Z]{26}$/);
});

test("a reopened screen gets the id of the closed one", () => {
  const [one, two] = [acquireScreenId(dataDir), acquireScreenId(dataDir)];
  close(two);
  expect(acquireScreenId(dataDir)).toBe(two);
  close(one);
  expect(acquireScreenId(dataDir)).toBe(one);
});

test("a screen has an id even where none can be stored", () => {
  writeFileSync(path.join(dataDir, "screens"), "a file");
  expect(acquireScreenId(dataDir)).toMatch(/^terminal-/);
});
