/** The lines of a sprout log, and the messages that some of them carry. */
import { jsonText, DAMAGED, type SourceLine } from "../../../src/host/index.ts";
import {
  timeOf,
  amountOf,
  fieldsOf,
  numberOf,
  recordsOf,
  textOf,
  nonBlankText,
  type Fields,
} from "../../../src/kit/fields.ts";
import type { Usage } from "../../../src/protocol/index.ts";

export interface SproutLine {
  readonly number: number;
  readonly kind: string;
  readonly ts: number;
  readonly agentId: string;
  readonly depth: number;
  readonly data: Fields;
}

const KINDS_LEFT_OUT = new Set(["llm_chunk", "recall", "verify", "context_update", "log", "exit_hint"]);

export function selectLine(value: unknown): unknown {
  const kind = textOf(fieldsOf(value)?.["kind"]);
  if (kind === undefined) return DAMAGED;
  return KINDS_LEFT_OUT.has(kind) ? undefined : value;
}

export function sproutLines(lines: readonly SourceLine[]): SproutLine[] {
  let last = 0;
  return lines.flatMap(({ number, value }) => {
    const fields = fieldsOf(value);
    const kind = textOf(fields?.["kind"]);
    if (fields === undefined || kind === undefined) return [];
    last = timeOf(fields["timestamp"]) ?? last;
    const depth = Math.max(0, Math.floor(numberOf(fields["depth"]) ?? 0));
    const agentId = textOf(fields["agent_id"]) ?? "";
    return [{ number, kind, ts: last, agentId, depth, data: fieldsOf(fields["data"]) ?? {} }];
  });
}

export interface SproutCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export interface SproutAnswer {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly SproutCall[];
}

/** Result of a plan: its message, or, in older logs, its text alone. */
export function answerOf(data: Fields): SproutAnswer {
  const parts = recordsOf(fieldsOf(data["assistant_message"])?.["content"]);
  const of = (kind: string) => parts.filter((part) => part["kind"] === kind);
  const text = of("text").map((part) => textOf(part["text"]) ?? "");
  const thinking = of("thinking").map((part) => textOf(fieldsOf(part["thinking"])?.["text"]) ?? "");
  const calls = of("tool_call").flatMap((part) => callOf(fieldsOf(part["tool_call"]) ?? {}));
  return {
    thinking: thinking.join("\n") || (textOf(data["reasoning"]) ?? ""),
    text: text.join("") || (textOf(data["text"]) ?? ""),
    calls,
  };
}

function callOf(call: Fields): SproutCall[] {
  const id = textOf(call["id"]);
  const name = textOf(call["name"]);
  if (id === undefined || name === undefined) return [];
  return [{ id, name, args: typeof call["arguments"] === "string" ? parsed(call["arguments"]) : call["arguments"] }];
}

/** Arguments come as an object or as its JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Written by a model; even if invalid it shows what was requested.
    return { arguments: text };
  }
}

export interface SproutResult {
  readonly id: string;
  readonly text: string;
  readonly ok: boolean;
}

export function resultOf(data: Fields): SproutResult | undefined {
  const message = fieldsOf(data["tool_result_message"]);
  const part = recordsOf(message?.["content"]).find((one) => one["kind"] === "tool_result");
  const result = fieldsOf(part?.["tool_result"]);
  const id = textOf(result?.["tool_call_id"]) ?? textOf(message?.["tool_call_id"]);
  if (id === undefined) return undefined;
  const { content } = result ?? {};
  const text = typeof content === "string" ? content : content === undefined ? "" : jsonText(content);
  return { id, text: text.toWellFormed(), ok: result?.["is_error"] !== true && data["success"] !== false };
}

export function usageOf(data: Fields): Usage | undefined {
  const usage = fieldsOf(data["usage"]);
  if (usage === undefined) return undefined;
  const count = (key: string): number => amountOf(usage[key]) ?? 0;
  return {
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_tokens"),
    cacheWriteTokens: count("cache_write_tokens"),
  };
}

export interface Delegation {
  /** Ids of the child and of its handle; none in the oldest logs. */
  readonly ids: readonly string[];
  readonly name: string | undefined;
  readonly goal: string | undefined;
}

export function delegationOf({ data }: SproutLine): Delegation {
  const ids = [textOf(data["child_id"]), textOf(data["handle_id"])].filter((id) => id !== undefined);
  return { ids, name: nonBlankText(data["agent_name"]), goal: textOf(data["goal"]) };
}

/**
 * The line that ends the child of an `act_start`, with the result of its call. Later lines of the
 * same child belong to calls that awaited or messaged it.
 */
export function delegationsIn(lines: readonly SproutLine[]): (start: SproutLine) => SproutLine | undefined {
  const ends = new Map<string, SproutLine>();
  for (const line of lines) {
    if (line.kind !== "act_end") continue;
    for (const id of delegationOf(line).ids) if (!ends.has(id)) ends.set(id, line);
  }
  return (start) => {
    const id = delegationOf(start).ids.find((one) => ends.has(one));
    return id === undefined ? undefined : ends.get(id);
  };
}
