/**
 * One living process of an agent, and what its dialect has understood so far.
 * Promises: events come up in the order of their lines; a dialect that throws costs its line, not the turn; the state
 * of the conversation with the program changes nowhere else.
 */
import type { Dialect, DialectEvent, Known, Step } from "./dialect.ts";
import type { Line } from "./pipes/line-splitter.ts";
import type { ProcessTree } from "./terminate/process-tree.ts";
import { spawnSupervised, type ProcessEnd, type SpawnOptions, type SupervisedProcess } from "./supervised-process.ts";

/** What a run needs of its process; a seat at a program that several members share is one too. */
export type Program = Pick<
  SupervisedProcess,
  | "hasExited"
  | "exited"
  | "done"
  | "outputEnded"
  | "inputLost"
  | "stderr"
  | "forgetStderr"
  | "write"
  | "endInput"
  | "stop"
> & {
  readonly processTree: Pick<ProcessTree, "knownPids" | "find" | "end" | "isInOwnGroup" | "commandOf">;
  /** Ends what earlier turns left running on purpose. Absent: nothing is left. */
  endBackground?(): Promise<void>;
};

export interface RunListener {
  /** `raw` is the line that led to it. */
  event(event: DialectEvent, raw: string): void;
  oversize(line: Extract<Line, { kind: "oversize" }>): void;
  unfinished(raw: string): void;
  activity(): void;
}

/** Whoever waits for this process now. One at a time: a process outlives many turns and must not collect them. */
export interface RunWatcher {
  ended(end: ProcessEnd): void;
  outputEnded(): void;
}

export type OpenedRun<State> =
  | { readonly ok: true; readonly run: AgentRun<State> }
  | { readonly ok: false; readonly code: string; readonly message: string };

export async function openRun<State>(
  dialect: Dialect<State>,
  known: Known,
  listener: RunListener,
  spawn: Omit<SpawnOptions, "onLine" | "onActivity">,
): Promise<OpenedRun<State>> {
  let run: AgentRun<State> | null = null;
  const begun = Promise.withResolvers<AgentRun<State>>();
  const spawned = await spawnSupervised({
    ...spawn,
    // A program that speaks before we are ready for it waits like one that speaks too much.
    onLine: (line) => (run === null ? begun.promise.then((one) => one.handleLine(line)) : run.handleLine(line)),
    onActivity: () => listener.activity(),
    onStderrLine: dialect.parseStderr === undefined ? undefined : (line) => run?.handleStderr(line),
  });
  if (!spawned.ok) return spawned;
  run = new AgentRun(dialect, spawned.process, listener);
  run.begin(known);
  begun.resolve(run);
  return { ok: true, run };
}

export class AgentRun<State> {
  readonly process: Program;
  /** Resolves when the program takes turns. */
  readonly ready: Promise<void>;
  /** The program has left and its last line was understood. */
  readonly ended: Promise<ProcessEnd>;
  readonly #dialect: Dialect<State>;
  readonly #listener: RunListener;
  readonly #ready = Promise.withResolvers<void>();
  #state: State | undefined;
  #isReady = true;
  #watcher: RunWatcher | null = null;
  #end: ProcessEnd | null = null;
  #isOutputEnded = false;

  constructor(dialect: Dialect<State>, process: Program, listener: RunListener) {
    this.#dialect = dialect;
    this.#listener = listener;
    this.process = process;
    this.ready = this.#ready.promise;
    this.ended = process.done.then((end) => this.#finish(end));
    void process.outputEnded.then(() => {
      this.#isOutputEnded = true;
      this.#watcher?.outputEnded();
    });
  }

  watch(watcher: RunWatcher | null): void {
    this.#watcher = watcher;
    if (this.#isOutputEnded) watcher?.outputEnded();
    if (this.#end !== null) watcher?.ended(this.#end);
  }

  begin(known: Known): void {
    if (known.isSandboxed === true) this.#listener.event({ type: "member_guard", guard: "sandbox" }, "");
    for (const text of this.#step(() => this.#dialect.begin(known), "")?.write ?? []) void this.process.write(text);
    if (this.#isReady) this.#ready.resolve();
  }

  /** Speaks to the program in its dialect. False when it did not take all of it, or the dialect failed. */
  async send(encode: (state: State) => Step<State>): Promise<boolean> {
    // A step aside first, so that nothing comes up inside a call of the port.
    await Promise.resolve();
    const step = this.#step(encode, "");
    if (step === null) return false;
    const written = await Promise.all((step.write ?? []).map((text) => this.process.write(text)));
    return written.every(Boolean);
  }

  handleLine(line: Line): void {
    if (line.kind === "oversize") return this.#listener.oversize(line);
    if (line.text.trim() === "") return;
    if (line.kind === "unfinished" && !this.#isUnderstood(line.text)) return this.#listener.unfinished(line.text);
    const step = this.#step((state) => this.#dialect.parse(state, line.text), line.text);
    for (const text of step?.write ?? []) void this.process.write(text);
  }

  handleStderr(line: string): void {
    const step = this.#step((state) => this.#dialect.parseStderr?.(state, line) ?? { state }, line);
    for (const text of step?.write ?? []) void this.process.write(text);
  }

  /** Half a line is no line; a whole one that only lacks its newline is. */
  #isUnderstood(text: string): boolean {
    try {
      const { events = [] } = this.#dialect.parse(this.#state as State, text);
      return !events.some((event) => event.type === "unreadable");
    } catch {
      // A dialect that stumbles over it has not understood it.
      return false;
    }
  }

  #step(advance: (state: State) => Step<State>, raw: string): Step<State> | null {
    let step: Step<State>;
    try {
      step = advance(this.#state as State);
    } catch {
      // The line is kept and shown; what the dialect made of it is of no use to anyone.
      this.#listener.event({ type: "unreadable" }, raw);
      return null;
    }
    this.#state = step.state;
    for (const event of step.events ?? []) this.#emit(event, raw);
    if (step.endInput === true) queueMicrotask(() => this.process.endInput());
    return step;
  }

  #emit(event: DialectEvent, raw: string): void {
    if (event.type === "not_ready") this.#isReady = false;
    else if (event.type === "ready") this.#ready.resolve();
    else this.#listener.event(event, raw);
  }

  #finish(end: ProcessEnd): ProcessEnd {
    if (this.#dialect.exited !== undefined) {
      this.#step((state) => this.#dialect.exited?.(state, end) ?? { state }, "");
    }
    this.#end = end;
    this.#watcher?.ended(end);
    return end;
  }
}
