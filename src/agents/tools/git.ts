/**
 * Runs git for reading, in a directory that may be hostile.
 * Promise: no shell, no hook, no file-system monitor, no prompt, no lock, no network; an allow-listed environment; killed
 * when aborted and when its time is up. What it prints is handed over in pieces and never kept here.
 */
import { withCheckoutLast } from "../process/launch/checkout.ts";
import { MARKER_VARIABLE } from "../process/tracking/run-marker.ts";
import { findProgram, runProgram, type ProgramEnd, type ProgramRun } from "./run-program.ts";

/** Arguments are fixed words only. What comes from the user goes behind `--` or `-e`. */
export interface GitRun extends Omit<ProgramRun, "env"> {
  /** Its mark, by which it is found if this process dies before it. */
  marker?: string | undefined;
}

/** How git ended. `failed` covers a directory that is no repository; `absent` a machine without git. */
export type GitEnd = ProgramEnd | "absent";

const SAFE_CONFIG = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"];

/** Of the GIT_ variables only those that narrow what git may do; GIT_DIR or GIT_EXEC_PATH would redirect it. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "SystemRoot", "GIT_CEILING_DIRECTORIES"];

/** A partial clone fetches what it lacks, by a program its own configuration names: no protocol is allowed, so it cannot. */
const FIXED = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

export async function runGit(run: GitRun): Promise<GitEnd> {
  const program = await findProgram("git", { path: process.env["PATH"] ?? "", cwd: run.cwd });
  if (run.signal.aborted) return "aborted";
  if (program === null) return "absent";
  const env = gitEnvironment(withCheckoutLast(process.env, run.cwd), run.marker);
  return await runProgram(program, { ...run, args: [...SAFE_CONFIG, ...run.args], env });
}

export function gitEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  marker?: string,
): Record<string, string> {
  const inherited = PASSED_ON.flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const mark = marker === undefined ? {} : { [MARKER_VARIABLE]: marker };
  return { ...Object.fromEntries(inherited), ...FIXED, ...mark };
}
