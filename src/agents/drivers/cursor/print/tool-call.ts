/** A tool call as Cursor prints it: `{"shellToolCall":{"args":…,"result":{"success":…}}}`. Pure. */
import { fieldsOf, jsonOf, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { DialectEvent } from "../../../process/dialect.ts";

type Start = Extract<DialectEvent, { type: "tool_call_start" }>;
type Result = Extract<DialectEvent, { type: "tool_result" }>;

const KINDS: Readonly<Record<string, Start["kind"]>> = {
  shell: "execute",
  read: "read",
  ls: "read",
  glob: "search",
  grep: "search",
  semSearch: "search",
  edit: "edit",
  write: "edit",
  delete: "edit",
  task: "agent",
};

export function printedTool(nativeId: string, call: Fields): { readonly start: Start; readonly result: Result } {
  const key = Object.keys(call).find((name) => name.endsWith("ToolCall")) ?? "";
  const named = recordOf(call, "function");
  const body = key === "" ? named : recordOf(call, key);
  const name = key === "" ? (textOf(named, "name") ?? "tool") : key.replace(/ToolCall$/, "");
  const args = key === "" ? argumentsOf(named) : fieldsOf(body["args"]);
  const title = textOf(args, "command") ?? textOf(args, "path");
  return {
    start: {
      type: "tool_call_start",
      nativeId,
      name,
      args: jsonOf(args),
      kind: KINDS[name] ?? "other",
      ...(title === null ? {} : { title }),
    },
    result: resultOf(nativeId, body),
  };
}

function argumentsOf(named: Fields): Fields {
  try {
    return fieldsOf(JSON.parse(textOf(named, "arguments") ?? "{}"));
  } catch {
    // Half-written arguments say nothing.
    return {};
  }
}

const REFUSED = new Set(["rejected", "permissionDenied", "denied"]);

function resultOf(nativeId: string, body: Fields): Result {
  const result = recordOf(body, "result");
  const [how = "success"] = Object.keys(result);
  const inner = result[how];
  const text = resultText(inner);
  if (how === "success" || result["success"] !== undefined) {
    return { type: "tool_result", nativeId, ok: true, result: text };
  }
  const message = text === "" ? "it gave no reason" : text;
  const code = REFUSED.has(how) ? "tool_denied" : "tool_error";
  return { type: "tool_result", nativeId, ok: false, error: { code, message } };
}

function resultText(value: unknown): string {
  if (typeof value === "string") return value;
  const record = fieldsOf(value);
  const plain = ["output", "content", "errorMessage", "error", "reason", "message"].flatMap(
    (key) => textOf(record, key) ?? [],
  );
  const streams = [textOf(record, "stdout"), textOf(record, "stderr")].filter((text) => text !== null && text !== "");
  if (streams.length > 0) return streams.join("\n");
  if (plain[0] !== undefined) return plain[0];
  return Object.keys(record).length === 0 ? "" : JSON.stringify(record);
}
