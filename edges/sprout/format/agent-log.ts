/** The log of one agent, root or child: its runs, its steps and the logs of its children. */
import type { TurnMessage } from "../../../src/transcript/index.ts";
import type { TurnNode } from "../../../src/host/index.ts";
import { lineText, toolMessage, type LogLine, type MessagePart } from "./log-line.ts";
import { stepsOf, type Call, type ChildAgent, type Step } from "./steps.ts";

/** Lines for a file, named relative to the directory of logs. */
export interface LogPart {
  readonly file: string;
  readonly text: string;
}

export interface AgentLogOptions {
  readonly sessionId: string;
  readonly agentId: string;
  readonly depth: number;
  readonly file: string;
  /** Model of a member, when its turn has none. */
  readonly modelOf: (member: string) => { readonly model: string; readonly provider: string };
  readonly contextOf: (member: string) => { readonly used: number; readonly window: number };
  /** Text of a message that steered a running turn; undefined if already written. */
  readonly steeredText: (messageId: string) => string | undefined;
  readonly childIdOf: (turnId: string, ts: number) => string;
  /** Lower bound for times of lines. */
  readonly sinceTs?: number;
}

const NO_GOAL = "(Unprompted.)";

interface Run {
  turns: number;
  stumbles: number;
  output: string;
  outcome: NonNullable<TurnMessage["end"]>["outcome"] | "open";
  ts: number;
}

export class AgentLog {
  /** Steps that were planned, over all runs. */
  turns = 0;
  readonly #options: AgentLogOptions;
  #run: Run | undefined;
  #messages = 0;
  #parts: LogPart[] = [];
  #lines = "";
  #lastTs: number;

  constructor(options: AgentLogOptions) {
    this.#options = options;
    this.#lastTs = options.sinceTs ?? 0;
  }

  /** Everything since the last call. */
  drain(): LogPart[] {
    const parts = this.#lines === "" ? this.#parts : [{ file: this.#options.file, text: this.#lines }, ...this.#parts];
    this.#parts = [];
    this.#lines = "";
    return parts;
  }

  get outcome(): Run["outcome"] | undefined {
    return this.#run?.outcome;
  }

  /** A goal begins a run. */
  perceive(prompt: string, ts: number, model: string): void {
    this.endRun();
    const goal = prompt.trim() === "" ? NO_GOAL : prompt;
    this.#run = { turns: 0, stumbles: 0, output: "", outcome: "completed", ts };
    this.#write("session_start", ts, { goal, session_id: this.#options.sessionId, model });
    this.#write("perceive", ts, { goal });
    this.#messages += 1;
  }

  write(kind: "warning" | "error", ts: number, message: string): void {
    this.#write(kind, ts, kind === "error" ? { error: message } : { message });
  }

  /** Readers replace everything before it by the summary; they count in messages. */
  compaction(ts: number, data: { summary: string; logPath?: string }): void {
    const { summary, ...path } = data;
    this.#write("compaction", ts, { summary, beforeCount: this.#messages, afterCount: 1, ...path });
    this.#messages = 1;
  }

  /** One complete turn; `heading` names the speaker in sessions with several members. */
  turn(node: TurnNode, heading: string): void {
    const { turn } = node;
    // Model servers reject a history that does not start with a user message.
    if (this.#messages === 0) this.perceive(NO_GOAL, turn.ts, this.#options.modelOf(turn.member).model);
    const steps = stepsOf(node);
    const lastPlan = steps.findLastIndex(({ kind }) => kind === "plan");
    let head = heading;
    let ts = turn.ts;
    for (const [index, step] of steps.entries()) {
      if (step.kind !== "plan") this.#aside(step, ts);
      else {
        ts = this.#plan(step, { turn, heading: head, isLast: index === lastPlan, ts });
        head = "";
      }
    }
    this.#settle(turn, Math.max(ts, turn.end?.ts ?? ts), lastPlan < 0);
  }

  endRun(): void {
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined || run.outcome === "open") return;
    this.#write("session_end", run.ts, {
      session_id: this.#options.sessionId,
      success: run.outcome === "completed",
      stumbles: run.stumbles,
      turns: run.turns,
      timed_out: run.outcome === "timed_out",
      output: run.output,
    });
  }

  #aside(step: Exclude<Step, { kind: "plan" }>, ts: number): void {
    if (step.kind !== "steering") return this.write(step.kind, ts, step.message);
    const text = this.#options.steeredText(step.messageId);
    if (text === undefined) return;
    this.#write("steering", ts, { text });
    this.#messages += 1;
  }

  /** The time of its last line. */
  #plan(step: Extract<Step, { kind: "plan" }>, about: PlanFacts): number {
    const { turn, heading, isLast } = about;
    const { model, provider } = {
      ...this.#options.modelOf(turn.member),
      ...(turn.model === undefined ? {} : { model: turn.model }),
    };
    const ts = Math.max(about.ts, step.calls[0]?.startTs ?? (isLast ? (turn.end?.ts ?? about.ts) : about.ts));
    const number = (this.turns += 1);
    const text = [heading, step.text].filter((part) => part !== "").join("\n\n");
    const content = contentOf(text, step.calls);
    const isCut = isLast && turn.end?.outcome === "interrupted";
    const finish = step.calls.length > 0 ? "tool_calls" : isCut ? "interrupted" : "stop";
    const usage = usageOf(isLast ? turn : undefined);
    const tokens = { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
    const cached = { cache_read_tokens: usage.cache_read_tokens, cache_write_tokens: usage.cache_write_tokens };
    const latency = isLast ? Math.round(turn.end?.durationMs ?? 0) : 0;
    const { used, window } = this.#options.contextOf(turn.member);
    this.#write("plan_start", about.ts, { turn: number });
    this.#write("llm_start", about.ts, { model, provider, turn: number, message_count: this.#messages });
    this.#write("llm_end", ts, { model, provider, ...tokens, ...cached, latency_ms: latency, finish_reason: finish });
    this.#write("plan_end", ts, {
      turn: number,
      finish_reason: finish,
      usage,
      text,
      ...(step.reasoning === "" ? {} : { reasoning: step.reasoning }),
      // A step with thinking only has no message: model servers reject an empty one.
      ...(content.length === 0 ? {} : { assistant_message: { role: "assistant", content } }),
      context_tokens: used,
      context_window_size: window,
    });
    this.#messages += (content.length === 0 ? 0 : 1) + step.calls.length;
    if (this.#run !== undefined) {
      this.#run.turns += 1;
      this.#run.stumbles += step.calls.filter(({ ok }) => !ok).length;
      if (text !== "") this.#run.output = text;
    }
    return step.calls.reduce((at, call) => Math.max(at, this.#call(call, ts)), ts);
  }

  #call(call: Call, after: number): number {
    const startTs = Math.max(after, call.startTs ?? after);
    const endTs = Math.max(startTs, call.endTs ?? startTs);
    const result = { tool_call_id: call.call.id, content: call.result, is_error: !call.ok };
    const tool_result_message = toolMessage(result);
    if (call.child !== undefined) return this.#delegation(call, call.child, { startTs, endTs, tool_result_message });
    const { name, arguments: args } = call.call;
    const names = { name, display_name: call.display };
    this.#write("primitive_start", startTs, { ...names, args });
    this.#write("primitive_end", endTs, {
      ...names,
      success: call.ok,
      stumbled: !call.ok,
      output: call.result,
      ...(call.error === undefined ? {} : { error: call.error }),
      tool_result_message,
    });
    return endTs;
  }

  #delegation(
    call: Call,
    child: ChildAgent,
    end: { startTs: number; endTs: number; tool_result_message: unknown },
  ): number {
    const begun = child.node?.turn.ts ?? end.startTs;
    const id = this.#options.childIdOf(child.turnId, begun);
    const about = { agent_name: child.name, child_id: id };
    this.#write("act_start", end.startTs, { ...about, goal: child.goal });
    const { turns, lastTs } = this.#childLog(child, id, begun);
    // Readers that merge the files by time find the whole child between the two.
    const endTs = Math.max(end.endTs, child.node?.turn.end?.ts ?? end.endTs, lastTs + 1);
    this.#write("act_end", endTs, {
      ...about,
      success: call.ok,
      turns,
      timed_out: child.isTimedOut,
      ...(call.error === undefined ? {} : { error: call.error }),
      tool_result_message: end.tool_result_message,
    });
    return endTs;
  }

  /** Number of steps of the child, and its end time. */
  #childLog(child: ChildAgent, id: string, ts: number): { turns: number; lastTs: number } {
    const { file, depth } = this.#options;
    const base = file.slice(0, -".jsonl".length);
    const log = new AgentLog({
      ...this.#options,
      agentId: id,
      depth: depth + 1,
      file: `${base}/subagents/${id}.jsonl`,
      sinceTs: this.#lastTs + 1,
    });
    log.perceive(
      child.goal,
      ts,
      child.node === undefined ? child.name : this.#options.modelOf(child.node.turn.member).model,
    );
    if (child.node !== undefined) log.turn(child.node, "");
    else if (child.text !== undefined) log.#writeResult(child.text, child.name, ts);
    log.endRun();
    for (const part of log.drain()) this.#parts.push(part);
    return { turns: log.turns, lastTs: log.#lastTs };
  }

  /** Only the result of the child is known. */
  #writeResult(text: string, name: string, ts: number): void {
    const number = (this.turns += 1);
    this.#write("plan_start", ts, { turn: number });
    this.#write("plan_end", ts, {
      turn: number,
      finish_reason: "stop",
      usage: usageOf(undefined),
      text,
      assistant_message: { role: "assistant", content: contentOf(text, []) },
      context_tokens: this.#options.contextOf(name).used,
      context_window_size: this.#options.contextOf(name).window,
    });
    if (this.#run !== undefined) this.#run.output = text;
  }

  /** Outcome of the turn, and totals of the run. */
  #settle({ end }: TurnMessage, ts: number, isEmpty: boolean): void {
    const outcome = end?.outcome ?? "open";
    const isBad = outcome !== "completed";
    if (isBad && isEmpty) {
      const number = (this.turns += 1);
      this.#write("plan_start", ts, { turn: number });
      const finish = outcome === "interrupted" || outcome === "open" ? "interrupted" : "error";
      this.#write("plan_end", ts, { turn: number, finish_reason: finish });
      if (this.#run !== undefined) this.#run.turns += 1;
    }
    if (outcome === "interrupted" || outcome === "open") {
      const message = end?.reason ?? "The turn was interrupted.";
      this.#write("interrupted", ts, { message, turns: this.#run?.turns ?? this.turns });
    } else if (isBad) this.write("error", ts, end?.error?.message ?? end?.reason ?? "The turn took too long.");
    if (this.#run !== undefined) Object.assign(this.#run, { outcome, ts });
  }

  /** Readers sort lines by time: parallel work that is written sequentially must stay in that order. */
  #write(kind: string, ts: number, data: Readonly<Record<string, unknown>>): void {
    const { agentId: agent_id, depth } = this.#options;
    this.#lastTs = Math.max(this.#lastTs, Math.round(ts));
    const line: LogLine = { kind, timestamp: this.#lastTs, agent_id, depth, data };
    this.#lines += lineText(line);
  }
}

interface PlanFacts {
  readonly turn: TurnMessage;
  readonly heading: string;
  readonly isLast: boolean;
  readonly ts: number;
}

function contentOf(text: string, calls: readonly Call[]): MessagePart[] {
  const textParts: MessagePart[] = text === "" ? [] : [{ kind: "text", text }];
  return [...textParts, ...calls.map(({ call }): MessagePart => ({ kind: "tool_call", tool_call: call }))];
}

/** A turn's usage is written once, with its last step. */
function usageOf(turn: TurnMessage | undefined) {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = turn?.usage ?? {};
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
}
