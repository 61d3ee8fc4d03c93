import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { reachServer } from "./background-server.ts";

const { argv } = process;
afterEach(() => (process.argv = argv));

test("a server that is not ready in time has exited when the error is reported", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "rt-late-"));
  const program = join(dataDir, "hangs.mjs");
  writeFileSync(program, "setInterval(() => {}, 1_000);");
  process.argv = [argv[0] ?? "", program];
  const reached = reachServer({ dataDir, cwd: dataDir, startMs: 500 });
  await expect.poll(() => processesOf(program).length).toBe(1);
  expect(await reached).toEqual({
    why: `the background server was not ready within 0.5 s, see ${join(dataDir, "server.log")}`,
  });
  expect(processesOf(program)).toEqual([]);
  expect(existsSync(join(dataDir, "server.starting"))).toBe(false);
});

test("a server that exits is reported with its own error", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "rt-exits-"));
  const program = join(dataDir, "exits.mjs");
  writeFileSync(program, 'console.error("roundtable: c.jsonc:1:1: not valid JSON."); process.exitCode = 2;');
  process.argv = [argv[0] ?? "", program];
  const why = "the background server did not start: c.jsonc:1:1: not valid JSON";
  expect(await reachServer({ dataDir, cwd: dataDir })).toEqual({ why });
});

function processesOf(program: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(program);
    } catch {
      // It exited meanwhile.
      return false;
    }
  });
}
