/** Stand-in for a member that cannot run: every turn ends errored with the reason. */
import { NO_CAPABILITIES } from "../protocol/index.ts";
import type { Agent, AgentEvent, SteerInput, TurnError, TurnInput } from "./port.ts";

export function createUnavailableAgent(error: TurnError): Agent {
  return new UnavailableAgent(error);
}

class UnavailableAgent implements Agent {
  readonly capabilities = NO_CAPABILITIES;
  readonly #error: TurnError;
  readonly #open = new Set<string>();
  #up: ((event: AgentEvent) => void) | undefined;

  constructor(error: TurnError) {
    this.#error = error;
  }

  start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    return Promise.resolve();
  }

  send(input: TurnInput | SteerInput): void {
    if (input.kind === "steer" || this.#up === undefined) return;
    this.#open.add(input.turnId);
    // Asynchronous like any other agent: a session does not expect events inside its own call.
    queueMicrotask(() => this.#settle(input.turnId));
  }

  interrupt(): void {
    // Turns end by themselves before anyone can interrupt.
  }

  compact(): void {
    queueMicrotask(() => this.#up?.({ type: "compact_failed", message: this.#error.message }));
  }

  answer(): void {
    // There are no requests to answer.
  }

  close(): Promise<void> {
    for (const turnId of this.#open) this.#settle(turnId);
    this.#up = undefined;
    return Promise.resolve();
  }

  #settle(turnId: string): void {
    if (!this.#open.delete(turnId)) return;
    this.#up?.({ type: "turn_done", turnId, outcome: "errored", reason: "unsupported", error: this.#error });
  }
}
