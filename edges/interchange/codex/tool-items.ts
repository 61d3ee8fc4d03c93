/** Tool calls and their results, in the several forms that Codex stores. */
import { jsonText, type ToolCall, type ToolResult } from "../../../src/host/index.ts";
import { fieldsOf, listOf, numberOf, recordsOf, textOf, nonBlankText, type Fields } from "../../../src/kit/fields.ts";

/** Prefix of our host tools in the program. */
const HOST_TOOLS_PREFIX = /^(?:mcp__)?roundtable__/;
const EXIT_CODE = /^(?:Exit code:|Process exited with code) (-?\d+)$/m;
const SHELL_OUTPUT = /^(?:Chunk ID|Exit code|Wall time)[^\n]*\n(?:[^\n]*\n){0,6}?Output:\n/;
const ABORTED = /aborted by user/;
const FAILED = /^(?:unsupported call|Script failed|failed to|error:|exec_command failed)/i;
const DENIED = /rejected by user|denied by|approval policy/i;

/** Undefined for an item that is no call. */
export function callOf(item: Fields): ToolCall | undefined {
  const nativeId = textOf(item["call_id"]) ?? textOf(item["id"]);
  if (nativeId === undefined) return undefined;
  switch (item["type"]) {
    case "function_call":
      return { nativeId, name: toolName(item), args: parsedArgs(textOf(item["arguments"]) ?? "") };
    case "custom_tool_call":
      return { nativeId, name: toolName(item), args: { input: textOf(item["input"]) ?? "" } };
    case "local_shell_call":
      return { nativeId, name: "local_shell", args: { command: fieldsOf(item["action"])?.["command"] ?? [] } };
    case "tool_search_call":
      return { nativeId, name: "tool_search", args: item["arguments"] ?? {} };
    case "web_search_call":
      return { nativeId, name: "web_search", args: item["action"] ?? {} };
    case "image_generation_call":
      return { nativeId, name: "generate_image", args: { prompt: textOf(item["revised_prompt"]) ?? "" } };
    default:
      return undefined;
  }
}

function toolName(item: Fields): string {
  return (nonBlankText(item["name"]) ?? "tool").replace(HOST_TOOLS_PREFIX, "");
}

function parsedArgs(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Written by a model; even if invalid it shows what was requested.
    return { arguments: text };
  }
}

/** Calls without an end item: the service runs them while answering. */
export function isDoneAtOnce(item: Fields): boolean {
  return item["type"] === "web_search_call" || item["type"] === "image_generation_call";
}

/** The text in an output, which may be a text, a list of parts, or either one inside an object. */
export function outputOf(output: unknown): ToolResult {
  const fields = fieldsOf(output);
  if (fields === undefined) return textOutput(output);
  const inner = textOutput(fields["content"] ?? fields["output"] ?? "");
  return fields["success"] === false ? { ...inner, ok: false } : inner;
}

function textOutput(output: unknown): ToolResult {
  const text =
    textOf(output) ?? (Array.isArray(output) ? recordsOf(output).map(partText).join("\n") : jsonText(output));
  const old = oldOutput(text);
  if (old !== undefined) return old;
  const exitCode = EXIT_CODE.exec(text)?.[1];
  if (ABORTED.test(text)) return { ok: false, text, code: "tool_interrupted" };
  if (exitCode !== undefined) return { ok: exitCode === "0", text: text.replace(SHELL_OUTPUT, "") };
  if (DENIED.test(text)) return { ok: false, text, code: "tool_denied" };
  return { ok: !FAILED.test(text), text };
}

/** Older versions wrapped a command's output into JSON. */
function oldOutput(text: string): ToolResult | undefined {
  if (!text.startsWith('{"output":')) return undefined;
  const fields = fieldsOf(parsedArgs(text));
  const output = textOf(fields?.["output"]);
  if (output === undefined) return undefined;
  const exitCode = numberOf(fieldsOf(fields?.["metadata"])?.["exit_code"]) ?? 0;
  return { ok: exitCode === 0, text: output };
}

function partText(part: Fields): string {
  return textOf(part["text"]) ?? `[${textOf(part["type"]) ?? "something"}]`;
}

/** Call facts from a thread item: commands, file changes, MCP tools. */
export function threadCall(item: Fields): { call: ToolCall; result: ToolResult } | undefined {
  const nativeId = textOf(item["id"]);
  if (nativeId === undefined) return undefined;
  const ok = item["status"] === "completed";
  const durationMs = durationOf(item["duration"]);
  switch (item["type"]) {
    case "CommandExecution": {
      const command = listOf(item["command"]).flatMap((word) => textOf(word) ?? []);
      const result = { ok, text: textOf(item["aggregated_output"]) ?? "", durationMs };
      return { call: { nativeId, name: "exec_command", args: { cmd: command.at(-1) ?? "" } }, result };
    }
    case "FileChange": {
      const text = textOf(item[ok ? "stdout" : "stderr"]) ?? "";
      const files = Object.keys(fieldsOf(item["changes"]) ?? {});
      return {
        call: { nativeId, name: "apply_patch", args: { files } },
        result: { ok, text, diff: diffOf(item["changes"]) },
      };
    }
    case "McpToolCall": {
      const name = (nonBlankText(item["tool"]) ?? "tool").replace(HOST_TOOLS_PREFIX, "");
      return {
        call: { nativeId, name, args: item["arguments"] ?? {} },
        result: { ...outputOf(item["result"] ?? ""), ok },
      };
    }
    default:
      return undefined;
  }
}

function durationOf(value: unknown): number | undefined {
  const fields = fieldsOf(value);
  const [secs, nanos] = [numberOf(fields?.["secs"]), numberOf(fields?.["nanos"])];
  return secs === undefined || secs < 0 ? undefined : secs * 1000 + (nanos ?? 0) / 1_000_000;
}

/** Diff of each changed file; a new or deleted one in full. */
export function diffOf(changes: unknown): string | undefined {
  const diffs = Object.entries(fieldsOf(changes) ?? {}).flatMap(([path, value]) => {
    const change = fieldsOf(value);
    const inner = fieldsOf(change?.["update"]) ?? fieldsOf(change?.["add"]) ?? fieldsOf(change?.["delete"]) ?? change;
    const unified = textOf(inner?.["unified_diff"]);
    if (unified !== undefined) return [`--- ${path}\n+++ ${path}\n${unified.trimEnd()}`];
    const content = textOf(inner?.["content"]);
    if (content === undefined) return [];
    const isDeleted = change?.["type"] === "delete" || change?.["delete"] !== undefined;
    const lines = content.replace(/\n$/, "").split("\n");
    const range = isDeleted ? `-1,${lines.length} +0,0` : `-0,0 +1,${lines.length}`;
    return [
      [`--- ${path}`, `+++ ${path}`, `@@ ${range} @@`, ...lines.map((line) => (isDeleted ? "-" : "+") + line)].join(
        "\n",
      ),
    ];
  });
  return diffs.length === 0 ? undefined : diffs.join("\n");
}
