/**
 * A member that does what the message says, for tests of everything around it:
 * `stream N` sends N words and as many statuses, one each millisecond; `flood N` sends N statuses of 8 KiB; `hold` waits for an interrupt;
 * anything else is answered at once. Every answer ends with the process that gave it: `[pid 123]`.
 */
import type { Agent, AgentEvent, AgentFactory, SteerInput, TurnInput } from "../../src/agents/index.ts";
import { NO_CAPABILITIES, type MemberSpec, type Settings } from "../../src/protocol/index.ts";

const FLOOD_BYTES = 8 * 1024;
const FLOOD_AT_ONCE = 8;

export const ECHO: MemberSpec = { name: "echo", kind: "embedded" };

export const SETTINGS: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: 36_000,
  request_timeout: 36_000,
  order: ["echo"],
  limits: { turns: 1000, minutes: 1000, tokens: 1_000_000_000, usd: 1000 },
  writable: false,
  preamble: "Be brief.",
};

export const createScriptedAgent: AgentFactory = () => new ScriptedAgent();

class ScriptedAgent implements Agent {
  readonly capabilities = NO_CAPABILITIES;
  #up: (event: AgentEvent) => void = () => {};
  #stop: (() => void) | undefined;

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
  }

  send(input: TurnInput | SteerInput): void {
    if (input.kind === "turn") queueMicrotask(() => this.#begin(input));
  }

  interrupt(): void {
    this.#stop?.();
  }

  answer(): void {}

  async close(): Promise<void> {
    this.#stop?.();
  }

  #begin({ turnId, text }: TurnInput): void {
    const [, order, count] = /\b(stream|flood) (\d+)/.exec(text) ?? [];
    if (order === "stream") return this.#stream(turnId, Number(count));
    if (order === "flood") return this.#flood(turnId, Number(count));
    if (/\bhold\b/.test(text)) {
      this.#stop = () => this.#finish(turnId, "interrupted");
      return this.#up({ type: "text_delta", text: "holding " });
    }
    this.#up({ type: "text_delta", text: `answered [pid ${process.pid}]` });
    return this.#finish(turnId, "completed");
  }

  #stream(turnId: string, count: number): void {
    let sent = 0;
    this.#repeat(turnId, () => {
      sent += 1;
      this.#up({ type: "text_delta", text: `word${sent} ` });
      // Deltas are joined on their way into the log; these are not.
      this.#up({ type: "ui_status", key: "words", text: String(sent) });
      if (sent < count) return true;
      this.#up({ type: "text_delta", text: `[pid ${process.pid}]` });
      return false;
    });
  }

  #flood(turnId: string, count: number): void {
    const body = "f".repeat(FLOOD_BYTES);
    let sent = 0;
    this.#repeat(turnId, () => {
      for (let part = 0; part < FLOOD_AT_ONCE && sent < count; part += 1, sent += 1) {
        // One status replaces the last: the transcript does not grow with them.
        this.#up({ type: "ui_status", key: "flood", text: body });
      }
      return sent < count;
    });
  }

  /** Each millisecond, until `step` says that it is done. */
  #repeat(turnId: string, step: () => boolean): void {
    const timer = setInterval(() => {
      if (step()) return;
      clearInterval(timer);
      this.#finish(turnId, "completed");
    }, 1);
    this.#stop = () => {
      clearInterval(timer);
      this.#finish(turnId, "interrupted");
    };
  }

  #finish(turnId: string, outcome: "completed" | "interrupted"): void {
    this.#stop = undefined;
    this.#up({ type: "turn_done", turnId, outcome });
  }
}
