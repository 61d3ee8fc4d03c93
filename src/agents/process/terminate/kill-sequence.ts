/**
 * Stops a program: by its own protocol, then SIGINT, SIGTERM, SIGKILL, each step only after the previous one timed out.
 * Guarantees: all descendants are found before the program is killed and end with it, also those in a session of their
 * own; when the program exits at any step, its remaining descendants are ended at once.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { ProcessTree } from "./process-tree.ts";
import type { KillSequenceLimits } from "../limits.ts";
import { sendSignal, type ProcessRow } from "../list/process-list.ts";
import { within } from "../wait.ts";

export interface KillSequenceOptions {
  readonly processTree: ProcessTree;
  /** Resolves when the program itself has exited. */
  readonly exited: Promise<unknown>;
  readonly hasExited: () => boolean;
  readonly clock: Clock;
  readonly limits: KillSequenceLimits;
  /** Interrupt of the protocol; when `answered` resolves, the program may live on. */
  readonly interrupt?: { readonly send: () => void; readonly answered: Promise<unknown> };
  /** Skips SIGINT, which some programs take as "stop this and continue". */
  readonly isFinal?: boolean;
  /** Planted bug that the test suite must detect. */
  readonly defect?: "kill-group-only" | undefined;
}

export interface StopReport {
  readonly how: "answered" | "left" | "killed";
  /** Processes that survived SIGKILL until the deadline. */
  readonly left: readonly ProcessRow[];
}

export async function runKillSequence(options: KillSequenceOptions): Promise<StopReport> {
  const { processTree, clock, limits, interrupt } = options;
  if (interrupt !== undefined && !options.hasExited()) {
    interrupt.send();
    const heeded = Promise.race([interrupt.answered.then(() => "answered"), options.exited]);
    await within(clock, limits.interruptMs, heeded);
    if ((await isSettled(interrupt.answered)) && !options.hasExited()) return { how: "answered", left: [] };
  }
  if (!options.hasExited()) await processTree.find();
  if (options.isFinal !== true) await signalAndWait(options, "SIGINT", limits.sigintMs);
  await signalAndWait(options, "SIGTERM", limits.sigtermMs);
  const how = options.hasExited() ? "left" : "killed";
  if (options.defect === "kill-group-only") {
    sendSignal(-processTree.group, "SIGKILL");
    return { how, left: [] };
  }
  return { how, left: await processTree.end({ limitMs: limits.sigkillMs }) };
}

/** Signals the group as a terminal would; SIGTERM also reaches descendants outside the group. */
async function signalAndWait(
  options: KillSequenceOptions,
  signal: "SIGINT" | "SIGTERM",
  waitMs: number,
): Promise<void> {
  if (options.hasExited()) return;
  sendSignal(-options.processTree.group, signal);
  if (signal === "SIGTERM" && options.defect === undefined) await options.processTree.signalOutsideGroup(signal);
  await within(options.clock, waitMs, options.exited);
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);
}
