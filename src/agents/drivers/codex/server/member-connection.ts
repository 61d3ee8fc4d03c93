/**
 * Connection of one member to the shared program. To the member it is its program: it can be written to, stopped and
 * left.
 * Guarantees: leaving ends the processes of the member's commands and nothing of the others; an interrupt that the
 * program ignores ends the program, since there is no other way to end the turn.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../../kit/clock.ts";
import type { Program } from "../../../process/agent-run.ts";
import type { ProcessLimits } from "../../../process/limits.ts";
import type { ProcessRow, ProcessList } from "../../../process/list/process-list.ts";
import type { KillSequenceOptions, StopReport } from "../../../process/terminate/kill-sequence.ts";
import type { ProcessEnd } from "../../../process/supervised-process.ts";
import { within } from "../../../process/wait.ts";
import { fieldsOf, recordsOf } from "../../../json-rpc/fields.ts";
import { endMarked } from "../../../process/terminate/process-tree.ts";
import type { RunningServer } from "./running-server.ts";

export interface MemberConnectionOptions {
  readonly idPrefix: string;
  readonly marker: string;
  readonly processes: ProcessList;
  readonly clock: Clock;
  readonly limits: ProcessLimits;
}

type Interrupt = NonNullable<KillSequenceOptions["interrupt"]>;

/** Time for the program to clean up after a member that leaves. */
const CLEANUP_MS = 1_000;

export class MemberConnection implements Program {
  readonly idPrefix: string;
  readonly marker: string;
  readonly exited: Promise<void>;
  readonly done: Promise<ProcessEnd>;
  readonly outputEnded: Promise<void>;
  readonly inputLost: Promise<string>;
  readonly processTree: Program["processTree"];
  readonly #server: RunningServer;
  readonly #options: MemberConnectionOptions;
  readonly #exited = Promise.withResolvers<void>();
  readonly #done = Promise.withResolvers<ProcessEnd>();
  readonly #outputEnded = Promise.withResolvers<void>();
  readonly #inputLost = Promise.withResolvers<string>();
  /** Whether the running turn has started something that could outlive it. */
  #hasRunCommand = false;
  #interrupting: Promise<boolean> = Promise.resolve(false);

  constructor(server: RunningServer, options: MemberConnectionOptions) {
    this.#server = server;
    this.#options = options;
    this.idPrefix = options.idPrefix;
    this.marker = options.marker;
    this.exited = this.#exited.promise;
    this.done = this.#done.promise;
    this.outputEnded = this.#outputEnded.promise;
    this.inputLost = this.#inputLost.promise;
    this.processTree = {
      // Commands of other members come and go: only run markers tell them apart.
      knownPids: () => new Set(),
      find: () => Promise.resolve([]),
      end: () => this.#endLeakedProcesses(),
      isInOwnGroup: () => false,
      commandOf: (row) => options.processes.commandOf(row.pid),
    };
  }

  get hasExited(): boolean {
    return this.#server.process.hasExited;
  }

  get stderr(): string {
    return this.#server.process.stderr;
  }

  forgetStderr(): void {
    // stderr is shared by all members.
  }

  write(text: string): Promise<boolean> {
    return this.#server.process.write(text);
  }

  endInput(): void {
    // stdin is shared by all members; `stop` leaves.
  }

  async stop(how: Parameters<Program["stop"]>[0] = {}): Promise<StopReport> {
    const { interrupt, isFinal } = how;
    if (isFinal === true) return this.#leave();
    if (interrupt === undefined) return this.#server.end();
    this.#interrupting = this.#interrupt(interrupt);
    const isHeeded = await this.#interrupting;
    return isHeeded ? { how: "answered", left: [] } : this.#server.end();
  }

  async #interrupt({ send, answered }: Interrupt): Promise<boolean> {
    if (this.hasExited) return false;
    send();
    const heeded = Promise.race([answered.then(() => true), this.exited.then(() => false)]);
    const isInTime = await within(this.#options.clock, this.#options.limits.killSequence.interruptMs, heeded);
    return isInTime && (await heeded) && !this.hasExited;
  }

  programHasEnded(end: ProcessEnd): void {
    this.#exited.resolve();
    this.#done.resolve(end);
  }

  outputHasEnded(): void {
    this.#outputEnded.resolve();
  }

  inputIsLost(why: string): void {
    this.#inputLost.resolve(why);
  }

  itemBegan(type: string | undefined): void {
    if (type === "commandExecution") this.#hasRunCommand = true;
  }

  async #leave(): Promise<StopReport> {
    // A turn may be stopped because its member leaves, and needs its lines until then.
    await setImmediate();
    await this.#interrupting;
    const server = this.#server;
    if (server.isOpen && !server.isLast(this))
      await Promise.all(server.threadsOf(this).map((id) => this.#releaseThread(id)));
    const report = await server.remove(this);
    const left = await this.#endMarked();
    return { ...report, left: [...report.left, ...left] };
  }

  /**
   * Interrupt between turns: Codex ends the terminals that it knows, and what else carries the member's marker is ended
   * here.
   */
  async endBackground(): Promise<void> {
    if (this.#server.isOpen) await Promise.all(this.#server.threadsOf(this).map((id) => this.#clean(id)));
    await this.#endMarked();
  }

  #clean(threadId: string): Promise<unknown> {
    return this.#server.call("thread/backgroundTerminals/clean", { threadId }, CLEANUP_MS);
  }

  async #releaseThread(threadId: string): Promise<void> {
    await Promise.all([this.#clean(threadId), this.#server.call("thread/unsubscribe", { threadId }, CLEANUP_MS)]);
  }

  /** Codex's background terminals were left running on purpose; everything else is a leaked process. */
  async #endLeakedProcesses(): Promise<readonly ProcessRow[]> {
    const [threadId] = this.#server.threadsOf(this);
    if (threadId === undefined || !this.#server.isOpen || !this.#hasRunCommand) return [];
    this.#hasRunCommand = false;
    const answer = await this.#server.call("thread/backgroundTerminals/list", { threadId }, CLEANUP_MS);
    const result = fieldsOf(answer?.kind === "result" ? answer.result : undefined);
    return recordsOf(result, "data").length > 0 ? [] : this.#endMarked();
  }

  #endMarked(): Promise<readonly ProcessRow[]> {
    return endMarked(this.#options.processes, new Set([this.marker]));
  }
}
