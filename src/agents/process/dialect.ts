/**
 * What an agent kind implements so that its program can be driven: pure functions between lines and events. Process
 * handling (limits, termination, restarts, noise) is in process-agent.ts. A dialect must not throw; a line on which it
 * does counts as unreadable.
 */
import type { AgentEvent, AnswerResult, SteerInput, TurnError, TurnInput } from "../port.ts";
import type { ProcessEnd } from "./supervised-process.ts";

export interface Dialect<State> {
  /** Called after a process was started. Lines that it needs before its first turn go into `write`. */
  begin(known: Known): Step<State>;
  /** One line without its newline, never empty. */
  parse(state: State, line: string): Step<State>;
  /** One sanitized line of stderr. Absent: stderr is only stored for error reports. */
  parseStderr?(state: State, line: string): Step<State>;
  encodeTurn(state: State, input: TurnInput): Step<State>;
  /** Absent: the program accepts no message during a turn. */
  encodeSteer?(state: State, input: SteerInput): Step<State>;
  /** Absent: only signals interrupt the program. It confirms an interrupt by `turn_over`. */
  encodeInterrupt?(state: State): Step<State>;
  /**
   * Absent: the program cannot compact its context on request. A `compacted` before `turn_over` means success;
   * otherwise `turn_over` has the reason.
   */
  encodeCompact?(state: State, focus: string | undefined): Step<State>;
  encodeAnswer?(state: State, callId: string, result: AnswerResult): Step<State>;
  /**
   * Called after the exit, when all lines were parsed. A dialect whose turns end with the process emits `turn_over`
   * here.
   */
  exited?(state: State, end: ProcessEnd): Step<State>;
}

/** Facts from earlier processes of the member and from the launch. */
export interface Known {
  readonly nativeSessionId: string | undefined;
  /** Model that the process was started with. */
  readonly model?: string | undefined;
  /** True only when the sandbox of this process was verified. */
  readonly isSandboxed?: boolean;
}

export interface Step<State> {
  readonly state: State;
  readonly events?: readonly DialectEvent[];
  /** Exact bytes for stdin; a line includes its newline. */
  readonly write?: readonly string[];
  /** Closes stdin afterwards. */
  readonly endInput?: boolean;
}

export type DialectEvent =
  | Exclude<AgentEvent, { type: "turn_done" }>
  | ({ type: "turn_over" } & TurnOver)
  /** The program accepts turns. A dialect that never emits `not_ready` is ready from the start. */
  | { type: "ready" }
  | { type: "not_ready" }
  /** Processes of this turn may outlive it: the agent declared them background work. */
  | { type: "background" }
  /** The line does not belong to this protocol. */
  | { type: "unreadable" }
  /** A valid record that is unknown or not expected now. */
  | { type: "unexpected"; what: string };

/** Outcome of a turn as reported by the program. */
export interface TurnOver {
  readonly outcome: "completed" | "interrupted" | "errored";
  readonly reason?: string;
  readonly error?: TurnError;
  readonly usage?: NonNullable<Extract<AgentEvent, { type: "turn_done" }>["usage"]>;
}
