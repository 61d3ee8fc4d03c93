/**
 * A member that asks before it acts, and acts on whatever it is told: several approvals at once, in steps, each of a call
 * that nobody else asks for. Naive on purpose: it uses the same call ids in every turn, and an approval that reaches it
 * after its turn was stopped, or for a call id of an earlier turn, makes it act all the same.
 */
import { createHash } from "node:crypto";
import type { Agent, AgentEvent, AgentFactory, AnswerResult, SteerInput, TurnInput } from "../../src/agents/index.ts";
import { createRandom } from "../log/seeded-random.ts";

const STEPS_MAX = 3;
const AT_ONCE_MAX = 3;
/** So short that many a request expires on any machine; the others wait until somebody answers. */
const SHORT_MS_MAX = 60;
const LONG_MS = 60_000;

/** What was done, in the words that were to be approved. */
export interface Deeds {
  readonly done: string[];
  /** Done although the turn that asked had been stopped before. */
  readonly afterStop: string[];
}

/** The text of a turn is a number, which decides what is asked. */
export function createAskingAgents(deeds: Deeds): AgentFactory {
  return (spec) => new AskingAgent(spec.name, deeds);
}

class AskingAgent implements Agent {
  readonly capabilities = {
    steer: false,
    keepsContext: false,
    tools: true,
    requests: true,
    images: false,
    switchModel: false,
  };
  readonly #name: string;
  readonly #deeds: Deeds;
  readonly #calls = new Map<string, { call: string; turnId: string }>();
  #up: (event: AgentEvent) => void = () => {};
  #turnId: string | undefined;
  #open = new Set<string>();
  #stepsLeft = 0;
  #asked = 0;
  #random: () => number = () => 0;

  constructor(name: string, deeds: Deeds) {
    this.#name = name;
    this.#deeds = deeds;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
  }

  send(input: TurnInput | SteerInput): void {
    if (input.kind !== "turn") return;
    const [seed = "0"] = /\d+/.exec(input.text) ?? [];
    this.#random = createRandom(Number(seed) * 31 + (this.#name.codePointAt(0) ?? 0));
    this.#turnId = input.turnId;
    this.#asked = 0;
    this.#stepsLeft = this.#pick(STEPS_MAX);
    queueMicrotask(() => this.#step());
  }

  interrupt(): void {
    this.#finish("interrupted");
  }

  answer(callId: string, { result, error }: AnswerResult): void {
    const asked = this.#calls.get(callId);
    if (asked !== undefined && error === null && result === "allow") this.#act(callId, asked);
    this.#open.delete(callId);
    if (this.#turnId !== undefined && this.#open.size === 0) this.#step();
  }

  async close(): Promise<void> {
    this.#finish("interrupted");
  }

  #act(callId: string, { call, turnId }: { call: string; turnId: string }): void {
    this.#deeds.done.push(call);
    if (turnId !== this.#turnId) this.#deeds.afterStop.push(call);
    const nativeId = `${callId} done`;
    this.#up({ type: "tool_call_start", nativeId, name: "shell", args: { call } });
    this.#up({ type: "tool_result", nativeId, ok: true, result: call });
  }

  #step(): void {
    const turnId = this.#turnId;
    if (turnId === undefined) return;
    if (this.#stepsLeft === 0) {
      this.#finish("completed");
      return;
    }
    this.#stepsLeft -= 1;
    const callIds = Array.from({ length: this.#pick(AT_ONCE_MAX) }, () => `call ${(this.#asked += 1)}`);
    this.#open = new Set(callIds);
    for (const callId of callIds) this.#ask(callId, turnId);
  }

  #ask(callId: string, turnId: string): void {
    const call = `${this.#name} ${turnId} ${callId}`;
    this.#calls.set(callId, { call, turnId });
    this.#up({
      type: "request",
      callId,
      timeoutMs: this.#random() < 0.4 ? this.#pick(SHORT_MS_MAX) : LONG_MS,
      request: {
        method: "approval",
        title: "Run?",
        tool: "shell",
        call,
        callHash: createHash("sha256").update(call).digest("hex"),
        options: [
          { label: "Allow", value: "allow" },
          { label: "Deny", value: "deny" },
        ],
      },
    });
  }

  /** From 1 to max. */
  #pick(max: number): number {
    return 1 + Math.floor(this.#random() * max);
  }

  #finish(outcome: "completed" | "interrupted"): void {
    const turnId = this.#turnId;
    if (turnId === undefined) return;
    this.#turnId = undefined;
    this.#open.clear();
    this.#up({ type: "turn_done", turnId, outcome });
  }
}
