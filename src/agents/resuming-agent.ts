/**
 * Agent whose program may have lost the session it should resume. The turn that finds out is repeated by a new agent
 * with the whole conversation in its prompt, and the user is warned. Everything else is passed through.
 */
import { sessionLost, withColdStart } from "./turn-prompt.ts";
import type { Agent, AgentEvent, AnswerResult, SteerInput, TurnInput } from "./port.ts";

export interface ResumingAgentOptions {
  readonly member: string;
  readonly nativeSessionId: string | undefined;
  /** Must not throw. Without an id the program starts a new session. */
  readonly create: (nativeSessionId: string | undefined) => Agent;
  /** Whether a turn ended because the program does not know the session. */
  readonly isForgotten: (end: TurnDone) => boolean;
}

export type TurnDone = Extract<AgentEvent, { type: "turn_done" }>;

export function createResumingAgent(options: ResumingAgentOptions): Agent {
  return new ResumingAgent(options);
}

class ResumingAgent implements Agent {
  readonly #options: ResumingAgentOptions;
  #inner: Agent;
  #up: ((event: AgentEvent) => void) | undefined;
  /** The running turn, until its `turn_done` was emitted. */
  #turn: TurnInput | undefined;
  /** Set while a new agent takes over the turn. */
  #takeover: Promise<void> | undefined;
  #isStopRequested = false;
  #closing: Promise<void> | undefined;

  constructor(options: ResumingAgentOptions) {
    this.#options = options;
    this.#inner = options.create(options.nativeSessionId);
  }

  get capabilities(): Agent["capabilities"] {
    return this.#inner.capabilities;
  }

  start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    return this.#listen(this.#inner);
  }

  send(input: TurnInput | SteerInput): void {
    if (input.kind === "steer" && this.#takeover !== undefined) return;
    if (input.kind === "turn" && this.#turn === undefined) {
      this.#turn = input;
      this.#isStopRequested = false;
    }
    this.#inner.send(input);
  }

  interrupt(): void {
    if (this.#turn !== undefined) this.#isStopRequested = true;
    this.#inner.interrupt();
  }

  compact(focus?: string): void {
    this.#inner.compact?.(focus);
  }

  answer(callId: string, result: AnswerResult): void {
    this.#inner.answer(callId, result);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  #listen(agent: Agent): Promise<void> {
    return agent.start((event) => {
      if (agent === this.#inner) this.#receive(event);
    });
  }

  #receive(event: AgentEvent): void {
    const turn = this.#turn;
    if (event.type !== "turn_done" || turn === undefined || event.turnId !== turn.turnId) return this.#up?.(event);
    if (this.#options.isForgotten(event) && this.#closing === undefined && !this.#isStopRequested) {
      this.#takeover = this.#restart(turn);
      return;
    }
    this.#turn = undefined;
    this.#up?.(event);
  }

  async #restart(turn: TurnInput): Promise<void> {
    const { member, create } = this.#options;
    this.#up?.(sessionLost(member, "its program no longer knows it"));
    const before = this.#inner;
    this.#inner = create(undefined);
    await before.close();
    await this.#listen(this.#inner);
    this.#takeover = undefined;
    if (this.#isStopRequested || this.#closing !== undefined) return this.#settleStopped(turn);
    this.#inner.send(withColdStart(turn));
  }

  #settleStopped({ turnId }: TurnInput): void {
    this.#turn = undefined;
    const reason = this.#closing === undefined ? "interrupted" : "closed";
    this.#up?.({ type: "turn_done", turnId, outcome: "interrupted", reason });
  }

  async #shut(): Promise<void> {
    await this.#takeover;
    await this.#inner.close();
    this.#up = undefined;
  }
}
