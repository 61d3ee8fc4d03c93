/** What the supervisor needs to know of the processes of a machine, whichever way the system tells it. */

export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not tell. */
  readonly sid: number;
  /** When it started, in the table's own unit; pid and start together name one process. */
  readonly start: number;
}

export interface ProcessTable {
  readonly name: string;
  /** Every process that still runs; what has ended and was not collected yet is not one. */
  rows(): Promise<readonly ProcessRow[]>;
  /** The run marker of those of these processes that carry one and let us see it. */
  markers(rows: readonly ProcessRow[]): Promise<ReadonlyMap<number, string>>;
  /** Where it costs next to nothing: the descendants of a process, now. */
  descendantsOf?(pid: number): readonly number[];
  commandOf(pid: number): Promise<string>;
  /** The start of a process of our own that was spawned just now. */
  startOfChild(pid: number, spawnedAtMs: number): number;
  isSameStart(one: number, other: number): boolean;
  /** True when the process could not have started before the other. */
  isNotBefore(start: number, other: number): boolean;
  /** False when it is gone, is another process by now, or is not ours to signal. */
  signal(row: ProcessRow, signal: NodeJS.Signals): boolean;
  /** A start as the milliseconds of the wall clock, for display only. */
  timeOf(start: number): number;
  /** True where `markers` never tells anything, so that only records can name what was started. */
  readonly hidesMarkers?: boolean;
  /** Changes when the machine was started anew; empty where starts are absolute times. */
  bootId(): string;
}

/** False when there is nobody to get the signal. A negative pid is a whole process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // ESRCH: gone already, which is what every caller wants; EPERM: another user's, which is not ours to end.
    return false;
  }
}
