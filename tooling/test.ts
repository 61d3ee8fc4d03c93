/**
 * `npm test`: every check and every test. Tests wait a lot, for processes, disks and screens; the checks run in those
 * gaps, behind everything else. A check that fails ends the tests. What is written after `npm test --` goes to the tests.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { constants, setPriority } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

function run(program: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(root, program), ...args], { cwd: root, stdio: "inherit" });
}

/** Whether it ended well. */
function ended(child: ChildProcess): Promise<boolean> {
  return new Promise((end, fail) => {
    child.once("error", fail);
    child.once("close", (code) => end(code === 0));
  });
}

const checks = run("tooling/check.ts");
// Before it starts others, which have the priority of who started them.
setPriority(checks.pid ?? 0, constants.priority.PRIORITY_LOW);
const tests = run("node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2));
const checking = ended(checks).then((hold) => {
  if (!hold) tests.kill("SIGINT");
  return hold;
});
const [testsHold, checksHold] = await Promise.all([ended(tests), checking]);
if (!checksHold) process.stdout.write("The tests were ended: a check failed, see above.\n");
process.exitCode = testsHold && checksHold ? 0 : 1;
