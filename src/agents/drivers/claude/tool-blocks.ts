/** Tool calls of the member: events at their start and end. */
import { joinChanges } from "../../file-changes.ts";
import type { AgentEvent } from "../../port.ts";
import type { DialectEvent } from "../../process/dialect.ts";
import { fieldsOf, recordsOf, rawTextOf, textsOf, type Fields } from "../../../kit/fields.ts";
import { asJson } from "../../json-rpc/fields.ts";
import { doneChange } from "./patch.ts";
import type { TurnState } from "./state.ts";

type ToolStart = Extract<AgentEvent, { type: "tool_call_start" }>;
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

/** Name of the server with the host tools. */
export const HOST_TOOL_SERVER = "roundtable";
const HOST_TOOL_PREFIX = `mcp__${HOST_TOOL_SERVER}__`;
/** Run commands; removed in a read-only session without a sandbox. */
export const SHELL_TOOLS: readonly string[] = ["Bash", "PowerShell", "Monitor"];
/** Titles are one line. */
const TITLE_CHARS_MAX = 200;
/** Changed files beyond this are counted, not listed. */
const CHANGED_FILES_MAX = 200;

/** Name of a host tool; undefined for every other tool. */
export function hostToolName(toolName: string): string | undefined {
  return toolName.startsWith(HOST_TOOL_PREFIX) ? toolName.slice(HOST_TOOL_PREFIX.length) : undefined;
}

export function startTool(turn: TurnState, block: Fields): { turn: TurnState; events: DialectEvent[] } {
  const nativeId = rawTextOf(block["id"]);
  const native = rawTextOf(block["name"]);
  // A repeated block is the same call.
  if (nativeId === undefined || native === undefined || turn.tools.has(nativeId)) return { turn, events: [] };
  const input = fieldsOf(block["input"]) ?? {};
  const name = hostToolName(native) ?? native;
  const title = titleOf(input);
  const start: ToolStart = {
    type: "tool_call_start",
    nativeId,
    name,
    args: asJson(input),
    kind: kindOf(name),
    ...(title === undefined ? {} : { title }),
  };
  return { turn: { ...turn, tools: new Set(turn.tools).add(nativeId) }, events: [start, ...planOf(name, input)] };
}

/** `record` is the line with the result, which may have more than the text for the model. */
export function endTool(turn: TurnState, block: Fields, record: Fields): { turn: TurnState; events: DialectEvent[] } {
  const nativeId = rawTextOf(block["tool_use_id"]);
  if (nativeId === undefined || !turn.tools.has(nativeId)) return { turn, events: [] };
  const tools = new Set(turn.tools);
  tools.delete(nativeId);
  const text = contentText(block["content"]);
  const isOk = block["is_error"] !== true && !turn.denied.has(nativeId);
  const change = isOk ? doneChange(fieldsOf(record["tool_use_result"])) : undefined;
  const result: ToolResult = {
    type: "tool_result",
    nativeId,
    ok: isOk,
    ...(isOk ? { result: text } : { error: { code: errorCode(turn, nativeId, record), message: text } }),
    ...(change?.diff === undefined ? {} : { diff: change.diff }),
  };
  const changes =
    change === undefined
      ? turn.changes
      : new Map(turn.changes).set(change.path, joinChanges(turn.changes.get(change.path), change));
  return { turn: { ...turn, tools, changes }, events: [result] };
}

export function changeReport({ changes }: TurnState): DialectEvent[] {
  if (changes.size === 0) return [];
  const files = [...changes.values()];
  const truncatedCount = Math.max(0, files.length - CHANGED_FILES_MAX);
  return [{ type: "change_report", files: files.slice(0, CHANGED_FILES_MAX), truncatedCount }];
}

/** Activity of a subagent belongs to the call that started it, never to the member's text. */
export function subagentNews(turn: TurnState, parent: string, blocks: readonly Fields[]): DialectEvent[] {
  if (!turn.tools.has(parent)) return [];
  return blocks.flatMap((block) => {
    const name = block["type"] === "tool_use" ? rawTextOf(block["name"]) : undefined;
    if (name === undefined) return [];
    const title = titleOf(fieldsOf(block["input"]) ?? {});
    const detail = title === undefined ? name : `${name}: ${title}`;
    return [{ type: "tool_call_update", nativeId: parent, detail } as const];
  });
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .map((part) => rawTextOf(part["text"]) ?? `[${rawTextOf(part["type"]) ?? "something"}]`)
    .join("\n");
}

function errorCode(turn: TurnState, nativeId: string, record: Fields): NonNullable<ToolResult["error"]>["code"] {
  const meta = recordsOf(record["tool_result_meta"]).find((one) => one["id"] === nativeId);
  const decision = rawTextOf(fieldsOf(meta?.["permission_decision"])?.["decision"]);
  if (decision === "reject" || turn.denied.has(nativeId)) return "tool_denied";
  // Not run, but not denied either: the turn was stopped.
  return meta?.["non_execution_kind"] === "user-rejected" ? "tool_interrupted" : "tool_error";
}

const KINDS: Readonly<Record<string, ToolStart["kind"]>> = {
  Read: "read",
  NotebookRead: "read",
  inspect: "read",
  WebFetch: "read",
  Grep: "search",
  Glob: "search",
  WebSearch: "search",
  ToolSearch: "search",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Bash: "execute",
  Task: "agent",
  Agent: "agent",
  SendMessage: "agent",
  agents_message: "agent",
  agents_list: "agent",
  AskUserQuestion: "ask",
  user_question: "ask",
  ui_select: "ask",
  ui_confirm: "ask",
  ui_input: "ask",
  ui_editor: "ask",
};

function kindOf(name: string): ToolStart["kind"] {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : "other";
}

function titleOf(input: Fields): string | undefined {
  const argv = textsOf(input["argv"]).join(" ");
  if (argv !== "") return titleText(argv);
  for (const key of ["command", "file_path", "notebook_path", "pattern", "query", "url", "description", "path", "to"]) {
    const value = rawTextOf(input[key]);
    if (value !== undefined && value !== "") return titleText(value);
  }
  return undefined;
}

function titleText(text: string): string {
  return text.length <= TITLE_CHARS_MAX ? text : `${text.slice(0, TITLE_CHARS_MAX)}…`;
}

const PLAN_STATES = new Set(["pending", "in_progress", "completed"]);

/** The program's to-do list is the member's plan. */
function planOf(name: string, input: Fields): DialectEvent[] {
  if (name !== "TodoWrite") return [];
  const items = recordsOf(input["todos"]).flatMap((todo) => {
    const text = rawTextOf(todo["content"]);
    const status = rawTextOf(todo["status"]) ?? "pending";
    return text === undefined || !PLAN_STATES.has(status) ? [] : [{ text, status: status as "pending" }];
  });
  return items.length === 0 ? [] : [{ type: "plan_update", planId: "todos", items }];
}
