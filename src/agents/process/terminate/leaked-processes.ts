/**
 * What a turn leaves behind when it ends: commands that go on, and the program itself where it serves one turn only.
 * Promise: nothing that a turn started outlives it, unless the agent declared it background work; then it ends when the
 * member leaves, or when it is the oldest of too many.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../kit/clock.ts";
import type { AgentRun } from "../agent-run.ts";
import type { Launch } from "../launch/launch.ts";
import type { ProcessLimits } from "../limits.ts";
import type { OpenTurn } from "../turn/open-turn.ts";
import type { ProcessRow } from "../table/process-table.ts";
import { within } from "../wait.ts";

/** What a turn has left behind may tidy up for this long. */
const LEAKED_GRACE_MS = 200;
/** Turns whose background work may go on at the same time; the oldest makes room. */
const BACKGROUND_MAX = 8;

export interface LeakedProcessesOptions {
  readonly launch: Pick<Launch, "lifetime" | "isHelper" | "doToolsLeadGroups">;
  readonly limits: ProcessLimits;
  readonly clock: Clock;
  /** For the suite, which must notice it. */
  readonly isCleanupDisabled: boolean;
}

export interface CleanupResult {
  /** Whether the program still serves its member. */
  readonly isAlive: boolean;
  /** How many processes could not be ended. */
  readonly left: number;
}

export class LeakedProcesses<State> {
  readonly #options: LeakedProcessesOptions;
  /** Programs that left, of which something goes on. */
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
      // Not longer than that: a process that the system cannot end never gets there.
      await within(clock, limits.drainMs, run.ended);
      return { isAlive: false, left: left.length };
    }
    // A turn that never reached the program has started nothing, and the program may still be starting.
    if (turn.isBackground || !turn.isPromptSent || this.#options.isCleanupDisabled) return { isAlive: true, left: 0 };
    // What was said last goes out first: a look at every process there is takes a while.
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

  /** A program of one turn has left, what it declared as background work goes on until the member leaves. */
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
