/**
 * One member's agent and its life: made, started when first needed, replaced when it does not let go.
 * Promises: no exception of an agent gets out; a turn is only handed over when the one before has ended; an agent that
 * is still busy GRACE_MS after an interrupt is closed, and a fresh one takes the next turn.
 */
import type { Agent, AgentEvent, AnswerResult, Past, SteerInput, TurnError, TurnInput } from "../agents/index.ts";
import type { Clock } from "../kit/clock.ts";
import { NO_CAPABILITIES, type Capabilities } from "../protocol/index.ts";
import { CLOSE_MS, GRACE_MS } from "./limits.ts";

export interface SeatOptions {
  readonly clock: Clock;
  /** Makes the agent with the member's present model. */
  makeAgent(): Agent;
  /** `turnId` is the turn the agent was handed, undefined between turns. */
  onEvent(event: AgentEvent, turnId: string | undefined): void;
  /** Something came from an agent that was closed while it held this turn. */
  onLate(turnId: string | undefined): void;
  onFault(what: string, thrown: unknown): void;
}

interface Sitting {
  readonly agent: Agent;
  started: Promise<TurnError | undefined> | undefined;
  isStarting: boolean;
  hasStarted: boolean;
  turnId: string | undefined;
  /** True once it was handed a turn. */
  hasHeard: boolean;
  /** Makes its conversation shorter, between turns. */
  isCompacting: boolean;
  isGone: boolean;
  readonly gone: PromiseWithResolvers<undefined>;
  /** Called at the end of the turn it holds, and when it is gone. */
  readonly waiters: (() => void)[];
  cancelGrace: (() => void) | undefined;
}

export class Seat {
  readonly #options: SeatOptions;
  #sitting: Sitting | undefined;
  #isStale = false;
  /** Resolves when the agent that was replaced has left: both would work on the same session of their program. */
  #replaced: Promise<void> | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: SeatOptions) {
    this.#options = options;
  }

  /** Makes the agent when there is none yet. */
  capabilities(): Capabilities {
    return this.#sit()?.agent.capabilities ?? NO_CAPABILITIES;
  }

  /** The next turn is the first that its agent hears of, as far as can be told before it is ready. */
  get isFresh(): boolean {
    return this.#sitting === undefined || this.#isStale || !this.#sitting.hasHeard;
  }

  /**
   * Resolves when the agent can take a turn, or with why it cannot. An agent that is dismissed meanwhile is replaced
   * as long as `isWanted` says that somebody still waits.
   */
  async ready(isWanted: () => boolean): Promise<TurnError | undefined> {
    do {
      const before = this.#sitting;
      if (before !== undefined && isAtWork(before)) await this.#released(before);
      if (this.#isStale && this.#sitting !== undefined) this.#replace(this.#sitting);
      this.#isStale = false;
      await this.#replaced;
      const sitting = this.#sit();
      if (sitting === undefined) return startError("it could not be made");
      if (sitting.hasStarted) return undefined;
      sitting.started ??= this.#start(sitting);
      const fault = await Promise.race([sitting.started, sitting.gone.promise]);
      if (fault !== undefined) this.#dismiss(sitting);
      if (fault !== undefined || sitting.hasStarted) return fault;
    } while (isWanted());
    return startError("it was closed while it started");
  }

  /** Hands over a turn. An agent that throws instead of taking it is closed, and what it threw comes back. */
  sendTurn(input: TurnInput): TurnError | undefined {
    const sitting = this.#sitting;
    if (sitting === undefined) return startError("it is gone");
    sitting.turnId = input.turnId;
    sitting.hasHeard = true;
    try {
      sitting.agent.send(input);
      return undefined;
    } catch (thrown) {
      this.#dismiss(sitting);
      const message = `The agent did not take the turn: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
      return { code: "agent_fault", message, hint: "Retry the turn; a fresh agent will take it." };
    }
  }

  /** Resolves when the agent has said what came of it, or is gone. */
  async compact(focus: string | undefined, past: Past | undefined): Promise<void> {
    const sitting = this.#sitting;
    const { agent } = sitting ?? {};
    if (sitting === undefined || agent?.compact === undefined) throw new Error("its agent cannot compact");
    sitting.isCompacting = true;
    const released = this.#released(sitting);
    try {
      agent.compact(focus, past);
    } catch (thrown) {
      this.#dismiss(sitting);
      throw thrown;
    }
    await released;
  }

  /** A message for the turn that runs. */
  sendSteer(input: SteerInput): void {
    const sitting = this.#sitting;
    if (sitting !== undefined) this.#guard("take a message while it runs", () => sitting.agent.send(input));
  }

  /** One that rests may have left something running. */
  interrupt(): void {
    const sitting = this.#sitting;
    if (sitting === undefined) return;
    const isBusy = isAtWork(sitting) || sitting.isStarting;
    if (isBusy) sitting.cancelGrace ??= this.#options.clock.after(GRACE_MS, () => this.#dismiss(sitting));
    this.#guard("be interrupted", () => sitting.agent.interrupt());
  }

  answer(callId: string, result: AnswerResult): void {
    const sitting = this.#sitting;
    if (sitting !== undefined) this.#guard("take an answer", () => sitting.agent.answer(callId, result));
  }

  /** The next turn gets a fresh agent, which starts when the old one has left. One that rests leaves now. */
  replaceAtNextTurn(): void {
    const sitting = this.#sitting;
    if (sitting === undefined) return;
    if (isAtWork(sitting) || sitting.isStarting) this.#isStale = true;
    else this.#replace(sitting);
  }

  /** Gives the agent back; the seat can be used again and then makes a new one. */
  async close(): Promise<void> {
    if (this.#sitting !== undefined) this.#dismiss(this.#sitting);
    await Promise.all(this.#closing);
  }

  #sit(): Sitting | undefined {
    if (this.#sitting !== undefined) return this.#sitting;
    try {
      this.#sitting = {
        agent: this.#options.makeAgent(),
        started: undefined,
        isStarting: false,
        hasStarted: false,
        gone: Promise.withResolvers<undefined>(),
        turnId: undefined,
        hasHeard: false,
        isCompacting: false,
        isGone: false,
        waiters: [],
        cancelGrace: undefined,
      };
    } catch (thrown) {
      this.#options.onFault("be made", thrown);
    }
    return this.#sitting;
  }

  async #start(sitting: Sitting): Promise<TurnError | undefined> {
    sitting.isStarting = true;
    try {
      await sitting.agent.start((event) => this.#hear(sitting, event));
      sitting.hasStarted = !sitting.isGone;
      return undefined;
    } catch (thrown) {
      return startError(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      sitting.isStarting = false;
      if (!isAtWork(sitting)) this.#release(sitting);
    }
  }

  #hear(sitting: Sitting, event: AgentEvent): void {
    const { turnId } = sitting;
    if (sitting.isGone) {
      // The end of its turn is what closing brings about; anything else comes too late.
      if (event.type !== "turn_done") this.#options.onLate(turnId);
      return;
    }
    if (event.type === "turn_done" && event.turnId === turnId) {
      sitting.turnId = undefined;
      this.#release(sitting);
    }
    try {
      this.#options.onEvent(event, turnId);
    } catch (thrown) {
      this.#options.onFault(`have its ${event.type} recorded`, thrown);
    }
    const isCompacted = event.type === "compacted" || event.type === "compact_failed";
    if (isCompacted && sitting.isCompacting) {
      sitting.isCompacting = false;
      this.#release(sitting);
    }
  }

  #release(sitting: Sitting): void {
    sitting.cancelGrace?.();
    sitting.cancelGrace = undefined;
    for (const waiter of sitting.waiters.splice(0)) waiter();
  }

  #released(sitting: Sitting): Promise<void> {
    return new Promise((resolve) => sitting.waiters.push(resolve));
  }

  #replace(sitting: Sitting): void {
    this.#dismiss(sitting);
    this.#replaced = Promise.all(this.#closing).then(() => (this.#replaced = undefined));
  }

  #dismiss(sitting: Sitting): void {
    if (sitting.isGone) return;
    sitting.isGone = true;
    if (this.#sitting === sitting) this.#sitting = undefined;
    this.#release(sitting);
    sitting.gone.resolve(undefined);
    const closing = this.#closeAgent(sitting.agent).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Waits CLOSE_MS at most: one agent that hangs must not keep a session open. */
  #closeAgent(agent: Agent): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(CLOSE_MS, () => {
        this.#options.onFault("be closed", new Error(`it was not closed within ${CLOSE_MS} ms`));
        resolve();
      });
      const done = (): void => {
        cancel();
        resolve();
      };
      Promise.resolve()
        .then(() => agent.close())
        .then(done, (thrown: unknown) => {
          this.#options.onFault("be closed", thrown);
          done();
        });
    });
  }

  #guard(what: string, call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#options.onFault(what, thrown);
    }
  }
}

function isAtWork({ turnId, isCompacting }: Sitting): boolean {
  return turnId !== undefined || isCompacting;
}

function startError(why: string): TurnError {
  return {
    code: "agent_start",
    message: `The agent did not start: ${why}.`,
    hint: "Look at its configuration, then retry the turn.",
  };
}
