/**
 * Agents that do what a test says: each turn runs the next script, a list of things to emit and of places to wait.
 * The faults are named for what they do: deaf, crashing, throwing, late, never starting.
 */
import type {
  Agent,
  AgentEvent,
  AgentFactory,
  AnswerResult,
  AgentSetup,
  SteerInput,
  TurnInput,
} from "../../src/agents/index.ts";
import type { Clock } from "../../src/kit/clock.ts";
import type { Capabilities, MemberSpec } from "../../src/protocol/index.ts";

export type Step =
  /** Something comes up at once. */
  | AgentEvent
  | { wait: number }
  /** Goes on when the answer to this call has come. */
  | { untilAnswer: string }
  /** Never goes on. */
  | { hang: true }
  /** The turn ends; without a step of this kind it ends completed. */
  | { end: "completed" | "interrupted" | "errored"; reason?: string };

export interface Behaviour {
  capabilities?: Partial<Capabilities>;
  start?: "ok" | "throws" | "rejects" | "hangs";
  /** Whether an interrupt ends the turn, is ignored, or makes the agent throw. */
  interrupt?: "obeys" | "deaf" | "throws";
  /** What happens to a steer: taken at once, never, or the agent throws. */
  steer?: "takes" | "ignores" | "throws";
  send?: "ok" | "throws";
  close?: "ok" | "hangs" | "rejects";
  /** What comes of a compaction between turns; the default says that it is done. */
  compact?: readonly AgentEvent[] | "hangs" | "throws";
  factory?: "throws";
  /** Comes up after the turn was ended by an interrupt. */
  afterInterrupt?: readonly AgentEvent[];
  /** What each turn does, by its text; the default says the text back. */
  script?: (input: TurnInput, turnNumber: number) => readonly Step[];
}

export interface ScriptedAgents {
  readonly factory: AgentFactory;
  /** All agents made for a member, oldest first. */
  of(member: string): readonly ScriptedAgent[];
  last(member: string): ScriptedAgent;
  readonly behaviours: Map<string, Behaviour>;
}

const CAPABILITIES: Capabilities = {
  steer: false,
  keepsContext: true,
  tools: true,
  requests: true,
  images: false,
  switchModel: false,
};

export function createScriptedAgents(clock: Clock, behaviours: Record<string, Behaviour> = {}): ScriptedAgents {
  const agents: ScriptedAgent[] = [];
  const scripted: ScriptedAgents = {
    behaviours: new Map(Object.entries(behaviours)),
    factory(spec: MemberSpec, setup: AgentSetup) {
      const behaviour = scripted.behaviours.get(spec.name) ?? {};
      if (behaviour.factory === "throws") throw new Error("no such program");
      const agent = new ScriptedAgent(spec, clock, behaviour, setup);
      agents.push(agent);
      return agent;
    },
    of: (member) => agents.filter((agent) => agent.spec.name === member),
    last(member) {
      const agent = agents.findLast((one) => one.spec.name === member);
      if (agent === undefined) throw new Error(`no agent was made for ${member}`);
      return agent;
    },
  };
  return scripted;
}

interface Running {
  readonly turnId: string;
  readonly steps: Step[];
  cancel: (() => void) | undefined;
}

export class ScriptedAgent implements Agent {
  readonly spec: MemberSpec;
  /** What it was told of where it sits. */
  readonly setup: AgentSetup;
  readonly capabilities: Capabilities;
  readonly inputs: TurnInput[] = [];
  readonly steers: SteerInput[] = [];
  readonly answers: { callId: string; result: AnswerResult }[] = [];
  /** What each compaction was to look at. */
  readonly compactions: (string | undefined)[] = [];
  #isCompacting = false;
  interrupts = 0;
  isClosed = false;
  readonly #clock: Clock;
  readonly #behaviour: Behaviour;
  #up: (event: AgentEvent) => void = () => undefined;
  #running: Running | undefined;

  constructor(spec: MemberSpec, clock: Clock, behaviour: Behaviour, setup: AgentSetup) {
    this.spec = spec;
    this.setup = setup;
    this.#clock = clock;
    this.#behaviour = behaviour;
    this.capabilities = { ...CAPABILITIES, ...behaviour.capabilities };
  }

  start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    if (this.#behaviour.start === "throws") throw new Error("start threw");
    if (this.#behaviour.start === "rejects") return Promise.reject(new Error("command not found"));
    if (this.#behaviour.start === "hangs") return new Promise(() => undefined);
    return Promise.resolve();
  }

  send(input: TurnInput | SteerInput): void {
    if (this.#behaviour.send === "throws") throw new Error("send threw");
    if (input.kind === "steer") {
      this.steers.push(input);
      if (this.#behaviour.steer === "throws") throw new Error("steer threw");
      const isTaken = this.#behaviour.steer !== "ignores" && this.#running !== undefined;
      if (isTaken) this.#up({ type: "steered", messageId: input.messageId });
      return;
    }
    this.inputs.push(input);
    const script = this.#behaviour.script ?? echo;
    this.#running = { turnId: input.turnId, steps: [...script(input, this.inputs.length)], cancel: undefined };
    this.#run();
  }

  interrupt(): void {
    this.interrupts += 1;
    if (this.#behaviour.interrupt === "throws") throw new Error("interrupt threw");
    if (this.#behaviour.interrupt === "deaf") return;
    if (this.#isCompacting) this.#endCompaction([{ type: "compact_failed", message: "stopped" }]);
    if (this.#running === undefined) return;
    this.#up({ type: "text_delta", text: "(in flight)" });
    this.#finish("interrupted");
    for (const event of this.#behaviour.afterInterrupt ?? []) this.#up(event);
  }

  compact(focus?: string): void {
    this.compactions.push(focus);
    const { compact = [{ type: "compacted", native: true }] } = this.#behaviour;
    if (compact === "throws") throw new Error("compact threw");
    this.#isCompacting = true;
    if (compact !== "hangs") this.#endCompaction(compact);
  }

  #endCompaction(events: readonly AgentEvent[]): void {
    this.#isCompacting = false;
    for (const event of events) this.#up(event);
  }

  answer(callId: string, result: AnswerResult): void {
    this.answers.push({ callId, result });
    const running = this.#running;
    const next = running?.cancel === undefined ? running?.steps[0] : undefined;
    if (next !== undefined && "untilAnswer" in next) this.#run();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.#finish("interrupted");
    if (this.#behaviour.close === "hangs") return new Promise(() => undefined);
    if (this.#behaviour.close === "rejects") return Promise.reject(new Error("close rejected"));
    return Promise.resolve();
  }

  /** Says something out of turn. */
  emit(event: AgentEvent): void {
    this.#up(event);
  }

  #finish(outcome: "completed" | "interrupted" | "errored", reason?: string): void {
    if (this.#running === undefined) return;
    const { turnId, cancel } = this.#running;
    cancel?.();
    this.#running = undefined;
    this.#up({ type: "turn_done", turnId, outcome, ...(reason === undefined ? {} : { reason }) });
  }

  #run(): void {
    const running = this.#running;
    if (running === undefined) return;
    while (this.#running === running && this.#take(running));
  }

  /** Does one step; false when the turn waits or has ended. */
  #take(running: Running): boolean {
    const step = running.steps[0];
    if (step === undefined || "end" in step) {
      this.#finish(step?.end ?? "completed", step?.reason);
      return false;
    }
    if ("hang" in step) return false;
    if ("untilAnswer" in step && !this.answers.some((one) => one.callId === step.untilAnswer)) return false;
    running.steps.shift();
    if ("wait" in step) {
      running.cancel = this.#clock.after(step.wait, () => {
        running.cancel = undefined;
        this.#run();
      });
      return false;
    }
    if (!("untilAnswer" in step)) this.#up(step);
    return true;
  }
}

function echo({ text }: TurnInput): Step[] {
  return [{ type: "text_delta", text: `You said: ${text}` }];
}
