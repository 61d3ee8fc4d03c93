/**
 * All processes of one launch: descendants, members of its group or session, and carriers of its run marker. Processes
 * stay known once seen, so a parent that exits does not hide its children.
 * Windows reuses the pids of parents; there only rows that started after their parent count as children.
 */
import type { ProcessRow, ProcessList } from "../list/process-list.ts";

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: number;
}

export interface Root extends ProcessIdentity {
  readonly marker: string;
}

/** Pause between two scans. */
const POLL_INTERVAL_MS = 15;

export class ProcessTree {
  readonly root: Root;
  readonly #processes: ProcessList;
  readonly #known = new Map<number, number>();
  #last: readonly ProcessRow[];
  #inner: ProcessIdentity | undefined;

  constructor(processes: ProcessList, root: Root) {
    this.root = root;
    this.#processes = processes;
    this.#known.set(root.pid, root.start);
    this.#last = [rowOf(root)];
  }

  /**
   * Sets the first process of a sandbox's namespace; all others in it end with it. It leads the agent's process group.
   */
  enter(inner: ProcessIdentity): void {
    this.#inner = inner;
    this.#known.set(inner.pid, inner.start);
    this.#last = [rowOf(inner), ...this.#last];
  }

  /** Process group that receives signals as from a terminal. */
  get group(): number {
    return (this.#inner ?? this.root).pid;
  }

  /** All running processes of the tree; those of the last scan when the system gives no answer. Never rejects. */
  async find(): Promise<readonly ProcessRow[]> {
    try {
      this.#last = await this.#scan();
    } catch {
      // No file descriptor or no `ps` at the moment: the last scan is good enough for signals.
    }
    return this.#last;
  }

  async #scan(): Promise<readonly ProcessRow[]> {
    const all = await this.#processes.rows();
    const rows = all.filter(
      (row) => row.pid !== process.pid && this.#processes.isNotBefore(row.start, this.root.start),
    );
    const markers = await this.#processes.markers(rows);
    const isReused = rows.some((row) => row.pid === this.root.pid && !this.#isKnown(row));
    const seeds = rows.filter(
      (row) =>
        this.#isKnown(row) ||
        markers.get(row.pid) === this.root.marker ||
        (!isReused && (row.pgid === this.root.pid || row.sid === this.root.pid)),
    );
    const running = withDescendants(seeds, rows, this.#processes);
    this.#known.clear();
    for (const row of running) this.#known.set(row.pid, row.start);
    return running;
  }

  /**
   * Ends all processes except the spared ones, including those that they start meanwhile. Resolves with what is left at
   * the deadline: nothing, unless the system cannot end it. Pass `running` after a scan to save another one, since
   * every turn ends with this.
   */
  async end(options: {
    running?: readonly ProcessRow[] | undefined;
    spare?: ReadonlySet<number>;
    graceMs?: number;
    limitMs: number;
  }): Promise<readonly ProcessRow[]> {
    const { spare = new Set(), graceMs = 0, limitMs } = options;
    const startMs = performance.now();
    let { running } = options;
    let hasSignalled = graceMs === 0;
    for (;;) {
      const targets = (running ?? (await this.find())).filter((row) => !spare.has(row.pid));
      const spentMs = performance.now() - startMs;
      if (targets.length === 0 || spentMs > graceMs + limitMs) return targets;
      if (!hasSignalled)
        for (const row of targets) if (!this.#isSandboxProcess(row)) this.#processes.signal(row, "SIGTERM");
      if (spentMs >= graceMs) this.#kill(targets);
      hasSignalled = true;
      running = undefined;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }

  /** All processes seen so far, and the current descendants where listing them is cheap. */
  knownPids(): Set<number> {
    return new Set([...this.#known.keys(), ...(this.#processes.descendantsOf?.(this.root.pid) ?? [])]);
  }

  /** Whether the process stayed in the program's group; never on Windows, which has none. */
  isInOwnGroup(row: ProcessRow): boolean {
    return row.pgid === this.group;
  }

  commandOf(row: ProcessRow): Promise<string> {
    return this.#processes.commandOf(row.pid);
  }

  /** Signals descendants outside the program's group; the group was signalled already. */
  async signalOutsideGroup(signal: NodeJS.Signals): Promise<void> {
    for (const row of await this.find()) {
      if (!this.isInOwnGroup(row) && !this.#isSandboxProcess(row)) this.#processes.signal(row, signal);
    }
  }

  /** The namespace's first process goes first: if bwrap dies early, it may survive. */
  #kill(targets: readonly ProcessRow[]): void {
    const first = targets.filter(({ pid }) => pid === this.#inner?.pid);
    for (const row of [...first, ...targets]) this.#processes.signal(row, "SIGKILL");
  }

  /** bwrap forwards no signals: any of them ends the whole sandbox at once. */
  #isSandboxProcess({ pid }: ProcessRow): boolean {
    return this.#inner !== undefined && (pid === this.root.pid || pid === this.#inner.pid);
  }

  #isKnown(row: ProcessRow): boolean {
    const start = this.#known.get(row.pid);
    return start !== undefined && this.#processes.isSameStart(row.start, start);
  }
}

function rowOf({ pid, start }: ProcessIdentity): ProcessRow {
  return { pid, ppid: 0, pgid: pid, sid: pid, start };
}

export function withDescendants(
  seeds: readonly ProcessRow[],
  rows: readonly ProcessRow[],
  processes: Pick<ProcessList, "isNotBefore">,
): ProcessRow[] {
  const children = Map.groupBy(rows, (row) => row.ppid);
  const tree = new Map(seeds.map((row) => [row.pid, row]));
  for (const parent of tree.values()) {
    for (const child of children.get(parent.pid) ?? []) {
      if (processes.isNotBefore(child.start, parent.start)) tree.set(child.pid, child);
    }
  }
  return [...tree.values()];
}

/** Grace period of `endMarked` between SIGTERM and SIGKILL. */
const GRACE_MS = 200;
const KILL_WAIT_MS = 1_000;

/**
 * Ends all processes that carry one of these run markers, with their descendants: the commands of one member's thread,
 * which run under a program that others share. Finds nothing where the system hides environments; then the program's
 * own cleanup has to suffice. Resolves with what is left at the deadline. Never rejects.
 */
export async function endMarked(processes: ProcessList, markers: ReadonlySet<string>): Promise<readonly ProcessRow[]> {
  const startMs = performance.now();
  let hasSignalled = false;
  for (;;) {
    const targets = await findMarked(processes, markers);
    const spentMs = performance.now() - startMs;
    if (targets.length === 0 || spentMs > GRACE_MS + KILL_WAIT_MS) return targets;
    if (!hasSignalled) for (const row of targets) processes.signal(row, "SIGTERM");
    if (spentMs >= GRACE_MS) for (const row of targets) processes.signal(row, "SIGKILL");
    hasSignalled = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function findMarked(processes: ProcessList, markers: ReadonlySet<string>): Promise<readonly ProcessRow[]> {
  try {
    const rows = (await processes.rows()).filter((row) => row.pid !== process.pid);
    const marked = await processes.markers(rows);
    const seeds = rows.filter((row) => markers.has(marked.get(row.pid) ?? ""));
    return withDescendants(seeds, rows, processes);
  } catch {
    // No answer from the system at the moment; the orphan cleanup of the next start finds the rest.
    return [];
  }
}
