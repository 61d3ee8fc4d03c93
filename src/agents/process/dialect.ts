/**
 * What an agent kind has to bring so that its program can be driven: pure functions between lines and events.
 * Everything about the process itself (limits, stopping, restarts, noise) is done once, in process-agent.ts.
 * A dialect must not throw; if it does, the line counts as unreadable.
 */
import type { AgentEvent, AnswerResult, SteerInput, TurnError, TurnInput } from "../port.ts";
import type { ProcessEnd } from "./supervised-process.ts";

export interface Dialect<State> {
  /** A process was just started. Lines that it needs before its first turn go into `write`. */
  begin(known: Known): Step<State>;
  /** One line without its newline, never empty. */
  parse(state: State, line: string): Step<State>;
  /** One line of its standard error, made safe. Absent: what is printed there is only kept for when it fails. */
  parseStderr?(state: State, line: string): Step<State>;
  encodeTurn(state: State, input: TurnInput): Step<State>;
  /** Absent: the program takes no message while it works. */
  encodeSteer?(state: State, input: SteerInput): Step<State>;
  /** Absent: the program can be interrupted by signals only. Heeded means that it says `turn_over`. */
  encodeInterrupt?(state: State): Step<State>;
  /**
   * Absent: the program cannot be told to compact its context. A `compacted` before `turn_over` means that it has; without
   * one, `turn_over` tells why not.
   */
  encodeCompact?(state: State, focus: string | null): Step<State>;
  encodeAnswer?(state: State, callId: string, result: AnswerResult): Step<State>;
  /** The program has left, all its lines were parsed. A dialect whose turns end by the exit says `turn_over` here. */
  exited?(state: State, end: ProcessEnd): Step<State>;
}

/** What is known from processes that sat here before. */
export interface Known {
  readonly nativeSessionId: string | null;
  /** The model that the process was started with. */
  readonly model?: string | null;
  /** True only when the sandbox around this very process is proven to stand. */
  readonly isSandboxed?: boolean;
}

export interface Step<State> {
  readonly state: State;
  readonly events?: readonly DialectEvent[];
  /** Exact text for the program's standard input; a line brings its newline. */
  readonly write?: readonly string[];
  /** Closes the standard input after that. */
  readonly endInput?: boolean;
}

export type DialectEvent =
  | Exclude<AgentEvent, { type: "turn_done" }>
  | ({ type: "turn_over" } & TurnOver)
  /** The program takes turns from now on. A dialect that never says `not_ready` is ready from the start. */
  | { type: "ready" }
  | { type: "not_ready" }
  /** What this turn has started may go on after its end: the agent said that it is background work. */
  | { type: "background" }
  /** The line is not of this protocol at all. */
  | { type: "unreadable" }
  /** Of this protocol, but not expected here or unknown. */
  | { type: "unexpected"; what: string };

/** How a turn ended, as the program tells it. */
export interface TurnOver {
  readonly outcome: "completed" | "interrupted" | "errored";
  readonly reason?: string;
  readonly error?: TurnError;
  readonly usage?: NonNullable<Extract<AgentEvent, { type: "turn_done" }>["usage"]>;
}
