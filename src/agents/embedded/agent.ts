/**
 * Runs an embedded member behind the agents' port: one routine a turn.
 * However a routine ends (returns, throws, ignores an interrupt), its turn ends exactly once and at once, and nothing
 * it does afterwards is emitted. Nothing is emitted inside a call of the port either.
 */
import { systemClock, type Clock } from "../../kit/clock.ts";
import { embeddedCapabilities } from "../kinds.ts";
import type { Agent, AgentEvent, AnswerResult, AgentSetup, SteerInput, TurnInput } from "../port.ts";
import { RunningTurn, type EmbeddedTurn, type TurnEnd } from "./turn.ts";
import { describeTurnError } from "../turn-error.ts";

/** Does one turn. Throws to end it errored; a RoundtableError keeps its code and hint. */
export type Routine = (turn: EmbeddedTurn) => Promise<void>;

export interface EmbeddedMember {
  readonly name: string;
  /** One sentence that says how it works, without a full stop. */
  readonly about: string;
  /** Rejects when the member cannot work in this directory; its turns then end errored with that reason. */
  prepare(setup: AgentSetup): Promise<void>;
  /** Called once per agent; what the routine remembers between turns lives in its closure. */
  createRoutine(setup: AgentSetup): Routine;
}

/** How long `close` waits for a routine that ignores its signal. */
const LINGER_MS_MAX = 1_000;

export function createEmbeddedAgent(member: EmbeddedMember, setup: AgentSetup, clock: Clock = systemClock): Agent {
  return new EmbeddedAgent(member, setup, clock);
}

class EmbeddedAgent implements Agent {
  readonly capabilities = embeddedCapabilities;
  readonly #member: EmbeddedMember;
  readonly #setup: AgentSetup;
  readonly #clock: Clock;
  readonly #lingering = new Set<Promise<void>>();
  #settled: Promise<void> = Promise.resolve();
  #up: ((event: AgentEvent) => void) | undefined;
  #routine: Routine = () => Promise.reject(new Error("the agent was not started"));
  #running: RunningTurn | undefined;
  #closing: Promise<void> | undefined;
  #calls = 0;
  #isIntroduced = false;

  constructor(member: EmbeddedMember, setup: AgentSetup, clock: Clock) {
    this.#member = member;
    this.#setup = setup;
    this.#clock = clock;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    try {
      await this.#member.prepare(this.#setup);
      this.#routine = this.#member.createRoutine(this.#setup);
    } catch (thrown) {
      this.#routine = () => Promise.reject(thrown);
    }
  }

  send(input: TurnInput | SteerInput): void {
    if (this.#up === undefined || this.#closing !== undefined) return;
    if (input.kind === "steer") return this.#running?.offerSteer(input);
    if (this.#running !== undefined) return this.#refuse(input.turnId);
    // It has answered here before this process started.
    if (input.missed?.some(({ speaker }) => speaker.kind === "member" && speaker.name === input.self))
      this.#isIntroduced = true;
    const turn = new RunningTurn({
      input,
      setup: this.#setup,
      clock: this.#clock,
      nextCallId: () => `c${++this.#calls}`,
      introduction: () => this.#introduce(),
      up: (event) => this.#up?.(event),
    });
    this.#running = turn;
    this.#settled = this.#run(turn, this.#settled);
  }

  #introduce(): string {
    if (this.#isIntroduced) return "";
    this.#isIntroduced = true;
    return this.#member.about;
  }

  interrupt(): void {
    this.#stop("interrupted");
  }

  answer(callId: string, result: AnswerResult): void {
    this.#running?.receiveAnswer(callId, result);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  /** Free at once, so that the next turn may be sent from here on; it begins when this one's end has been emitted. */
  #stop(reason: string): void {
    const turn = this.#running;
    this.#running = undefined;
    turn?.stop(reason);
  }

  async #run(turn: RunningTurn, before: Promise<void>): Promise<void> {
    // After the end of the previous turn, and never inside `send`.
    const work = before.then(() => (turn.signal.aborted ? undefined : this.#routine(turn)));
    const watched = work.catch(() => undefined);
    this.#lingering.add(watched);
    void watched.then(() => this.#lingering.delete(watched));
    const end = await Promise.race([
      work.then(
        (): TurnEnd => ({ outcome: "completed" }),
        (thrown: unknown): TurnEnd => describeTurnError(this.#member.name, thrown),
      ),
      turn.stopped,
    ]);
    await before;
    // Free before the end is emitted: the session may send the next turn from inside `turn_done`.
    if (this.#running === turn) this.#running = undefined;
    turn.settle(end);
  }

  #refuse(turnId: string): void {
    const message = `${this.#member.name} was sent a turn while another one runs; end it first.`;
    queueMicrotask(() =>
      this.#up?.({
        type: "turn_done",
        turnId,
        outcome: "errored",
        reason: "busy",
        error: { code: "busy", message },
      }),
    );
  }

  async #shut(): Promise<void> {
    this.#stop("closed");
    await this.#settled;
    const limit = Promise.withResolvers<void>();
    const cancel = this.#clock.after(LINGER_MS_MAX, limit.resolve);
    await Promise.race([Promise.all(this.#lingering), limit.promise]);
    cancel();
    this.#up = undefined;
  }
}
