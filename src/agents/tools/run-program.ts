/** Runs a program for its output: no shell, no input; output is streamed; killed on abort and timeout. */
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
  /** Called per chunk; false stops the program. */
  onOutput: (bytes: Buffer) => boolean;
  /** stderr; ignored when absent. */
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
    // Own process group, so that its children are killed with it.
    detached: process.platform !== "win32",
  });
  let cut: ProgramEnd | undefined;
  const end = (why: ProgramEnd) => {
    cut ??= why;
    killGroup(child);
    // A detached grandchild would hold the pipes open and `close` would never fire.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const onAbort = () => end("aborted");
  // A real timer: it limits a process.
  const timer = setTimeout(() => end("timed_out"), run.timeoutMs);
  run.signal.addEventListener("abort", onAbort);
  child.stdout?.on("data", (bytes: Buffer) => {
    if (cut === undefined && !run.onOutput(bytes)) end("enough");
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
    // The group has exited already.
  }
}

/**
 * Absolute path of a program on PATH. Skips relative entries and those inside the checkout (node_modules/.bin): a
 * cloned repository must not choose what runs.
 */
export async function findProgram(
  name: string,
  { path, cwd }: { path: string; cwd: string },
): Promise<string | undefined> {
  const isInCheckout = checkoutTest(cwd);
  const fileName = process.platform === "win32" ? `${name}.exe` : name;
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const candidate = join(directory, fileName);
    const program = await runnable(candidate);
    if (program !== undefined && !isInCheckout(candidate)) return program;
  }
  return undefined;
}

async function runnable(candidate: string): Promise<string | undefined> {
  try {
    await access(candidate, constants.X_OK);
    const real = await realpath(candidate);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    // Missing or not executable: try the next directory.
    return undefined;
  }
}
