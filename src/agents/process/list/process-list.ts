/** Processes of the machine as the supervisor needs them, independent of the platform. */

export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not report it. */
  readonly sid: number;
  /** Start time in the list's own unit; pid and start together identify a process. */
  readonly start: number;
}

export interface ProcessList {
  readonly name: string;
  /** All running processes, without zombies. */
  rows(): Promise<readonly ProcessRow[]>;
  /** Run markers of those processes whose environment has one that we may read. */
  markers(rows: readonly ProcessRow[]): Promise<ReadonlyMap<number, string>>;
  /** Current descendants of a process, where listing them is cheap. */
  descendantsOf?(pid: number): readonly number[];
  commandOf(pid: number): Promise<string>;
  /** Start time of a child that was just spawned. */
  startOfChild(pid: number, spawnedAtMs: number): number;
  isSameStart(one: number, other: number): boolean;
  /** True unless the process started before the other. */
  isNotBefore(start: number, other: number): boolean;
  /** False when it is gone, its pid was reused, or it may not be signalled. */
  signal(row: ProcessRow, signal: NodeJS.Signals): boolean;
  /** Start time in wall-clock milliseconds, for display only. */
  timeOf(start: number): number;
  /** True where `markers` is always empty, so that only records identify processes. */
  readonly hidesMarkers?: boolean;
  /** Differs after a reboot; empty where start times are absolute. */
  bootId(): string;
}

/** False when no process received it. A negative pid addresses a process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // ESRCH: already gone, as intended; EPERM: another user's process, not ours to end.
    return false;
  }
}
