/**
 * Stops a program: first in its own protocol, then SIGINT, SIGTERM, SIGKILL; each step only when the one before was
 * not heeded in time.
 * Promises: everyone the program started is found before it is killed, and ended with it, also those in a session of
 * their own; when the program leaves at any step, what it leaves behind is ended at once.
 */
import type { Clock } from "../../kit/clock.ts";
import type { ProcessTree } from "./family.ts";
import type { LadderLimits } from "./limits.ts";
import { sendSignal, type ProcessRow } from "./process-row.ts";
import { within } from "./wait.ts";

export interface Ladder {
  readonly processTree: ProcessTree;
  /** Resolves when the program itself has left. */
  readonly exited: Promise<unknown>;
  readonly hasExited: () => boolean;
  readonly clock: Clock;
  readonly limits: LadderLimits;
  /** The protocol's own way; `answered` resolves when the program heeded it, and then it may live on. */
  readonly interrupt?: { readonly send: () => void; readonly answered: Promise<unknown> };
  /** Skips SIGINT, which some programs take for "stop this and go on". */
  readonly isFinal?: boolean;
  /** Breaks a promise of this file, so that the suite can show that it would notice. */
  readonly defect?: "kill-group-only" | undefined;
}

export interface StopReport {
  readonly how: "answered" | "left" | "killed";
  /** Those that even SIGKILL did not end in time. */
  readonly left: readonly ProcessRow[];
}

export async function stopByLadder(ladder: Ladder): Promise<StopReport> {
  const { processTree, clock, limits, interrupt } = ladder;
  if (interrupt !== undefined && !ladder.hasExited()) {
    interrupt.send();
    const heeded = Promise.race([interrupt.answered.then(() => "answered"), ladder.exited]);
    await within(clock, limits.interruptMs, heeded);
    if ((await isSettled(interrupt.answered)) && !ladder.hasExited()) return { how: "answered", left: [] };
  }
  if (!ladder.hasExited()) await processTree.find();
  if (ladder.isFinal !== true) await signalAndWait(ladder, "SIGINT", limits.sigintMs);
  await signalAndWait(ladder, "SIGTERM", limits.sigtermMs);
  const how = ladder.hasExited() ? "left" : "killed";
  if (ladder.defect === "kill-group-only") {
    sendSignal(-processTree.group, "SIGKILL");
    return { how, left: [] };
  }
  return { how, left: await processTree.end({ limitMs: limits.sigkillMs }) };
}

/** The group hears it as from a terminal; SIGTERM also reaches those that have left the group. */
async function signalAndWait(ladder: Ladder, signal: "SIGINT" | "SIGTERM", waitMs: number): Promise<void> {
  if (ladder.hasExited()) return;
  sendSignal(-ladder.processTree.group, signal);
  if (signal === "SIGTERM" && ladder.defect === undefined) await ladder.processTree.tell(signal);
  await within(ladder.clock, waitMs, ladder.exited);
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);
}
