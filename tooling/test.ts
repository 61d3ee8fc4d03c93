/**
 * `npm test`: every check and every test. Tests wait a lot, for processes, disks and screens; the checks run in those
 * gaps, behind everything else. A check that fails ends the tests. What is written after `npm test --` goes to the tests.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { FAILED_FILES } from "../test/report-failed-files.ts";
import { runTwoPasses, type Pass } from "./two-passes.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = mkdtempSync(join(tmpdir(), "rt-passes-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  return spawn(process.execPath, [join(root, program), ...args], { cwd: root, env, stdio: "inherit" });
}

/** Whether it ended well. */
function ended(child: ChildProcess): Promise<boolean> {
  return new Promise((end, fail) => {
    child.once("error", fail);
    child.once("close", (code) => end(code === 0));
  });
}

const checks = run("tooling/check.ts", []);
// Before it starts others, which have the priority of who started them.
setPriority(checks.pid ?? 0, constants.priority.PRIORITY_LOW);
let tests: ChildProcess | undefined;
const checking = ended(checks).then((hold) => {
  if (!hold) tests?.kill("SIGINT");
  return hold;
});

let passes = 0;
async function runTests(...files: string[]): Promise<Pass> {
  const list = join(scratch, String((passes += 1)));
  const chosen = files.length === 0 ? process.argv.slice(2) : files;
  // The tests of the map are among the checks.
  const args = ["run", ...(chosen.length === 0 ? ["--project=!map"] : chosen)];
  tests = run("node_modules/vitest/vitest.mjs", args, { ...process.env, [FAILED_FILES]: list });
  const isOk = await ended(tests);
  const hold = await checking;
  return { isOk, failed: isOk || !hold ? [] : readFailed(list) };
}

function readFailed(list: string): string[] | undefined {
  try {
    return readFileSync(list, "utf8").split("\n").filter(Boolean);
  } catch {
    // It did not come to its end.
    return undefined;
  }
}

const testsHold = await runTwoPasses(runTests, (line) => void process.stdout.write(`${line}\n`));
const checksHold = await checking;
if (!checksHold) process.stdout.write("The tests were ended: a check failed, see above.\n");
process.exitCode = testsHold && checksHold ? 0 : 1;
