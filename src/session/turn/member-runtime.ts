/**
 * One member's agent and its life: made, started when first needed, replaced when it does not let go.
 * Promises: no exception of an agent gets out; a turn is only handed over when the one before has ended; an agent that
 * is still busy GRACE_MS after an interrupt is closed, and a fresh one takes the next turn.
 */
import type {
  Agent,
  AgentEvent,
  AnswerResult,
  ConversationHistory,
  SteerInput,
  TurnError,
  TurnInput,
} from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { NO_CAPABILITIES, type Capabilities } from "../../protocol/index.ts";
import { CLOSE_MS, GRACE_MS } from "../limits.ts";

export interface MemberRuntimeOptions {
  readonly clock: Clock;
  /** Makes the agent with the member's present model. */
  makeAgent(): Agent;
  /** `turnId` is the turn the agent was handed, undefined between turns. */
  onEvent(event: AgentEvent, turnId: string | undefined): void;
  /** Something came from an agent that was closed while it held this turn. */
  onLate(turnId: string | undefined): void;
  onError(what: string, thrown: unknown): void;
}

interface ActiveAgent {
  readonly agent: Agent;
  started: Promise<TurnError | undefined> | undefined;
  isStarting: boolean;
  hasStarted: boolean;
  turnId: string | undefined;
  /** True once it was handed a turn. */
  hasReceivedTurn: boolean;
  /** Makes its conversation shorter, between turns. */
  isCompacting: boolean;
  isGone: boolean;
  readonly gone: PromiseWithResolvers<undefined>;
  /** Called at the end of the turn it holds, and when it is gone. */
  readonly waiters: (() => void)[];
  cancelGrace: (() => void) | undefined;
}

export class MemberRuntime {
  readonly #options: MemberRuntimeOptions;
  #active: ActiveAgent | undefined;
  #isStale = false;
  /** Resolves when the agent that was replaced has left: both would work on the same session of their program. */
  #replaced: Promise<void> | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: MemberRuntimeOptions) {
    this.#options = options;
  }

  /** Makes the agent when there is none yet. */
  capabilities(): Capabilities {
    return this.#ensureActive()?.agent.capabilities ?? NO_CAPABILITIES;
  }

  /** The next turn is the first that its agent hears of, as far as can be told before it is ready. */
  get isFresh(): boolean {
    return this.#active === undefined || this.#isStale || !this.#active.hasReceivedTurn;
  }

  /**
   * Resolves when the agent can take a turn, or with why it cannot. An agent that is dismissed meanwhile is replaced
   * as long as `isWanted` says that somebody still waits.
   */
  async ready(isWanted: () => boolean): Promise<TurnError | undefined> {
    do {
      const before = this.#active;
      if (before !== undefined && isAtWork(before)) await this.#released(before);
      if (this.#isStale && this.#active !== undefined) this.#replace(this.#active);
      this.#isStale = false;
      await this.#replaced;
      const active = this.#ensureActive();
      if (active === undefined) return startError("it could not be made");
      if (active.hasStarted) return undefined;
      active.started ??= this.#start(active);
      const error = await Promise.race([active.started, active.gone.promise]);
      if (error !== undefined) this.#dismiss(active);
      if (error !== undefined || active.hasStarted) return error;
    } while (isWanted());
    return startError("it was closed while it started");
  }

  /** Hands over a turn. An agent that throws instead of taking it is closed, and what it threw comes back. */
  sendTurn(input: TurnInput): TurnError | undefined {
    const active = this.#active;
    if (active === undefined) return startError("it is gone");
    active.turnId = input.turnId;
    active.hasReceivedTurn = true;
    try {
      active.agent.send(input);
      return undefined;
    } catch (thrown) {
      this.#dismiss(active);
      const message = `The agent did not take the turn: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
      return { code: "agent_fault", message, hint: "Retry the turn; a fresh agent will take it." };
    }
  }

  /** Resolves when the agent has said what came of it, or is gone. */
  async compact(focus: string | undefined, history: ConversationHistory | undefined): Promise<void> {
    const active = this.#active;
    const { agent } = active ?? {};
    if (active === undefined || agent?.compact === undefined) throw new Error("its agent cannot compact");
    active.isCompacting = true;
    const released = this.#released(active);
    try {
      agent.compact(focus, history);
    } catch (thrown) {
      this.#dismiss(active);
      throw thrown;
    }
    await released;
  }

  /** A message for the turn that runs. */
  sendSteer(input: SteerInput): void {
    const active = this.#active;
    if (active !== undefined) this.#guard("take a message while it runs", () => active.agent.send(input));
  }

  /** One that rests may have left something running. */
  interrupt(): void {
    const active = this.#active;
    if (active === undefined) return;
    const isBusy = isAtWork(active) || active.isStarting;
    if (isBusy) active.cancelGrace ??= this.#options.clock.after(GRACE_MS, () => this.#dismiss(active));
    this.#guard("be interrupted", () => active.agent.interrupt());
  }

  answer(callId: string, result: AnswerResult): void {
    const active = this.#active;
    if (active !== undefined) this.#guard("take an answer", () => active.agent.answer(callId, result));
  }

  /** The next turn gets a fresh agent, which starts when the old one has left. One that rests leaves now. */
  replaceAtNextTurn(): void {
    const active = this.#active;
    if (active === undefined) return;
    if (isAtWork(active) || active.isStarting) this.#isStale = true;
    else this.#replace(active);
  }

  /** Gives the agent back; the seat can be used again and then makes a new one. */
  async close(): Promise<void> {
    if (this.#active !== undefined) this.#dismiss(this.#active);
    await Promise.all(this.#closing);
  }

  #ensureActive(): ActiveAgent | undefined {
    if (this.#active !== undefined) return this.#active;
    try {
      this.#active = {
        agent: this.#options.makeAgent(),
        started: undefined,
        isStarting: false,
        hasStarted: false,
        gone: Promise.withResolvers<undefined>(),
        turnId: undefined,
        hasReceivedTurn: false,
        isCompacting: false,
        isGone: false,
        waiters: [],
        cancelGrace: undefined,
      };
    } catch (thrown) {
      this.#options.onError("be made", thrown);
    }
    return this.#active;
  }

  async #start(active: ActiveAgent): Promise<TurnError | undefined> {
    active.isStarting = true;
    try {
      await active.agent.start((event) => this.#handleEvent(active, event));
      active.hasStarted = !active.isGone;
      return undefined;
    } catch (thrown) {
      return startError(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      active.isStarting = false;
      if (!isAtWork(active)) this.#release(active);
    }
  }

  #handleEvent(active: ActiveAgent, event: AgentEvent): void {
    const { turnId } = active;
    if (active.isGone) {
      // The end of its turn is what closing brings about; anything else comes too late.
      if (event.type !== "turn_done") this.#options.onLate(turnId);
      return;
    }
    if (event.type === "turn_done" && event.turnId === turnId) {
      active.turnId = undefined;
      this.#release(active);
    }
    try {
      this.#options.onEvent(event, turnId);
    } catch (thrown) {
      this.#options.onError(`have its ${event.type} recorded`, thrown);
    }
    const isCompacted = event.type === "compacted" || event.type === "compact_failed";
    if (isCompacted && active.isCompacting) {
      active.isCompacting = false;
      this.#release(active);
    }
  }

  #release(active: ActiveAgent): void {
    active.cancelGrace?.();
    active.cancelGrace = undefined;
    for (const waiter of active.waiters.splice(0)) waiter();
  }

  #released(active: ActiveAgent): Promise<void> {
    return new Promise((resolve) => active.waiters.push(resolve));
  }

  #replace(active: ActiveAgent): void {
    this.#dismiss(active);
    this.#replaced = Promise.all(this.#closing).then(() => (this.#replaced = undefined));
  }

  #dismiss(active: ActiveAgent): void {
    if (active.isGone) return;
    active.isGone = true;
    if (this.#active === active) this.#active = undefined;
    this.#release(active);
    active.gone.resolve(undefined);
    const closing = this.#closeAgent(active.agent).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Waits CLOSE_MS at most: one agent that hangs must not keep a session open. */
  #closeAgent(agent: Agent): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(CLOSE_MS, () => {
        this.#options.onError("be closed", new Error(`it was not closed within ${CLOSE_MS} ms`));
        resolve();
      });
      const done = (): void => {
        cancel();
        resolve();
      };
      Promise.resolve()
        .then(() => agent.close())
        .then(done, (thrown: unknown) => {
          this.#options.onError("be closed", thrown);
          done();
        });
    });
  }

  #guard(what: string, call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#options.onError(what, thrown);
    }
  }
}

function isAtWork({ turnId, isCompacting }: ActiveAgent): boolean {
  return turnId !== undefined || isCompacting;
}

function startError(why: string): TurnError {
  return {
    code: "agent_start",
    message: `The agent did not start: ${why}.`,
    hint: "Look at its configuration, then retry the turn.",
  };
}
