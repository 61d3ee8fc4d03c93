/**
 * An agent whose code is loaded when it is first started, so that a table without it does not pay for it. What it can do
 * is known before. Keeps the port's contract: an agent that cannot be loaded is one whose turns end errored.
 */
import type { Capabilities } from "../protocol/index.ts";
import type { ConversationHistory } from "./history.ts";
import type { Agent, AgentEvent, AnswerResult, SteerInput, TurnInput } from "./port.ts";
import { createUnavailableAgent } from "./unavailable-agent.ts";

export interface LazyAgentOptions {
  readonly member: string;
  readonly capabilities: Capabilities;
  /** May reject. */
  readonly load: () => Promise<Agent>;
}

export function createLazyAgent(options: LazyAgentOptions): Agent {
  return new LazyAgent(options);
}

class LazyAgent implements Agent {
  readonly capabilities: Capabilities;
  readonly #options: LazyAgentOptions;
  #loading: Promise<Agent> | undefined;
  #agent: Agent | undefined;
  #isClosed = false;
  #up: ((event: AgentEvent) => void) | undefined;

  constructor(options: LazyAgentOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    const agent = await (this.#loading ??= this.#load());
    if (this.#isClosed) return;
    this.#up = up;
    this.#agent = agent;
    await agent.start(up);
  }

  async #load(): Promise<Agent> {
    const { member, load } = this.#options;
    try {
      return await load();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return createUnavailableAgent({
        code: "not_started",
        message: `Member "${member}" did not answer: its part of this program could not be loaded (${why}).`,
        hint: "Install roundtable again.",
      });
    }
  }

  send(input: TurnInput | SteerInput): void {
    this.#agent?.send(input);
  }

  interrupt(): void {
    this.#agent?.interrupt();
  }

  /** Only a started agent is asked, so one that cannot is one that could not be loaded. */
  compact(focus?: string, history?: ConversationHistory): void {
    const agent = this.#agent;
    if (agent?.compact !== undefined) agent.compact(focus, history);
    else queueMicrotask(() => this.#up?.({ type: "compact_failed", message: "Its agent cannot compact." }));
  }

  answer(callId: string, result: AnswerResult): void {
    this.#agent?.answer(callId, result);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#up = undefined;
    const agent = this.#agent ?? (await this.#loading);
    await agent?.close();
  }
}
