/**
 * One running process of an agent and the state of its dialect.
 * Guarantees: events are emitted in the order of their lines; an exception in a dialect loses that line, not the turn;
 * the dialect's state changes nowhere else.
 */
import type { Dialect, DialectEvent, Known, Step } from "./dialect.ts";
import type { Line } from "./pipes/output-pump.ts";
import type { ProcessTree } from "./terminate/process-tree.ts";
import { spawnSupervised, type ProcessEnd, type SpawnOptions, type SupervisedProcess } from "./supervised-process.ts";

/** Subset of a process that a run needs; also implemented by a connection to a program that several members share. */
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
  /** Ends background work of earlier turns. Absent: there is none. */
  endBackground?(): Promise<void>;
};

export interface RunListener {
  /** `raw` is the line that caused the event. */
  event(event: DialectEvent, raw: string): void;
  oversize(line: Extract<Line, { kind: "oversize" }>): void;
  unfinished(raw: string): void;
  activity(): void;
}

/** Current observer of the process. Only one, because a process outlives many turns and must not accumulate them. */
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
  let run: AgentRun<State> | undefined;
  const begun = Promise.withResolvers<AgentRun<State>>();
  const spawned = await spawnSupervised({
    ...spawn,
    // Output that arrives before the run exists waits, by the same back-pressure as a flood.
    onLine: (line) => (run === undefined ? begun.promise.then((one) => one.handleLine(line)) : run.handleLine(line)),
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
  /** Resolves when the program accepts turns. */
  readonly ready: Promise<void>;
  /** Resolves when the program has exited and its last line was parsed. */
  readonly ended: Promise<ProcessEnd>;
  readonly #dialect: Dialect<State>;
  readonly #listener: RunListener;
  readonly #ready = Promise.withResolvers<void>();
  #state: State | undefined;
  #isReady = true;
  #watcher: RunWatcher | undefined;
  #end: ProcessEnd | undefined;
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

  watch(watcher: RunWatcher | undefined): void {
    this.#watcher = watcher;
    if (this.#isOutputEnded) watcher?.outputEnded();
    if (this.#end !== undefined) watcher?.ended(this.#end);
  }

  begin(known: Known): void {
    if (known.isSandboxed === true) this.#listener.event({ type: "member_guard", guard: "sandbox" }, "");
    for (const text of this.#step(() => this.#dialect.begin(known), "")?.write ?? []) void this.process.write(text);
    if (this.#isReady) this.#ready.resolve();
  }

  /** Writes what the dialect encodes. False when the program did not accept all of it, or the dialect threw. */
  async send(encode: (state: State) => Step<State>): Promise<boolean> {
    // Yields first, so that no event is emitted inside a call of the port.
    await Promise.resolve();
    const step = this.#step(encode, "");
    if (step === undefined) return false;
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

  /** An unterminated last line counts only if it parses: the program may have died in the middle of it. */
  #isUnderstood(text: string): boolean {
    try {
      const { events = [] } = this.#dialect.parse(this.#state as State, text);
      return !events.some((event) => event.type === "unreadable");
    } catch {
      // A dialect that throws has not understood the line.
      return false;
    }
  }

  #step(advance: (state: State) => Step<State>, raw: string): Step<State> | undefined {
    let step: Step<State>;
    try {
      step = advance(this.#state as State);
    } catch {
      // The raw line is reported; the exception itself helps nobody.
      this.#listener.event({ type: "unreadable" }, raw);
      return undefined;
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
