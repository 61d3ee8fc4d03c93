/**
 * The lock that kingdom's programs take on the small files they share: flock(2) on `.<file>.lock`. Node cannot take it,
 * so util-linux's `flock` holds it for us and releases it on request or when we die.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { findProgram } from "../../../../src/agents/index.ts";
import { RoundtableError } from "../../../../src/protocol/index.ts";

/** Never from the file's own checkout; a program found only there counts as missing. */
function programNamed(name: string, file: string): string {
  const lookup = findProgram(name, { PATH: process.env["PATH"], cwd: path.dirname(file) });
  return lookup.ok ? lookup.path : path.join("/nonexistent", name);
}

/** Seconds. A holder that takes longer is stuck; our change is retried later. */
const WAIT_SECONDS = 5;

/**
 * Runs `work` while the lock of this file is held. Undefined when this machine has no `flock`: then nothing was done.
 * Throws `busy` when another process does not release it.
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  program = programNamed("flock", file),
): Promise<{ readonly result: T } | undefined> {
  const lock = path.join(path.dirname(file), `.${path.basename(file)}.lock`);
  const stats = await lstat(lock).catch(() => undefined);
  if (stats?.isFile() === false) throw new RoundtableError("busy", `${lock} is not a file and cannot be locked.`);
  // `cat` echoes its input only once the lock is held, and exits at the end of its input.
  const args = ["--exclusive", "--wait", String(WAIT_SECONDS), lock, programNamed("cat", file)];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {
    // It failed to get the lock; the exit handler rejects.
  });
  const ended = Promise.withResolvers<void>();
  child.once("exit", () => ended.resolve());
  try {
    await once(child, "spawn");
  } catch {
    // Missing program: the caller leaves the shared files alone and warns.
    return undefined;
  }
  try {
    child.stdin.write("held\n");
    const held = await Promise.race([once(child.stdout, "data").then(() => true), ended.promise.then(() => false)]);
    if (!held) throw new RoundtableError("busy", `Another program holds ${lock}.`);
    return { result: await work() };
  } finally {
    child.stdin.end();
    await ended.promise;
  }
}
