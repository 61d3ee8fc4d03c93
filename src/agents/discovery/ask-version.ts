/**
 * Runs `--version` of an agent program.
 * It gets no key and no input; time and output are limited; nothing it started is left running. Never rejects.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { childEnvironment } from "../process/launch/environment.ts";
import type { Line } from "../process/pipes/output-pump.ts";
import { processLimits, type ProcessLimits } from "../process/limits.ts";
import type { ProcessList } from "../process/list/process-list.ts";
import { spawnSupervised, type ProcessEnd } from "../process/supervised-process.ts";
import { within } from "../process/wait.ts";

/** The slowest takes 2 s on a quiet machine, and all run at the same time. */
const VERSION_MS_MAX = 30_000;
const LINES_MAX = 20;
const QUOTED_CHARS_MAX = 80;

const limits: ProcessLimits = {
  ...processLimits,
  lineBytesMax: 4 * 1024,
  queueBytesMax: 64 * 1024,
  drainMs: 250,
  killSequence: { interruptMs: 0, sigintMs: 0, sigtermMs: 300, sigkillMs: 1_000 },
};

export interface VersionQuestion {
  readonly member: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly set: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly processes: ProcessList;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export type VersionAnswer = { readonly version: string } | { readonly whyNot: string };

export async function askVersion(question: VersionQuestion): Promise<VersionAnswer> {
  const { member, program, env, set, marker, processes, timeoutMs = VERSION_MS_MAX, signal } = question;
  const { clock = systemClock } = question;
  if (signal?.aborted === true) return { whyNot: "not checked" };
  const output: string[] = [];
  const enough = Promise.withResolvers<void>();
  const spawned = await spawnSupervised({
    member,
    program,
    args: ["--version"],
    cwd: workingDirectory(env["HOME"] ?? homedir()),
    env: childEnvironment({ parent: env, named: [], set, marker }),
    marker,
    processes,
    limits,
    onLine(line) {
      if (output.length < LINES_MAX) output.push(textOf(line));
      else enough.resolve();
    },
  });
  if (!spawned.ok) return { whyNot: spawned.message };
  const { process } = spawned;
  const onAbort = (): void => enough.resolve();
  signal?.addEventListener("abort", onAbort);
  process.endInput();
  const isInTime = await within(clock, timeoutMs, Promise.race([process.done, enough.promise]));
  signal?.removeEventListener("abort", onAbort);
  const hasLeft = process.hasExited;
  await process.stop({ isFinal: true });
  const end = await process.done;
  if (!isInTime) return { whyNot: `version check timed out (${timeoutMs / 1000} s)` };
  return read(output, hasLeft ? end : undefined);
}

/** Not the project, whose files the program may read. The home directory may not exist. */
function workingDirectory(home: string): string {
  return existsSync(home) ? home : parse(process.cwd()).root;
}

/** Output of a failed program is quoted, not parsed: it may name the version of something else. */
function read(output: readonly string[], end: ProcessEnd | undefined): VersionAnswer {
  const lines = output.map(quote).filter((line) => line !== "");
  if (end !== undefined && end.code !== 0) {
    const how = end.code === undefined ? `was ended by ${end.signal ?? "a signal"}` : `exited with ${end.code}`;
    const last =
      end.stderr
        .split("\n")
        .map(quote)
        .findLast((line) => line !== "") ?? lines[0];
    return { whyNot: `--version ${how}${last === undefined ? "" : `: ${last}`}` };
  }
  // Some print it to stderr.
  const printed = end === undefined ? [] : end.stderr.split("\n").map(quote);
  const version = [...lines, ...printed].map(findVersionNumber).find((one) => one !== undefined);
  if (version !== undefined) return { version };
  return { whyNot: lines[0] === undefined ? "--version printed nothing" : `--version printed "${lines[0]}"` };
}

function textOf(line: Line): string {
  return line.kind === "oversize" ? line.head : line.text;
}

function quote(text: string): string {
  return terminalSafeLine(text).trim().slice(0, QUOTED_CHARS_MAX);
}

/** Not part of a longer dotted number such as an address or a date. */
const NUMBER = /(?<![\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)(?![\d]|\.\d)((?:-[0-9A-Za-z][0-9A-Za-z.]{0,31})?)/;

export function findVersionNumber(text: string): string | undefined {
  const [, number, suffix = ""] = NUMBER.exec(text) ?? [];
  return number === undefined ? undefined : number + suffix;
}

export function isOlder(version: string, than: string): boolean {
  const [left, right] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((part) => left[part] !== right[part]);
  return at !== undefined && (left[at] ?? 0) < (right[at] ?? 0);
}

function numbers(version: string): number[] {
  const parts = (version.split("-")[0] ?? "").split(".").map(Number);
  return [0, 1, 2].map((part) => parts[part] ?? 0);
}
