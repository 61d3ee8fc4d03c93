/**
 * Runs git for reading, in a directory that may be hostile.
 * Promise: no shell, no hook, no file-system monitor, no prompt, no lock, no network; an allow-listed environment; killed
 * when aborted and when its time is up. What it prints is handed over in pieces and never kept here.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { MARKER_VARIABLE } from "../../process/run-marker.ts";
import { findProgram } from "./find-program.ts";

export interface GitRun {
  cwd: string;
  /** Fixed words only. What comes from the user goes behind `--` or `-e`. */
  args: readonly string[];
  signal: AbortSignal;
  /** Its mark, by which it is found if this process dies before it. */
  marker?: string | undefined;
  timeoutMs: number;
  /** Takes the output piece by piece; false means that enough has come. */
  onOutput: (bytes: Buffer) => boolean;
}

/** How git ended. `failed` covers a directory that is no repository; `absent` a machine without git. */
export type GitEnd = "done" | "enough" | "failed" | "absent" | "timed_out" | "aborted";

const SAFE_CONFIG = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"];

/** Of the GIT_ variables only those that narrow what git may do; GIT_DIR or GIT_EXEC_PATH would redirect it. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "SystemRoot", "GIT_CEILING_DIRECTORIES"];

/** A partial clone fetches what it lacks, by a program its own configuration names: no protocol is allowed, so it cannot. */
const FIXED = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

export async function runGit(run: GitRun): Promise<GitEnd> {
  const program = await findProgram("git", { path: process.env["PATH"] ?? "", cwd: run.cwd });
  if (run.signal.aborted) return "aborted";
  return program === null ? "absent" : await runProgram(program, run);
}

function runProgram(program: string, run: GitRun): Promise<GitEnd> {
  const ended = Promise.withResolvers<GitEnd>();
  const child = spawn(program, [...SAFE_CONFIG, ...run.args], {
    cwd: run.cwd,
    env: gitEnvironment(process.env, run.marker),
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
    // A group of its own, so that whatever git has started goes with it.
    detached: process.platform !== "win32",
  });
  let cut: GitEnd | null = null;
  const end = (why: GitEnd) => {
    cut ??= why;
    killGroup(child);
    // A grandchild that got away would hold the pipe open, and the end would never be seen.
    child.stdout.destroy();
  };
  const onAbort = () => end("aborted");
  // A real timer, not the turn's clock: it limits a process, which knows no other time.
  const timer = setTimeout(() => end("timed_out"), run.timeoutMs);
  run.signal.addEventListener("abort", onAbort);
  child.stdout.on("data", (bytes: Buffer) => {
    if (cut === null && !run.onOutput(bytes)) end("enough");
  });
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

export function gitEnvironment(from: NodeJS.ProcessEnv, marker?: string): Record<string, string> {
  const kept = PASSED_ON.flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const mark = marker === undefined ? {} : { [MARKER_VARIABLE]: marker };
  return { ...Object.fromEntries(kept), ...FIXED, ...mark };
}
