/**
 * One external program, supervised from its first byte to its last descendant.
 * Guarantees: started by absolute path with a fixed argument list and nothing of our environment; its output is bounded
 * and never blocks others; it is done when it has exited and its pipe is drained, at most `drainMs` after the exit,
 * whoever holds the pipe; no stream error escapes; `stop` leaves no process behind.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable } from "node:stream";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { ProcessTree } from "./terminate/process-tree.ts";
import { processLimits, type ProcessLimits } from "./limits.ts";
import { OutputPump, type PumpOptions } from "./pipes/output-pump.ts";
import type { ProcessRecords } from "./tracking/process-records.ts";
import type { ProcessList } from "./list/process-list.ts";
import { STATUS_FD } from "../sandbox/bwrap.ts";
import type { Wrapped } from "../sandbox/wrap-command.ts";
import { awaitProgram, bwrapError, SandboxStatus, signalOf } from "./launch/sandbox-status.ts";
import { createSecretScrub, StderrTail, createStderrLines } from "./pipes/stderr.ts";
import { runKillSequence, type KillSequenceOptions, type StopReport } from "./terminate/kill-sequence.ts";
import { within } from "./wait.ts";

export type Defect = "wait-for-close" | "kill-group-only" | "inherit-environment";

export interface SpawnOptions {
  readonly member: string;
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The same command inside a sandbox, which is started instead. */
  readonly wrapped?: Wrapped | undefined;
  readonly marker: string;
  readonly processes: ProcessList;
  readonly records?: ProcessRecords;
  readonly limits?: ProcessLimits;
  readonly clock?: Clock;
  /** Must not throw. A returned promise pauses the program until it resolves. */
  readonly onLine: PumpOptions["onLine"];
  /** A line of stderr, safe to print and without secrets. */
  readonly onStderrLine?: ((line: string) => void) | undefined;
  /** Any byte on stdout or stderr. */
  readonly onActivity?: () => void;
  /** Planted bug that the test suite must detect. */
  readonly defect?: Defect | undefined;
}

export type Spawned =
  | { readonly ok: true; readonly process: SupervisedProcess }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface ProcessEnd {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** False when another process still held the pipe at the deadline. */
  readonly isDrained: boolean;
  readonly stderr: string;
  /** Why the sandbox could not start the program; absent when it ran. */
  readonly sandboxError?: string;
}

/** Wait for stderr after the exit, since it has the reason. */
const STDERR_WAIT_MS = 250;
/** Creating a sandbox takes milliseconds; seconds on an overloaded machine. */
const SANDBOX_WAIT_MS = 20_000;
/** A hanging disk must not block an agent. */
const RECORD_WAIT_MS = 1_000;

export async function spawnSupervised(options: SpawnOptions): Promise<Spawned> {
  let child: ChildProcessWithoutNullStreams;
  const { wrapped, clock = systemClock } = options;
  const spawnedAtMs = clock.now();
  const { program, args, env } = wrapped ?? options;
  // On the main thread only: bwrap dies with the thread that started it.
  const extra = wrapped?.extraStdio.map((fd, index) => (index === 0 ? ("pipe" as const) : fd)) ?? [];
  try {
    child = spawn(program, [...args], {
      cwd: options.cwd,
      env,
      detached: process.platform !== "win32",
      windowsHide: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe", ...extra],
    }) as ChildProcessWithoutNullStreams;
  } catch (thrown) {
    wrapped?.release();
    return refusal(options, thrown);
  }
  const failed = await new Promise<unknown>((resolve) => {
    // Never removed: a late error event without a listener would crash us.
    child.on("error", resolve);
    if (child.pid !== undefined) resolve(undefined);
  });
  if (failed !== undefined) {
    wrapped?.release();
    return refusal(options, failed);
  }
  const supervised = new SupervisedProcess(child, options, spawnedAtMs);
  const [, sandboxError] = await Promise.all([
    within(clock, RECORD_WAIT_MS, supervised.record()),
    supervised.sandboxed(),
  ]);
  if (sandboxError !== undefined) {
    const message = `${options.member} did not start: its sandbox could not be set up (${sandboxError}).`;
    return { ok: false, code: "sandbox", message };
  }
  return { ok: true, process: supervised };
}

export class SupervisedProcess {
  readonly pid: number;
  readonly start: number;
  readonly marker: string;
  /** The program itself has exited. */
  readonly exited: Promise<void>;
  /** The program has exited and its output was read to the end or to the deadline. */
  readonly done: Promise<ProcessEnd>;
  /** No more output can arrive, though the program may still run. */
  readonly outputEnded: Promise<void>;
  /** Resolves with the reason when the program accepts no more input. */
  readonly inputLost: Promise<string>;
  readonly processTree: ProcessTree;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: SpawnOptions;
  readonly #limits: ProcessLimits;
  readonly #clock: Clock;
  readonly #tail = new StderrTail();
  readonly #scrub: (text: string) => string;
  readonly #pump: OutputPump;
  readonly #exited = Promise.withResolvers<void>();
  readonly #inputLost = Promise.withResolvers<string>();
  readonly #closed: Promise<void>;
  readonly #status: SandboxStatus | undefined;
  #exit: { code: number | undefined; signal: NodeJS.Signals | undefined } | undefined;

  constructor(child: ChildProcessWithoutNullStreams, options: SpawnOptions, spawnedAtMs: number) {
    this.#child = child;
    this.#options = options;
    this.#limits = options.limits ?? processLimits;
    this.#clock = options.clock ?? systemClock;
    this.#scrub = createSecretScrub(options.env);
    const status = options.wrapped?.via === "bwrap" ? child.stdio[STATUS_FD] : undefined;
    this.#status = status instanceof Readable ? new SandboxStatus(status) : undefined;
    this.pid = child.pid as number;
    this.marker = options.marker;
    this.start = options.processes.startOfChild(this.pid, spawnedAtMs);
    this.processTree = new ProcessTree(options.processes, { pid: this.pid, start: this.start, marker: options.marker });
    this.exited = this.#exited.promise;
    this.inputLost = this.#inputLost.promise;
    child.once("exit", (code, signal) => {
      this.#exit = { code: code ?? undefined, signal: signal ?? undefined };
      this.#exited.resolve();
    });
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
    // Writing to a program that has exited breaks the pipe; without a listener that would crash us.
    child.stdin.on("error", (error) => this.#inputLost.resolve(error.message));
    const onBytes = (): void => options.onActivity?.();
    const lines = createStderrLines((line) => options.onStderrLine?.(this.#scrub(line)));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#tail.add(chunk);
      if (options.onStderrLine !== undefined) lines(chunk);
      onBytes();
    });
    child.stderr.on("error", () => {
      // Only the rest of stderr is lost.
    });
    this.#pump = new OutputPump(child.stdout, { limits: this.#limits, onLine: options.onLine, onBytes });
    this.outputEnded = this.#pump.ended;
    this.done = this.#finish();
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /**
   * Undefined when the program runs in its sandbox or needs none; otherwise the reason, and nothing of it is left
   * running.
   */
  async sandboxed(): Promise<string | undefined> {
    const status = this.#status;
    if (status === undefined) return undefined;
    let isLate = false;
    const begun = status.innerPid.then(async (pid) => {
      if (pid === undefined) return this.exited;
      const { processes } = this.#options;
      this.processTree.enter({ pid, start: processes.startOfChild(pid, this.#clock.now()) });
      await awaitProgram(pid, processes, () => isLate || this.hasExited);
    });
    isLate = !(await within(this.#clock, SANDBOX_WAIT_MS, begun));
    if (!isLate && !this.hasExited) return undefined;
    if (isLate) await this.stop({ limits: { interruptMs: 0, sigintMs: 0, sigtermMs: 0, sigkillMs: 2_000 } });
    const { sandboxError } = await this.done;
    if (sandboxError === undefined) return undefined;
    this.#options.records?.remove(this.marker);
    return isLate ? `it was not ready within ${SANDBOX_WAIT_MS / 1000} s` : sandboxError;
  }

  /** Tail of stderr, safe to print and without secrets. */
  get stderr(): string {
    return this.#scrub(this.#tail.text());
  }

  forgetStderr(): void {
    this.#tail.clear();
  }

  /** Resolves when the pipe has accepted the bytes; false when it accepts no more. A line includes its newline. */
  write(text: string): Promise<boolean> {
    const { stdin } = this.#child;
    if (stdin.destroyed || stdin.writableEnded) return Promise.resolve(false);
    const bytes = Buffer.from(text);
    if (stdin.writableLength + bytes.length > this.#limits.inputBytesMax) {
      this.#inputLost.resolve(`it left ${stdin.writableLength} bytes of its input unread`);
      return Promise.resolve(false);
    }
    return new Promise((resolve) => stdin.write(bytes, (error) => resolve(error === null || error === undefined)));
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Ends the program and all its descendants, except when the interrupt of its protocol was enough. */
  async stop(
    how: Pick<KillSequenceOptions, "interrupt" | "isFinal"> & { limits?: KillSequenceOptions["limits"] } = {},
  ): Promise<StopReport> {
    const { defect } = this.#options;
    const report = await runKillSequence({
      processTree: this.processTree,
      exited: this.exited,
      hasExited: () => this.hasExited,
      clock: this.#clock,
      limits: this.#limits.killSequence,
      defect: defect === "kill-group-only" ? defect : undefined,
      ...how,
    });
    if (report.how !== "answered" && report.left.length === 0) this.#options.records?.remove(this.marker);
    return report;
  }

  /** False when the record could not be written; the run marker in its environment still identifies the process. */
  async record(): Promise<boolean> {
    const { records, member } = this.#options;
    return records === undefined || records.add({ pid: this.pid, start: this.start, marker: this.marker, member });
  }

  async #finish(): Promise<ProcessEnd> {
    await this.exited;
    if (this.#options.defect === "wait-for-close") await this.#closed;
    const stderrRead = this.#readStderr();
    const isDrained = await within(this.#clock, this.#limits.drainMs, this.#pump.ended);
    if (!isDrained) this.#pump.cut();
    await this.#pump.drained;
    await stderrRead;
    this.#child.stdin.destroy();
    this.#child.stderr.destroy();
    return { ...(await this.#howItEnded()), isDrained, stderr: this.stderr };
  }

  async #howItEnded(): Promise<Pick<ProcessEnd, "code" | "signal" | "sandboxError">> {
    const { code, signal } = this.#exit ?? {};
    this.#options.wrapped?.release();
    const status = this.#status;
    if (status === undefined) return { code, signal };
    await within(this.#clock, STDERR_WAIT_MS, status.closed);
    const killed = signal ?? signalOf(code);
    if (killed !== undefined) return { code: undefined, signal: killed };
    return status.hasRun ? { code, signal } : { code, signal, sandboxError: bwrapError(this.stderr) };
  }

  async #readStderr(): Promise<void> {
    const { stderr } = this.#child;
    if (stderr.readableEnded || stderr.destroyed) return;
    const ended = new Promise((resolve) => stderr.once("end", resolve).once("close", resolve));
    await within(this.#clock, Math.min(STDERR_WAIT_MS, this.#limits.drainMs), ended);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the program or its working directory does not exist",
  EACCES: "permission denied",
  ENOEXEC: "it is not a program for this machine",
  E2BIG: "its arguments and environment are too large",
  EAGAIN: "the system allows no more processes",
  ENOMEM: "the system has no memory left for it",
  EMFILE: "too many files are open",
};

function refusal({ member, program, cwd }: SpawnOptions, thrown: unknown): Spawned {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
  const why = REASONS[code] ?? (thrown instanceof Error ? thrown.message : String(thrown));
  return { ok: false, code, message: `${member} did not start: ${why} (${program} in ${cwd}, ${code}).` };
}
