/**
 * Cleanup after a turn: commands that still run, and the program itself where it serves one turn only.
 * Guarantee: no process outlives the turn that started it unless the agent declared it background work; that ends when
 * the member leaves, or when there is too much of it.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../kit/clock.ts";
import type { AgentRun } from "../agent-run.ts";
import type { Launch } from "../launch/launch.ts";
import type { ProcessLimits } from "../limits.ts";
import type { OpenTurn } from "../turn/open-turn.ts";
import type { ProcessRow } from "../list/process-list.ts";
import { within } from "../wait.ts";

/** Time for leaked processes to exit after SIGTERM. */
const LEAKED_GRACE_MS = 200;
/** Turns with concurrent background work; the oldest is ended beyond it. */
const BACKGROUND_MAX = 8;

export interface LeakedProcessesOptions {
  readonly launch: Pick<Launch, "lifetime" | "isHelper" | "doToolsLeadGroups">;
  readonly limits: ProcessLimits;
  readonly clock: Clock;
  /** Planted bug that the test suite must detect. */
  readonly isCleanupDisabled: boolean;
}

export interface CleanupResult {
  /** Whether the program still serves its member. */
  readonly isAlive: boolean;
  /** Number of processes that could not be ended. */
  readonly left: number;
}

export class LeakedProcesses<State> {
  readonly #options: LeakedProcessesOptions;
  /** Exited programs with live descendants. */
  readonly #background: AgentRun<State>[] = [];

  constructor(options: LeakedProcessesOptions) {
    this.#options = options;
  }

  async cleanUp(run: AgentRun<State>, turn: OpenTurn): Promise<CleanupResult> {
    const { launch, limits, clock } = this.#options;
    const { process } = run;
    if (launch.lifetime === "turn" && !process.hasExited) {
      process.endInput();
      await within(clock, limits.postResultMs, process.exited);
      if (process.hasExited && turn.isBackground) {
        await this.#moveToBackground(run);
        return { isAlive: false, left: 0 };
      }
    }
    if (launch.lifetime === "turn" || process.hasExited || turn.isProgramLost) {
      const { left } = await process.stop();
      // Bounded: a process that the system cannot end never gets there.
      await within(clock, limits.drainMs, run.ended);
      return { isAlive: false, left: left.length };
    }
    // A turn that never reached the program has started nothing, and the program may still be starting.
    if (turn.isBackground || !turn.isPromptSent || this.#options.isCleanupDisabled) return { isAlive: true, left: 0 };
    // Pending output goes out first: scanning all processes takes a while.
    await setImmediate();
    const running = await process.processTree.find();
    const spare = new Set([...turn.before, ...(await this.#helpers(run, running))]);
    const limitMs = limits.killSequence.sigkillMs;
    const left = await process.processTree.end({ running, spare, graceMs: LEAKED_GRACE_MS, limitMs });
    return { isAlive: true, left: left.length };
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#background.splice(0).map((run) => run.process.stop()));
  }

  /** The one-turn program has exited; its background work continues until the member leaves. */
  async #moveToBackground(run: AgentRun<State>): Promise<void> {
    this.#background.push(run);
    if (this.#background.length > BACKGROUND_MAX) await this.#background.shift()?.process.stop();
  }

  async #helpers(run: AgentRun<State>, running: readonly ProcessRow[]): Promise<number[]> {
    const { isHelper, doToolsLeadGroups = false } = this.#options.launch;
    if (isHelper === undefined && !doToolsLeadGroups) return [];
    const { processTree } = run.process;
    const isSpared = async (row: ProcessRow): Promise<boolean> =>
      (doToolsLeadGroups && processTree.isInOwnGroup(row)) || isHelper?.(await processTree.commandOf(row)) === true;
    const rows = await Promise.all(running.map(async (row) => ({ pid: row.pid, isSpared: await isSpared(row) })));
    return rows.filter((row) => row.isSpared).map((row) => row.pid);
  }
}
