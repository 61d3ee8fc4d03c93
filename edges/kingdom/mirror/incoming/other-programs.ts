/**
 * Programs on this machine that may have written a message into a thread, and may be waiting for its answer: kingdom's
 * own, and any other that runs in the project or names it. Only where the system shows processes as files.
 */
import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";

export interface OtherPrograms {
  /** Processes of kingdom's own programs, which wait for the answer until they end. */
  readonly kingdom: readonly number[];
  /** Other processes that may be the writer. */
  readonly others: readonly number[];
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly argv: readonly string[];
  readonly cwd: string;
}

const PROC = "/proc";
const KINGDOM_NAME = /^(?:kd|kingdom(?:\..*)?)$/;
const SHELLS = new Set(["sh", "bash", "zsh", "fish", "dash", "ksh", "tcsh"]);
/** Where the name of a program stands: behind an interpreter, or a launcher and its option. */
const NAME_ARGS_MAX = 4;

/** Undefined where processes cannot be seen. `project` is the directory that holds the tree. */
export async function findOtherPrograms(project: string): Promise<OtherPrograms | undefined> {
  const names = await readdir(PROC).catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (pids.length === 0) return undefined;
  const all = (await Promise.all(pids.map(readProcess))).filter((one) => one !== undefined);
  const byPid = new Map(all.map((one) => [one.pid, one]));
  const near = all.filter((one) => isIn(project, one.cwd) || isNamed(project, one.argv));
  // Also one that an agent of ours has started.
  const kingdom = near.filter(({ argv }) => argv.slice(0, NAME_ARGS_MAX).some(isKingdom) && !isChat(argv));
  const others = near.filter((one) => !kingdom.includes(one) && !isIdleShell(one.argv) && !isOurs(one, byPid));
  return { kingdom: kingdom.map(({ pid }) => pid), others: others.map(({ pid }) => pid) };
}

/** Undefined for one that is gone, or another user's. */
async function readProcess(pid: number): Promise<Process | undefined> {
  const dir = path.join(PROC, String(pid));
  try {
    const [line, status, cwd] = await Promise.all([
      readFile(path.join(dir, "cmdline"), "utf8"),
      readFile(path.join(dir, "stat"), "utf8"),
      readlink(path.join(dir, "cwd")),
    ]);
    const argv = line.split("\0").slice(0, -1);
    // The name is in parentheses and may contain anything; state and parent follow.
    const [, state, parent] = /\) (\S) (\d+) [^)]*$/.exec(status) ?? [];
    return argv.length === 0 || state === "Z" ? undefined : { pid, parent: Number(parent), argv, cwd };
  } catch {
    // Exited, or not readable by this user.
    return undefined;
  }
}

/** This program, its other processes, and everything that they have started. */
function isOurs(one: Process, byPid: ReadonlyMap<number, Process>): boolean {
  const own = process.argv[1];
  const seen = new Set<number>();
  for (let at: Process | undefined = one; at !== undefined && !seen.has(at.pid); at = byPid.get(at.parent)) {
    seen.add(at.pid);
    if (at.pid === process.pid) return true;
    if (at.argv.slice(0, 2).some((word) => word === own || path.basename(word) === "roundtable")) return true;
  }
  return false;
}

function isIn(project: string, cwd: string): boolean {
  return cwd === project || cwd.startsWith(project + path.sep);
}

function isNamed(project: string, argv: readonly string[]): boolean {
  return argv.some((word) => word.includes(project));
}

function isKingdom(word: string): boolean {
  return KINGDOM_NAME.test(path.basename(word));
}

/** A chat screen does not exit after an answer. */
function isChat(argv: readonly string[]): boolean {
  return argv.slice(0, NAME_ARGS_MAX + 1).includes("chat");
}

/** One that waits for its user, who would have to type a message file. */
function isIdleShell([name = "", ...rest]: readonly string[]): boolean {
  return SHELLS.has(path.basename(name).replace(/^-/, "")) && rest.every((word) => word.startsWith("-"));
}
