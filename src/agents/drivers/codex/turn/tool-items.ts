/** Codex's tool items as tool events: start and end of each. */
import type { Json } from "../../../../protocol/index.ts";
import type { AgentEvent } from "../../../port.ts";
import { numberOf, recordOf, recordsOf, textOf, textsOf, type Fields } from "../../../json-rpc/fields.ts";
import { commandCall } from "../../../approvals/call-fields.ts";
import { diffOf } from "./diff-report.ts";
import { WARNINGS_MAX, type CodexState, type CodexStep, type CodexTurn } from "../state.ts";

type ToolStart = Extract<AgentEvent, { type: "tool_call_start" }>;
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;
type Beginning = Pick<ToolStart, "name" | "args" | "title" | "kind">;
type Ending = Pick<ToolResult, "ok" | "result" | "error" | "diff">;

interface ToolItem {
  begin(item: Fields): Beginning;
  end(item: Fields): Ending;
}

/** Of a longer output the beginning and the end are shown. */
export const RESULT_HEAD_CHARS = 48_000;
export const RESULT_TAIL_CHARS = 16_000;
const TITLE_CHARS_MAX = 200;

const TOOL_ITEMS: Readonly<Record<string, ToolItem>> = {
  commandExecution: { begin: beginCommand, end: endCommand },
  fileChange: { begin: beginFileChange, end: endFileChange },
  mcpToolCall: { begin: beginMcpCall, end: endMcpCall },
  dynamicToolCall: { begin: beginDynamicCall, end: endDynamicCall },
  webSearch: {
    begin: (item) => ({
      name: "web_search",
      args: { query: textOf(item, "query") ?? "" },
      ...titled(textOf(item, "query")),
      kind: "search",
    }),
    end: () => ({ ok: true }),
  },
  collabAgentToolCall: { begin: beginSubagentCall, end: endSubagentCall },
  subAgentActivity: { begin: beginSubagentActivity, end: () => ({ ok: true }) },
  imageView: {
    begin: (item) => ({
      name: "view_image",
      args: { path: textOf(item, "path") ?? "" },
      ...titled(textOf(item, "path")),
      kind: "read",
    }),
    end: () => ({ ok: true }),
  },
  imageGeneration: {
    begin: () => ({ name: "generate_image", args: {}, kind: "other" }),
    end: (item) => ending(statusOf(item), textOf(item, "savedPath")),
  },
};

export function isToolItem(item: Fields): boolean {
  return Object.hasOwn(TOOL_ITEMS, textOf(item, "type") ?? "");
}

export function toolStart(nativeId: string, item: Fields): ToolStart | undefined {
  const kind = TOOL_ITEMS[textOf(item, "type") ?? ""];
  return kind === undefined ? undefined : { type: "tool_call_start", nativeId, ...kind.begin(item) };
}

export function toolResult(nativeId: string, item: Fields): ToolResult | undefined {
  const kind = TOOL_ITEMS[textOf(item, "type") ?? ""];
  if (kind === undefined) return undefined;
  const { result, ...end } = kind.end(item);
  const durationMs = numberOf(item, "durationMs");
  return {
    type: "tool_result",
    nativeId,
    ...end,
    ...(result === undefined ? {} : shown(result)),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  };
}

function beginCommand(item: Fields): Beginning {
  const command = textOf(item, "command") ?? "";
  const actions = recordsOf(item, "commandActions");
  const title = actions.map((action) => textOf(action, "command") ?? "").join(" && ");
  const types = new Set(actions.map((action) => textOf(action, "type")));
  const only = (...wanted: string[]): boolean =>
    types.size > 0 && [...types].every((one) => wanted.includes(one ?? ""));
  const kind = only("read", "listFiles") ? "read" : only("read", "listFiles", "search") ? "search" : "execute";
  return { name: "shell", args: { command, cwd: textOf(item, "cwd") ?? "" }, ...titled(title || command), kind };
}

function endCommand(item: Fields): Ending {
  const exitCode = numberOf(item, "exitCode");
  const status = statusOf(item) === "completed" && exitCode !== undefined && exitCode !== 0 ? "failed" : statusOf(item);
  return ending(status, textOf(item, "aggregatedOutput"), exitCode === undefined ? undefined : `exit code ${exitCode}`);
}

function beginFileChange(item: Fields): Beginning {
  const changes = recordsOf(item, "changes").map((change) => ({
    path: textOf(change, "path") ?? "",
    kind: textOf(recordOf(change, "kind"), "type") ?? "update",
  }));
  return {
    name: "apply_patch",
    args: { changes },
    ...titled(changes.map(({ path }) => path).join(", ")),
    kind: "edit",
  };
}

function endFileChange(item: Fields): Ending {
  const diff = diffOf(recordsOf(item, "changes"));
  return { ...ending(statusOf(item), undefined), ...(diff === "" ? {} : { diff }) };
}

function beginMcpCall(item: Fields): Beginning {
  const name = `${textOf(item, "server") ?? "mcp"}.${textOf(item, "tool") ?? "tool"}`;
  return { name, args: argumentsOf(item), kind: "other" };
}

function endMcpCall(item: Fields): Ending {
  const error = textOf(recordOf(item, "error"), "message");
  return ending(
    error === undefined ? statusOf(item) : "failed",
    contentText(recordsOf(recordOf(item, "result"), "content")),
    error,
  );
}

function beginDynamicCall(item: Fields): Beginning {
  const name = textOf(item, "tool") ?? "tool";
  return { name, args: argumentsOf(item), kind: name.startsWith("agents_") ? "agent" : "other" };
}

function endDynamicCall(item: Fields): Ending {
  const text = contentText(recordsOf(item, "contentItems"));
  return ending(item["success"] === false ? "failed" : statusOf(item), text, text);
}

function beginSubagentCall(item: Fields): Beginning {
  const prompt = textOf(item, "prompt");
  const receivers = [...textsOf(item, "receiverThreadIds")];
  const args = { ...(prompt === undefined ? {} : { prompt }), receivers };
  return { name: textOf(item, "tool") ?? "agent", args, ...titled(prompt), kind: "agent" };
}

/** Outcome of a subagent: started, completed. */
function beginSubagentActivity(item: Fields): Beginning {
  const agent = textOf(item, "agentPath") ?? textOf(item, "agentThreadId") ?? "";
  const activity = textOf(item, "kind") ?? "";
  return { name: "subagent", args: { agent, activity }, ...titled(`${agent} ${activity}`.trim()), kind: "agent" };
}

function endSubagentCall(item: Fields): Ending {
  const messages = Object.values(recordOf(item, "agentsStates")).flatMap((state) =>
    typeof state === "object" && state !== null ? [textOf(state as Fields, "message") ?? ""] : [],
  );
  const output = messages.filter((text) => text !== "").join("\n\n");
  return ending(statusOf(item), output === "" ? undefined : output);
}

function ending(status: string, result: string | undefined, reason?: string): Ending {
  const output = result === undefined ? {} : { result };
  if (status === "declined") {
    return { ok: false, ...output, error: { code: "tool_denied", message: "it was not allowed" } };
  }
  if (status === "interrupted") {
    return { ok: false, ...output, error: { code: "tool_interrupted", message: "it was interrupted" } };
  }
  if (status === "failed") {
    return {
      ok: false,
      ...output,
      error: { code: "tool_error", message: clip(reason ?? "it failed", TITLE_CHARS_MAX) },
    };
  }
  return { ok: true, ...output };
}

function shown(result: string): Pick<ToolResult, "result" | "truncated"> {
  if (result.length <= RESULT_HEAD_CHARS + RESULT_TAIL_CHARS) return { result };
  const head = result.slice(0, RESULT_HEAD_CHARS).toWellFormed();
  const tail = result.slice(-RESULT_TAIL_CHARS).toWellFormed();
  const text = `${head}\n… (${result.length - head.length - tail.length} characters left out) …\n${tail}`;
  const totalBytes = Buffer.byteLength(result);
  return { result: text, truncated: { totalBytes, shownBytes: Buffer.byteLength(head) + Buffer.byteLength(tail) } };
}

function contentText(content: readonly Fields[]): string {
  return content.map((part) => textOf(part, "text") ?? `(${textOf(part, "type") ?? "something"} not shown)`).join("\n");
}

function argumentsOf(item: Fields): Json {
  return (item["arguments"] ?? {}) as Json;
}

function statusOf(item: Fields): string {
  return textOf(item, "status") ?? "completed";
}

function titled(title: string | undefined): { title?: string } {
  return title === undefined || title === "" ? {} : { title: clip(title, TITLE_CHARS_MAX) };
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`;
}

/** What Codex has run without the required approval: nobody could stop it, so it is reported. */
const SHOWN_CHARS_MAX = 200;

/** Where nothing needs approval, as in Codex's own read-only sandbox, only what a rule denies is reported. */
export function reportUnapproved(
  state: CodexState,
  { requestedItems }: CodexTurn,
  id: string,
  item: Fields,
): CodexStep {
  const { options, facts, warned } = state;
  const action = describeAction(item);
  if (action === undefined || requestedItems.has(id) || textOf(item, "status") === "declined") return { state };
  const rule = options.deniedBy?.(action.tool, action.call);
  if (rule === undefined && !facts.hasToAsk) return { state };
  const though = rule === undefined ? "" : `, though your rule ${rule} denies it`;
  const message = `${options.member} ${action.description} without asking${though}.`;
  if (warned.has(message) || warned.size >= WARNINGS_MAX) return { state };
  const isGuarded = facts.isSandboxed || !facts.hasToAsk;
  return {
    state: { ...state, warned: new Set(warned).add(message) },
    events: [
      { type: "warning", code: "unasked", message },
      ...(isGuarded
        ? []
        : [{ type: "member_guard", guard: "unguarded", detail: `it ${action.description} without asking` } as const]),
    ],
  };
}

function describeAction(item: Fields): { tool: string; call: string; description: string } | undefined {
  switch (textOf(item, "type")) {
    case "commandExecution": {
      const command = textOf(item, "command") ?? "";
      return { tool: "shell", call: commandCall(command), description: `ran ${clip(command, SHOWN_CHARS_MAX)}` };
    }
    case "fileChange": {
      const changes = recordsOf(item, "changes");
      const paths = changes.map((change) => textOf(change, "path") ?? "").join(", ");
      return {
        tool: "apply_patch",
        call: JSON.stringify({ changes }),
        description: `changed ${clip(paths, SHOWN_CHARS_MAX)}`,
      };
    }
    default:
      return undefined;
  }
}
