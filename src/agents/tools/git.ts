/**
 * Runs git read-only in a directory that may be hostile.
 * No shell, hook, file-system monitor, prompt, lock or network; allow-listed environment; killed on abort and timeout.
 * Output is streamed, not buffered.
 */
import { withCheckoutLast } from "../process/launch/checkout.ts";
import { MARKER_VARIABLE } from "../process/tracking/run-marker.ts";
import { findProgram, runProgram, type ProgramEnd, type ProgramRun } from "./run-program.ts";

/** Arguments are constants; user input goes behind `--` or `-e`. */
export interface GitRun extends Omit<ProgramRun, "env"> {
  /** Marker by which it is found if this process dies first. */
  marker?: string | undefined;
  /** Settings that override those of the repository; exact, whatever the names contain. */
  config?: readonly (readonly [key: string, value: string])[];
}

/** `failed` includes a directory that is not a repository; `absent` means git is not installed. */
export type GitEnd = ProgramEnd | "absent";

const SAFE_CONFIG = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"];

/** Only GIT_ variables that restrict git; GIT_DIR or GIT_EXEC_PATH would redirect it. */
const PASSED_ON = ["PATH", "HOME", "LANG", "LC_ALL", "SystemRoot", "GIT_CEILING_DIRECTORIES"];

/**
 * A partial clone fetches missing objects with a program from its own configuration; allowing no protocol prevents
 * that.
 */
const FIXED = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };

export async function runGit(run: GitRun): Promise<GitEnd> {
  const program = await findProgram("git", { path: process.env["PATH"] ?? "", cwd: run.cwd });
  if (run.signal.aborted) return "aborted";
  if (program === undefined) return "absent";
  const env = { ...gitEnvironment(withCheckoutLast(process.env, run.cwd), run.marker), ...overrides(run.config ?? []) };
  return await runProgram(program, { ...run, args: [...SAFE_CONFIG, ...run.args], env });
}

function overrides(config: NonNullable<GitRun["config"]>): Record<string, string> {
  const pairs = config.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  return pairs.length === 0 ? {} : { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(pairs) };
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
