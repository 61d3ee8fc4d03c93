/**
 * The lines of a Codex rollout file. Since late 2025 every line is `{timestamp, type, payload}`; before that the items
 * stood bare after a first line with the session's id.
 */
import { DAMAGED, type SourceLine } from "../../../src/host/index.ts";
import { timeOf, fieldsOf, textOf, type Fields } from "../../../src/kit/fields.ts";

export interface RolloutLine {
  readonly number: number;
  readonly ts: number;
  readonly type: string;
  readonly payload: Fields;
}

const BARE_ITEMS = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "web_search_call",
]);
const LEFT_OUT = new Set(["world_state", "token_usage_record", "inter_agent_communication", "ghost_snapshot"]);

/** Kinds of lines with content in any version. */
const WRAPPED = new Set(["session_meta", "response_item", "event_msg", "compacted"]);

/** Instructions and settings: most of a rollout, and not part of the conversation. */
export function selectLine(value: unknown): unknown {
  const line = fieldsOf(value);
  if (line === undefined) return DAMAGED;
  const type = textOf(line["type"]) ?? "";
  if (LEFT_OUT.has(type)) return undefined;
  const payload = fieldsOf(line["payload"]);
  if (payload === undefined) return WRAPPED.has(type) ? DAMAGED : line;
  if (payload["type"] === "additional_tools" || payload["role"] === "developer") return undefined;
  const { base_instructions: _, dynamic_tools: __, replacement_history: ___, instructions: ____, ...rest } = payload;
  return { ...line, payload: rest };
}

export function rolloutLines(lines: readonly SourceLine[]): RolloutLine[] {
  let last = 0;
  return lines.flatMap(({ number, value }) => {
    const parsed = unwrapped(value);
    if (parsed === undefined) return [];
    last = parsed.ts ?? last;
    return [{ ...parsed, number, ts: last }];
  });
}

function unwrapped(value: unknown): (Omit<RolloutLine, "number" | "ts"> & { ts: number | undefined }) | undefined {
  const line = fieldsOf(value);
  const type = textOf(line?.["type"]);
  if (line === undefined) return undefined;
  const ts = timeOf(line["timestamp"]);
  const payload = fieldsOf(line["payload"]);
  if (type !== undefined && payload !== undefined) return { type, payload, ts };
  if (type !== undefined && BARE_ITEMS.has(type)) return { type: "response_item", payload: line, ts };
  return type === undefined && textOf(line["id"]) !== undefined
    ? { type: "session_meta", payload: line, ts }
    : undefined;
}

/** Undefined for a line that does not begin a rollout. */
export function metaOf({ type, payload, ts }: RolloutLine): RolloutMeta | undefined {
  const id = type === "session_meta" ? textOf(payload["id"]) : undefined;
  if (id === undefined) return undefined;
  const source = fieldsOf(payload["source"]);
  const subagent = fieldsOf(source?.["subagent"]) ?? fieldsOf(source?.["sub_agent"]);
  const spawned = fieldsOf(subagent?.["thread_spawn"]);
  return {
    id,
    cwd: textOf(payload["cwd"]),
    ts: timeOf(payload["timestamp"]) ?? ts,
    isSubagent: source?.["subagent"] !== undefined || subagent !== undefined,
    parentId: textOf(spawned?.["parent_thread_id"]) ?? textOf(payload["parent_thread_id"]),
    name: textOf(spawned?.["agent_nickname"]) ?? textOf(payload["agent_nickname"]) ?? textOf(payload["agent_role"]),
  };
}

export interface RolloutMeta {
  readonly id: string;
  readonly cwd: string | undefined;
  readonly ts: number;
  /** Started by another thread; not a conversation of its own. */
  readonly isSubagent: boolean;
  readonly parentId: string | undefined;
  readonly name: string | undefined;
}
