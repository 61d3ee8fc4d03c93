/**
 * Plays a recorded conversation with the real Codex through our dialect: what we had said then makes the dialect speak,
 * what Codex said comes back under the ids that the dialect uses. Also tells, from the raw record alone, what should
 * have come of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { createCodexDialect } from "../../../src/agents/drivers/codex/parse.ts";
import type { CodexState, CodexStep } from "../../../src/agents/drivers/codex/state.ts";
import * as faults from "../../../src/agents/process/turn-errors.ts";
import { processLimits } from "../../../src/agents/process/limits.ts";
import { TurnOutput } from "../../../src/agents/process/turn/open-turn.ts";
import { callIdOf } from "../../../src/agents/json-rpc/exchange.ts";

const TRACES = path.join(import.meta.dirname, "..", "traces", "codex");
const PREFIX = "m.";

type Message = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- a foreign record, read by hand

interface TraceLine {
  readonly dir: "in" | "out";
  readonly line: Message | string;
}

export interface ReplayedTurn {
  readonly turnId: string;
  readonly events: AgentEvent[];
}

export const traceNames = readdirSync(TRACES).map((file) => file.replace(".io.jsonl", ""));

export function readTrace(name: string): TraceLine[] {
  const lines = readFileSync(path.join(TRACES, `${name}.io.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as TraceLine);
}

export function replayTrace(name: string): ReplayedTurn[] {
  const lines = readTrace(name);
  const replay = new Replay(resumedThread(lines));
  for (const { dir, line } of lines) {
    if (typeof line === "string") continue;
    if (dir === "in") replay.weSaid(line);
    else replay.codexSaid(line);
  }
  return replay.finish();
}

function resumedThread(lines: readonly TraceLine[]): string | undefined {
  const resume = lines.find(({ dir, line }) => dir === "in" && (line as Message)["method"] === "thread/resume");
  return (resume?.line as Message | undefined)?.["params"].threadId;
}

class Replay {
  readonly #dialect = createCodexDialect({
    member: "codex",
    cwd: "/project",
    isWritable: true,
    idPrefix: PREFIX,
    marker: "mark",
  });
  readonly #turns: ReplayedTurn[] = [];
  readonly #methods = new Map<number, string>();
  /** Answers of the record that our dialect has not asked for yet, by method. */
  readonly #early = new Map<string, Message[]>();
  readonly #ourCalls = new Map<string, string[]>();
  #state: CodexState;
  #output: TurnOutput | null = null;

  constructor(nativeSessionId: string | undefined) {
    this.#state = this.#dialect.begin({ nativeSessionId }).state;
  }

  weSaid(message: Message): void {
    const { id, method, params, result } = message;
    if (method === undefined)
      return this.#step(this.#dialect.encodeAnswer?.(this.#state, callIdOf({ prefix: PREFIX }, id), answerOf(result)));
    if (id !== undefined) this.#methods.set(id, method);
    const text = params?.input?.[0]?.text;
    if (method === "turn/start") return this.#begin(text);
    if (method === "turn/steer") {
      return this.#step(this.#dialect.encodeSteer?.(this.#state, { kind: "steer", messageId: "message-2", text }));
    }
    if (method === "thread/compact/start") this.#step(this.#dialect.encodeCompact?.(this.#state, undefined));
    if (method === "turn/interrupt") this.#step(this.#dialect.encodeInterrupt?.(this.#state));
  }

  codexSaid(message: Message): void {
    if (message["method"] !== undefined) return this.#receive(message);
    const method = this.#methods.get(message["id"]) ?? "";
    const ourId = this.#ourCalls.get(method)?.shift();
    if (ourId !== undefined) return this.#receive({ ...message, id: ourId });
    this.#early.set(method, [...(this.#early.get(method) ?? []), message]);
  }

  /** A record that stops in the middle of a turn is one of a program that was ended. */
  finish(): ReplayedTurn[] {
    this.#output?.settle(
      faults.crashed(
        "codex",
        { code: undefined, signal: "SIGTERM", isDrained: true, stderr: "" },
        { command: "codex" },
      ),
    );
    return this.#turns;
  }

  #begin(text: string): void {
    const turn: ReplayedTurn = { turnId: `turn-${this.#turns.length + 1}`, events: [] };
    this.#turns.push(turn);
    const up = (event: AgentEvent): void => void turn.events.push(event);
    this.#output = new TurnOutput({ turnId: turn.turnId, member: "codex", limits: processLimits, up });
    this.#step(this.#dialect.encodeTurn(this.#state, { kind: "turn", turnId: turn.turnId, text, attachments: [] }));
  }

  /** The records were made under other policies than the dialect asks for. */
  #receive(message: Message): void {
    const { approvalPolicy: _policy, sandbox: _sandbox, ...result } = message["result"] ?? {};
    const heard = message["result"] === undefined ? message : { ...message, result };
    this.#step(this.#dialect.parse(this.#state, JSON.stringify(heard)));
  }

  #step(step: CodexStep | undefined): void {
    if (step === undefined) return;
    this.#state = step.state;
    for (const event of step.events ?? []) {
      if (event.type === "turn_over") {
        const { type: _type, ...over } = event;
        this.#output?.settle(over);
        this.#output = null;
      } else this.#output?.pass(event as AgentEvent);
    }
    for (const text of step.write ?? []) this.#written(JSON.parse(text) as Message);
  }

  #written({ id, method }: Message): void {
    if (method === undefined) return;
    if (method === "thread/backgroundTerminals/clean") return this.#receive({ id, result: {} });
    const early = this.#early.get(method)?.shift();
    if (early !== undefined) return this.#receive({ ...early, id });
    this.#ourCalls.set(method, [...(this.#ourCalls.get(method) ?? []), id]);
  }
}

function answerOf(result: Message): { result: string | boolean; error: null } {
  if (result["action"] !== undefined) return { result: result["action"] === "accept", error: null };
  if (result["decision"] !== undefined) return { result: result["decision"] === "accept", error: null };
  return { result: result["contentItems"]?.[0]?.text ?? "", error: null };
}

export interface RecordedTurn {
  readonly status: string | null;
  readonly texts: string[];
  readonly tools: string[];
  /** Undefined when it counted nothing in this turn. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

const TOOLS = new Set([
  "commandExecution",
  "fileChange",
  "mcpToolCall",
  "dynamicToolCall",
  "webSearch",
  "collabAgentToolCall",
  "subAgentActivity",
  "imageView",
]);

/** What Codex itself says of each turn, read from its items and counts and nothing else. */
export function recordedTurns(name: string): RecordedTurn[] {
  const turns = new Map<string, OpenRecord>();
  let before = { inputTokens: 0, outputTokens: 0 };
  let isCompaction = false;
  let ourThread: string | undefined;
  for (const { dir, line } of readTrace(name)) {
    if (typeof line === "string") continue;
    const { method, params } = line;
    if (dir === "in" && method === "thread/compact/start") isCompaction = true;
    if (dir === "in" && method === "turn/start") isCompaction = false;
    if (dir === "in" && method === "turn/start") ourThread = params.threadId;
    // Subagents have threads of their own.
    const isOurs = ourThread === undefined || params?.threadId === undefined || params.threadId === ourThread;
    if (dir === "in" || !isOurs) continue;
    if (method === "turn/started")
      turns.set(params.turn.id, { status: null, texts: [], tools: new Set(), usage: undefined, isCompaction });
    const turn = turns.get(params?.turnId ?? params?.turn?.id);
    const now = method === "thread/tokenUsage/updated" ? (params.tokenUsage.total as typeof before) : undefined;
    if (now !== undefined && turn !== undefined) turn.usage = usedSince(now, before, turn.usage);
    // A resumed thread tells what it had used before.
    before = now ?? before;
    if (turn === undefined) continue;
    if (method === "turn/completed") turn.status = params.turn.status;
    const text = method === "item/completed" && params.item.type === "agentMessage" ? params.item.text : "";
    if (text !== "") turn.texts.push(text);
    if (method === "item/started" && TOOLS.has(params.item.type)) turn.tools.add(params.item.id);
  }
  return [...turns.values()].flatMap(({ status, texts, tools, usage, isCompaction: isNoTurn }) =>
    isNoTurn ? [] : [{ status, texts, tools: [...tools], usage }],
  );
}

interface OpenRecord {
  status: string | null;
  texts: string[];
  tools: Set<string>;
  usage: Counts | undefined;
  /** Codex works in it, but nobody waits for an answer. */
  isCompaction: boolean;
}

type Counts = NonNullable<RecordedTurn["usage"]>;

/** A context that ran full begins the count anew; what was counted by then was used all the same. */
function usedSince(now: Counts, before: Counts, usage: Counts = { inputTokens: 0, outputTokens: 0 }): Counts {
  const isAnew = now.inputTokens < before.inputTokens;
  return {
    inputTokens: usage.inputTokens + (isAnew ? 0 : now.inputTokens - before.inputTokens),
    outputTokens: usage.outputTokens + (isAnew ? 0 : now.outputTokens - before.outputTokens),
  };
}

/** The texts that stay: what was retracted is gone, what is done says what it says. */
export function textsOf(events: readonly AgentEvent[]): { done: string[]; open: string } {
  const done: string[] = [];
  let open = "";
  for (const event of events) {
    if (event.type === "text_delta") open += event.text;
    if (event.type === "text_done") done.push(event.text ?? open);
    if (event.type === "text_done" || event.type === "text_retracted") open = "";
  }
  return { done, open };
}

/** Deltas of one kind in a row as one, so that a golden file can be read. */
export function joinDeltas(events: readonly AgentEvent[]): unknown[] {
  const joined: Record<string, unknown>[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const isDelta =
      event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_output_delta";
    if (isDelta && last?.["type"] === event.type) {
      last["text"] = `${String(last["text"])}${event.text}`;
      last["pieces"] = Number(last["pieces"]) + 1;
    } else joined.push(isDelta ? { ...event, pieces: 1 } : { ...event });
  }
  return joined;
}
