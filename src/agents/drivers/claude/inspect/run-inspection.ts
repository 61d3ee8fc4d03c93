/**
 * Runs what `checkCall` has let through, without a shell.
 * Promise: nothing that the repository configures is run, not by git either: no pager, diff driver, filter, signature
 * program, file-system monitor or submodule; nothing is written; output and time are bounded.
 */
import { findProgram, runProgram } from "../../../tools/run-program.ts";
import { gitEnvironment, runGit, type GitEnd } from "../../../tools/git.ts";
import { NotRun, type Inspection } from "./check-call.ts";

const OUTPUT_BYTES_MAX = 64 * 1024;
const COMPLAINT_BYTES_MAX = 2 * 1024;
const SETTINGS_BYTES_MAX = 1024 * 1024;
const TIME_MS_MAX = 20_000;

export interface InspectionRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** What it printed. Rejects with `NotRun` when it failed, in words for the model. */
export async function runInspection(what: Inspection, run: InspectionRun): Promise<string> {
  const output = collector(OUTPUT_BYTES_MAX);
  const complaint = collector(COMPLAINT_BYTES_MAX);
  const bounds = {
    ...run,
    timeoutMs: TIME_MS_MAX,
    onOutput: output.add,
    onComplaint: (bytes: Buffer): void => void complaint.add(bytes),
  };
  const end =
    what.program === "git"
      ? await runGit({ ...bounds, args: await gitArguments(what, run) })
      : await runOnPath(what.program, { ...bounds, args: what.args });
  if (end === "done") return output.text();
  if (end === "enough") return `${output.text()}\n[cut after ${OUTPUT_BYTES_MAX} bytes: ask for less]`;
  const printed = [output.text(), complaint.text()].filter((text) => text.trim() !== "").join("\n");
  throw new NotRun(printed === "" ? (ENDS[end] ?? "It failed and gave no reason.") : printed);
}

const ENDS: Readonly<Partial<Record<GitEnd, string>>> = {
  absent: "This program is not installed here.",
  timed_out: `It took longer than ${TIME_MS_MAX / 1000} s and was stopped.`,
  aborted: "It was stopped.",
};

async function runOnPath(name: string, run: Omit<Parameters<typeof runProgram>[1], "env">): Promise<GitEnd> {
  const program = await findProgram(name, { path: process.env["PATH"] ?? "", cwd: run.cwd });
  return program === null ? "absent" : runProgram(program, { ...run, env: gitEnvironment(process.env) });
}

const NO_PROGRAM = "false";

/** A repository may name programs in its configuration; each of these would be run by one of our five commands. */
const QUIET = [
  "core.quotePath=false",
  "log.showSignature=false",
  "diff.external=",
  "diff.submodule=short",
  "diff.autoRefreshIndex=false",
  "status.submoduleSummary=false",
  "safe.bareRepository=explicit",
  ...["gpg", "gpg.openpgp", "gpg.x509", "gpg.ssh"].map((name) => `${name}.program=${NO_PROGRAM}`),
];

const PLAIN_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

const FIXED: Readonly<Record<string, readonly string[]>> = {
  log: [...PLAIN_DIFF, "--no-show-signature"],
  show: [...PLAIN_DIFF, "--no-show-signature"],
  diff: PLAIN_DIFF,
  blame: ["--no-textconv"],
  status: ["--ignore-submodules=all"],
};

async function gitArguments(
  { command, args }: Extract<Inspection, { program: "git" }>,
  run: InspectionRun,
): Promise<string[]> {
  const settings = [...QUIET, ...(await withoutFilters(run))];
  return ["--no-pager", ...settings.flatMap((one) => ["-c", one]), command, ...(FIXED[command] ?? []), ...args];
}

/** To compare a file that lies there, git would run the filters that are configured for it. Each is set to nothing. */
async function withoutFilters(run: InspectionRun): Promise<string[]> {
  const names = collector(SETTINGS_BYTES_MAX);
  const args = ["config", "--list", "--name-only", "-z"];
  const end = await runGit({ ...run, timeoutMs: TIME_MS_MAX, args, onOutput: names.add });
  if (end === "absent") throw new NotRun("git is not installed here.");
  if (end !== "done") throw new NotRun("The configuration of git could not be read.");
  const filters = names
    .text()
    .split("\0")
    .flatMap((name) => /^filter\.(.+)\.[^.]+$/s.exec(name)?.[1] ?? []);
  return [...new Set(filters)].flatMap((name) => {
    if (/[=\n]/.test(name)) throw new NotRun("The configuration of git names a filter that cannot be switched off.");
    const key = `filter.${name}`;
    return [`${key}.clean=`, `${key}.smudge=`, `${key}.process=`, `${key}.required=false`];
  });
}

function collector(bytesMax: number): { add: (bytes: Buffer) => boolean; text: () => string } {
  const chunks: Buffer[] = [];
  let left = bytesMax;
  return {
    add(bytes) {
      chunks.push(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      return left > 0;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
