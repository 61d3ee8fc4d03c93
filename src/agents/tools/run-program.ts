/** Runs a program for reading: no shell, no input, its output in pieces; killed when aborted, and when its time is up. */
import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { checkoutTest } from "../process/launch/checkout.ts";

export interface ProgramRun {
  cwd: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  timeoutMs: number;
  /** Takes the output piece by piece; false means that enough has come. */
  onOutput: (bytes: Buffer) => boolean;
  /** What it prints about what went wrong; absent: nobody reads it. */
  onComplaint?: ((bytes: Buffer) => void) | undefined;
}

export type ProgramEnd = "done" | "enough" | "failed" | "timed_out" | "aborted";

export function runProgram(program: string, run: ProgramRun): Promise<ProgramEnd> {
  const ended = Promise.withResolvers<ProgramEnd>();
  const child = spawn(program, [...run.args], {
    cwd: run.cwd,
    env: run.env,
    stdio: ["ignore", "pipe", run.onComplaint === undefined ? "ignore" : "pipe"],
    windowsHide: true,
    // A group of its own, so that whatever it has started goes with it.
    detached: process.platform !== "win32",
  });
  let cut: ProgramEnd | null = null;
  const end = (why: ProgramEnd) => {
    cut ??= why;
    killGroup(child);
    // A grandchild that got away would hold the pipes open, and the end would never be seen.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const onAbort = () => end("aborted");
  // A real timer, not the turn's clock: it limits a process, which knows no other time.
  const timer = setTimeout(() => end("timed_out"), run.timeoutMs);
  run.signal.addEventListener("abort", onAbort);
  child.stdout?.on("data", (bytes: Buffer) => {
    if (cut === null && !run.onOutput(bytes)) end("enough");
  });
  child.stderr?.on("data", (bytes: Buffer) => run.onComplaint?.(bytes));
  child.on("error", () => ended.resolve(cut ?? "failed"));
  child.on("close", (code) => ended.resolve(cut ?? (code === 0 ? "done" : "failed")));
  return ended.promise.finally(() => {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", onAbort);
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === "win32") {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group has ended meanwhile.
  }
}

// Finds a program on PATH by its absolute path, without ever taking one from the checkout the session is about.
/** A relative PATH entry, or one inside the checkout (node_modules/.bin), would let a cloned repository choose what runs. */
export async function findProgram(name: string, { path, cwd }: { path: string; cwd: string }): Promise<string | null> {
  const isInCheckout = checkoutTest(cwd);
  const fileName = process.platform === "win32" ? `${name}.exe` : name;
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, fileName);
    const program = await runnable(candidate);
    if (program !== null && !isInCheckout(candidate)) return program;
  }
  return null;
}

async function runnable(candidate: string): Promise<string | null> {
  try {
    await access(candidate, constants.X_OK);
    const real = await realpath(candidate);
    return (await stat(real)).isFile() ? real : null;
  } catch {
    // Not there or not to be run: the next directory may have it.
    return null;
  }
}
