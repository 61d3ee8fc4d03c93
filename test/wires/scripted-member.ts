/**
 * A member that does what the message says: `say …` answers with those words, `tools` reads a file and runs a command
 * between two texts, `ask` asks a question, `approve` asks before it edits, `hold` and `hold-tool` wait to be stopped,
 * `think` thinks first, `fail` fails, `cut-off` stops at the output limit, `plan` shows a plan, `team` sends a subagent, `team-hold` one that waits to be stopped.
 * One of the model "steered" can be steered, and takes only messages that begin with `take`.
 */
import { createHash } from "node:crypto";
import type { Agent, AgentEvent, AgentFactory, AnswerResult, SteerInput, TurnInput } from "../../src/agents/index.ts";

export const createScriptedMembers: AgentFactory = ({ model }) => new ScriptedMember(model === "steered");

type Up = (event: AgentEvent) => void;

class ScriptedMember implements Agent {
  readonly capabilities;
  #up: Up = () => {};
  #turnId: string | undefined;
  #answered: (result: AnswerResult) => void = () => {};

  constructor(steer: boolean) {
    const can = { keepsContext: true, tools: true, requests: true, images: true };
    this.capabilities = { ...can, steer, switchModel: false };
  }

  async start(up: Up): Promise<void> {
    this.#up = up;
  }

  send(input: TurnInput | SteerInput): void {
    if (input.kind !== "turn") {
      if (input.text.startsWith("take")) this.#up({ type: "steered", messageId: input.messageId });
      return;
    }
    this.#turnId = input.turnId;
    queueMicrotask(() => this.#act(input));
  }

  interrupt(): void {
    this.#finish({ outcome: "interrupted" });
  }

  answer(_callId: string, result: AnswerResult): void {
    this.#answered(result);
  }

  async close(): Promise<void> {
    this.#finish({ outcome: "interrupted" });
  }

  #finish(how: Omit<Extract<AgentEvent, { type: "turn_done" }>, "type" | "turnId">): void {
    const turnId = this.#turnId;
    if (turnId === undefined) return;
    this.#turnId = undefined;
    this.#up({ type: "turn_done", turnId, ...how });
  }

  #emit(text: string): void {
    for (const word of text.split(/(?<=\s)/)) this.#up({ type: "text_delta", text: word });
  }

  #act({ text }: TurnInput): void {
    const up = this.#up;
    const order = /\b(say|tools|ask|approve|hold-tool|team-hold|hold|think|fail|cut-off|plan|team)\b/i
      .exec(text)?.[1]
      ?.toLowerCase();
    if (order === "hold") return this.#emit("I wait ");
    if (order === "hold-tool") return up({ ...start("slow", "bash", { command: "sleep 1000" }), kind: "execute" });
    if (order === "team-hold") return this.#send("fix it slowly");
    if (order === "ask") return this.#ask();
    if (order === "approve") return this.#approve();
    if (order === "fail") {
      this.#emit("Half of ");
      return this.#finish({ outcome: "errored", error: { code: "model_error", message: "the model is gone" } });
    }
    if (order === "tools") this.#tools();
    if (order === "think") {
      up({ type: "thinking_delta", text: "Hm." });
      up({ type: "thinking_done" });
    }
    if (order === "plan") {
      const items = ["look", "change"].map((step) => ({ text: step, status: "pending" as const }));
      up({ type: "plan_update", planId: "plan-1", items, explanation: "Two steps" });
    }
    if (order === "team") this.#team();
    this.#emit(/\bsay (.+)/i.exec(text)?.[1] ?? "The answer is 42.");
    if (order === "cut-off") up({ type: "warning", code: "length", message: "The answer was cut off." });
    this.#finish({ outcome: "completed" });
  }

  #tools(): void {
    const up = this.#up;
    this.#emit("I look first.");
    up({ ...start("read", "Read", { file_path: "src/main.ts" }), kind: "read" });
    up({ type: "tool_result", nativeId: "read", ok: true, result: "text" });
    up({ ...start("run", "Bash", { command: "npm test" }), kind: "execute" });
    up({ type: "tool_output_delta", nativeId: "run", text: "one\ntwo\nthr", stream: "stdout" });
    up({ type: "tool_result", nativeId: "run", ok: false, error: { code: "tool_error", message: "exit 1" } });
    const files = [{ path: "src/main.ts", status: "modified" as const, diff: "-a\n+b" }];
    up({ type: "change_report", files, truncatedCount: 0 });
  }

  /** A subagent that has begun to read. */
  #send(task: string): void {
    this.#up({ type: "subagent_start", subagentId: "s", name: "coder", task });
    const event: AgentEvent = { ...start("read", "Read", { file_path: "a.ts" }), kind: "read" };
    this.#up({ type: "subagent_event", subagentId: "s", event });
  }

  #team(): void {
    const up = this.#up;
    const inner = (event: AgentEvent) => up({ type: "subagent_event", subagentId: "s", event });
    this.#send("fix it");
    inner({ type: "tool_result", nativeId: "read", ok: true });
    inner({ type: "text_delta", text: "fixed" });
    up({ type: "subagent_done", subagentId: "s", outcome: "completed", text: "fixed" });
  }

  #ask(): void {
    const options = ["red", "blue"].map((colour) => ({ label: colour.toUpperCase(), value: colour }));
    const questions = [{ id: "colour", text: "Which colour?", options, multiple: false, freeText: true }];
    this.#answered = ({ result, error }) => {
      this.#emit(error === null ? `You said ${JSON.stringify(result)}.` : `Nobody said: ${error}.`);
      this.#finish({ outcome: "completed" });
    };
    this.#up({ type: "request", callId: "question", request: { method: "question", title: "Colour", questions } });
  }

  #approve(): void {
    this.#up({ ...start("edit", "Edit", { file_path: "a.ts" }), kind: "edit" });
    this.#answered = ({ result }) => {
      const isAllowed = result === "allow";
      this.#up(
        isAllowed
          ? { type: "tool_result", nativeId: "edit", ok: true }
          : { type: "tool_result", nativeId: "edit", ok: false, error: { code: "tool_denied", message: "denied" } },
      );
      this.#emit(isAllowed ? "Edited." : "Not edited.");
      this.#finish({ outcome: "completed" });
    };
    const options = [
      { label: "Allow", value: "allow" },
      { label: "Deny", value: "deny" },
    ];
    const call = JSON.stringify({ file_path: "a.ts" });
    const callHash = createHash("sha256").update(call).digest("hex");
    this.#up({
      type: "request",
      callId: "permission",
      nativeToolId: "edit",
      request: { method: "approval", title: "Edit a.ts?", tool: "Edit", call, callHash, diff: "-a\n+b", options },
    });
  }
}

function start(nativeId: string, name: string, args: Record<string, string>) {
  return { type: "tool_call_start" as const, nativeId, name, args };
}
