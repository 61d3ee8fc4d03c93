/**
 * Plays a recorded conversation with the real Pi through our dialect: what was said to Pi then makes the dialect speak,
 * what Pi said is parsed. Also tells, from the raw record alone, what should have come of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { AgentEvent, AnswerResult } from "../../../src/agents/index.ts";
import { createPiDialect } from "../../../src/agents/drivers/pi/parse.ts";
import type { PiState } from "../../../src/agents/drivers/pi/state.ts";
import type { Step } from "../../../src/agents/process/dialect.ts";
import * as faults from "../../../src/agents/process/turn-errors.ts";
import { processLimits } from "../../../src/agents/process/limits.ts";
import { TurnOutput } from "../../../src/agents/process/turn/open-turn.ts";

const TRACES = path.join(import.meta.dirname, "..", "traces", "pi");
const MARK = "roundtable-mark";

type Message = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- a foreign record, read by hand

interface TraceLine {
  readonly dir: "in" | "out";
  readonly line: Message;
}

export interface ReplayedTurn {
  readonly turnId: string;
  readonly events: AgentEvent[];
}

export const traceNames = readdirSync(TRACES).toSorted();

/** A record of JSON mode holds one run and nothing that was said to it. */
export function readTrace(file: string): TraceLine[] {
  const records = readFileSync(path.join(TRACES, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Message);
  if (file.endsWith(".io.jsonl")) return records as unknown as TraceLine[];
  const prompt = { type: "prompt", message: "go" };
  return [{ dir: "in", line: prompt }, ...records.map((line) => ({ dir: "out" as const, line }))];
}

export function replayTrace(file: string): ReplayedTurn[] {
  const replay = new Replay();
  for (const { dir, line } of readTrace(file)) {
    if (dir === "in") replay.weSaid(line);
    else if (dir === "out" && typeof line === "object") replay.piSaid(line);
  }
  return replay.finish();
}

const dialect = createPiDialect({
  cwd: "/p",
  member: "pi",
  isWritable: true,
  mark: MARK,
  launchModel: () => undefined,
});

class Replay {
  readonly #turns: ReplayedTurn[] = [];
  /** Ids of the record, and what our dialect calls the same command. */
  readonly #ids = new Map<string, string>();
  #state: PiState = dialect.begin({ nativeSessionId: undefined }).state;
  #output: TurnOutput | null = null;

  constructor() {
    this.piSaid({ type: "extension_ui_request", id: "x", method: "setStatus", statusKey: MARK, statusText: "ready" });
    const model = { provider: "fake", id: "fake-text", contextWindow: 128_000 };
    this.piSaid({ type: "response", command: "get_state", success: true, data: { model, sessionId: "s" } });
  }

  weSaid(message: Message): void {
    switch (message["type"]) {
      case "prompt":
        return this.#begin(message["message"]);
      case "steer": {
        const step = dialect.encodeSteer?.(this.#state, {
          kind: "steer",
          messageId: "message-2",
          text: message["message"],
        });
        this.#ids.set(message["id"], (JSON.parse(step?.write?.[0] ?? "{}") as Message)["id"]);
        return this.#step(step);
      }
      case "abort":
        return this.#step(dialect.encodeInterrupt?.(this.#state));
      case "extension_ui_response":
        return this.#step(dialect.encodeAnswer?.(this.#state, message["id"], answerOf(message)));
      default:
    }
  }

  piSaid(message: Message): void {
    const id = this.#ids.get(message["id"]) ?? message["id"];
    this.#step(dialect.parse(this.#state, JSON.stringify({ ...message, id })));
  }

  /** A record that stops in the middle of a turn is one of a program that was ended. */
  finish(): ReplayedTurn[] {
    this.#output?.settle(
      faults.crashed("pi", { code: 143, signal: undefined, isDrained: true, stderr: "" }, { command: "pi" }),
    );
    return this.#turns;
  }

  #begin(text: string): void {
    const turn: ReplayedTurn = { turnId: `turn-${this.#turns.length + 1}`, events: [] };
    this.#turns.push(turn);
    const up = (event: AgentEvent): void => void turn.events.push(event);
    this.#output = new TurnOutput({ turnId: turn.turnId, member: "pi", limits: processLimits, up });
    this.#step(dialect.encodeTurn(this.#state, { kind: "turn", turnId: turn.turnId, text, attachments: [] }));
  }

  #step(step: Step<PiState> | undefined): void {
    if (step === undefined) return;
    this.#state = step.state;
    for (const event of step.events ?? []) {
      if (event.type === "turn_over") {
        const { type: _type, ...over } = event;
        this.#output?.settle(over);
        this.#output = null;
      } else if (event.type === "unexpected") this.#output?.unexpected(event.what, "");
      else this.#output?.pass(event as AgentEvent);
    }
  }
}

function answerOf({ confirmed, value }: Message): AnswerResult {
  // What our own extension was answered to an approval.
  if (typeof value === "string" && value.includes('"isAllowed"')) {
    return { result: value.includes('"isAllowed":true') ? "allow" : "deny", error: null };
  }
  return { result: confirmed ?? value ?? null, error: null };
}

export interface RecordedTurn {
  /** Null when the record stops in the middle of it. */
  readonly outcome: string | null;
  readonly texts: string[];
  readonly tools: string[];
  readonly usage: Record<string, number>;
}

/** What Pi itself says of each run, read from its finished messages and from nothing else. */
export function recordedTurns(file: string): RecordedTurn[] {
  const turns: (Omit<RecordedTurn, "outcome"> & { outcome: string | null; kept: Message[]; reason: string })[] = [];
  for (const { dir, line } of readTrace(file)) {
    if (dir === "in" && line["type"] === "prompt") {
      const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: 0 };
      turns.push({ outcome: null, texts: [], tools: [], usage, kept: [], reason: "stop" });
    }
    const turn = turns.at(-1);
    if (turn === undefined || dir === "in") continue;
    const message: Message = line["message"] ?? {};
    if (line["type"] === "message_end" && message["role"] === "assistant") {
      turn.kept.push(message);
      turn.reason = message["stopReason"];
      count(turn.usage, message["usage"]);
    }
    const compacted = line["type"] === "compaction_end" && line["reason"] !== "manual" ? line["result"] : undefined;
    if (compacted?.usage) count(turn.usage, compacted.usage);
    if (/^(agent|compaction)_end$/.test(line["type"]) && line["willRetry"] === true) turn.kept.pop();
    const called = line["toolCallId"] ?? line["assistantMessageEvent"]?.id;
    const isCall = line["type"] === "tool_execution_start" || line["assistantMessageEvent"]?.type === "toolcall_start";
    if (isCall && !turn.tools.includes(called)) turn.tools.push(called);
    if (line["type"] === "agent_settled") {
      const isFailed = turn.reason === "error";
      turn.outcome = line["aborted"] === true ? "interrupted" : isFailed ? "errored" : "completed";
    }
  }
  return turns.map(({ outcome, kept, tools, usage }) => ({
    outcome,
    texts: kept.flatMap((message) =>
      message["content"].flatMap((block: Message) => (block["type"] === "text" ? [block["text"]] : [])),
    ),
    tools,
    usage,
  }));
}

function count(sum: Record<string, number>, usage: Message): void {
  const more = { inputTokens: usage["input"], outputTokens: usage["output"], cacheReadTokens: usage["cacheRead"] };
  for (const [key, value] of Object.entries(more)) sum[key] = (sum[key] ?? 0) + value;
  sum["costUsd"] = (sum["costUsd"] ?? 0) + usage["cost"].total;
}

/** The texts that stay: what was retracted is gone, what is done says what it says. */
export function textsOf(events: readonly AgentEvent[]): { done: string[]; open: string } {
  const done: string[] = [];
  let open = "";
  for (const event of events) {
    if (event.type === "text_delta") open += event.text;
    if (event.type === "text_done") done.push(event.text ?? open);
    if (event.type === "text_retracted" && open === "") done.pop();
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
