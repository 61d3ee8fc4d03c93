/**
 * The agent of one member: created and started on demand, replaced when it hangs. Agent exceptions never escape. A turn
 * is sent only after the previous one has ended. An agent that is still busy GRACE_MS after an interrupt is closed, and
 * a new one takes the next turn.
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

/** Receiver of the events of all members' agents. */
export interface AgentEvents {
  /** `turnId` is the turn that the agent holds; undefined between turns. */
  handle(member: string, event: AgentEvent, turnId: string | undefined): void;
  /** An event from an agent that was closed while it held this turn. */
  reportLate(member: string, turnId: string | undefined): void;
  reportError(member: string, what: string, thrown: unknown): void;
}

export interface MemberRuntimeOptions {
  readonly member: string;
  readonly clock: Clock;
  readonly events: AgentEvents;
  /** Creates the agent with the member's current model. */
  makeAgent(): Agent;
}

interface ActiveAgent {
  readonly agent: Agent;
  started: Promise<TurnError | undefined> | undefined;
  isStarting: boolean;
  hasStarted: boolean;
  turnId: string | undefined;
  hasReceivedTurn: boolean;
  /** Compacts its conversation between turns. */
  isCompacting: boolean;
  isGone: boolean;
  readonly gone: PromiseWithResolvers<undefined>;
  /** Called when its turn ends and when it is gone. */
  readonly waiters: (() => void)[];
  cancelGrace: (() => void) | undefined;
}

export class MemberRuntime {
  readonly #options: MemberRuntimeOptions;
  #active: ActiveAgent | undefined;
  #isStale = false;
  /** Resolves when the replaced agent has exited: both would use the same native session. */
  #replaced: Promise<void> | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: MemberRuntimeOptions) {
    this.#options = options;
  }

  /** Creates the agent when there is none. */
  capabilities(): Capabilities {
    return this.#ensureActive()?.agent.capabilities ?? NO_CAPABILITIES;
  }

  /** The next turn is the first of its agent, as far as known before it is ready. */
  get isFresh(): boolean {
    return this.#active === undefined || this.#isStale || !this.#active.hasReceivedTurn;
  }

  /**
   * Resolves when the agent can take a turn, or with the reason why not. An agent dismissed meanwhile is replaced while
   * `isWanted` returns true.
   */
  async ready(isWanted: () => boolean): Promise<TurnError | undefined> {
    do {
      const before = this.#active;
      if (before !== undefined && isAtWork(before)) await this.#released(before);
      if (this.#isStale && this.#active !== undefined) this.#replace(this.#active);
      this.#isStale = false;
      await this.#replaced;
      const active = this.#ensureActive();
      if (active === undefined) return startError("it could not be created");
      if (active.hasStarted) return undefined;
      active.started ??= this.#start(active);
      const error = await Promise.race([active.started, active.gone.promise]);
      if (error !== undefined) this.#dismiss(active);
      if (error !== undefined || active.hasStarted) return error;
    } while (isWanted());
    return startError("it was closed while it started");
  }

  /** Sends a turn. An agent that throws is closed, and the error is returned. */
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
      const message = `The agent did not accept the turn: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
      return { code: "agent_fault", message, hint: "Retry the turn; a new agent will take it." };
    }
  }

  /** Resolves when the agent has reported the result, or is gone. */
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

  sendSteer(input: SteerInput): void {
    const active = this.#active;
    if (active !== undefined) this.#guard("take a message while it runs", () => active.agent.send(input));
  }

  /** An idle agent may have left something running. */
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

  /** The next turn gets a new agent, started after the old one has exited. An idle one exits now. */
  replaceAtNextTurn(): void {
    const active = this.#active;
    if (active === undefined) return;
    if (isAtWork(active) || active.isStarting) this.#isStale = true;
    else this.#replace(active);
  }

  /** Closes the agent; the runtime stays usable and creates a new one on demand. */
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
      this.#reportError("be created", thrown);
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
    const { member, events } = this.#options;
    const { turnId } = active;
    if (active.isGone) {
      // Closing ends the turn, so `turn_done` is expected; anything else is late.
      if (event.type !== "turn_done") events.reportLate(member, turnId);
      return;
    }
    if (event.type === "turn_done" && event.turnId === turnId) {
      active.turnId = undefined;
      this.#release(active);
    }
    try {
      events.handle(member, event, turnId);
    } catch (thrown) {
      this.#reportError(`have its ${event.type} recorded`, thrown);
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

  /** Waits CLOSE_MS at most: a hanging agent must not keep a session open. */
  #closeAgent(agent: Agent): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(CLOSE_MS, () => {
        this.#reportError("be closed", new Error(`it was not closed within ${CLOSE_MS} ms`));
        resolve();
      });
      const done = (): void => {
        cancel();
        resolve();
      };
      Promise.resolve()
        .then(() => agent.close())
        .then(done, (thrown: unknown) => {
          this.#reportError("be closed", thrown);
          done();
        });
    });
  }

  #reportError(what: string, thrown: unknown): void {
    const { member, events } = this.#options;
    events.reportError(member, what, thrown);
  }

  #guard(what: string, call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#reportError(what, thrown);
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
    hint: "Check its configuration, then retry the turn.",
  };
}
