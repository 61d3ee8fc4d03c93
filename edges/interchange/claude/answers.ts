/** The model's answers inside a turn: blocks become text, thinking and calls; counts become usage. */
import type { ToolErrorCode, Usage } from "../../../src/protocol/index.ts";
import { type TurnDraft } from "../../../src/host/index.ts";
import {
  amountOf,
  fieldsOf,
  listOf,
  numberOf,
  recordsOf,
  textOf,
  nonBlankText,
  type Fields,
} from "../../../src/kit/fields.ts";
import { answerIdOf, blocksOf, type ClaudeNode } from "./lines.ts";
import { resultText } from "./user-entry.ts";

const SYNTHETIC = "<synthetic>";
const NO_ANSWER = "No response requested.";
/** Prefix of our host tools in the program. */
const HOST_TOOLS_PREFIX = "mcp__roundtable__";
const DENIED = /^The user doesn't want to|^Permission to use|^User rejected|has been denied/;
const STOPPED = /interrupted by user|was interrupted/i;

export function addBlocks(turn: TurnDraft, node: ClaudeNode): void {
  const { ts, line } = node;
  const isAborted = wasCut(line);
  for (const block of blocksOf(node)) {
    switch (block["type"]) {
      case "text":
        turn.text(ts, textOf(block["text"]) ?? "", { interrupted: isAborted });
        break;
      case "thinking":
        turn.thinking(ts, textOf(block["thinking"]) ?? "");
        break;
      case "tool_use":
      case "server_tool_use":
        callTool(turn, ts, block);
        break;
      default:
        if (String(block["type"]).endsWith("_tool_result")) endTool(turn, ts, block, {});
    }
  }
}

/** The user stopped the answer. */
export function wasCut(line: Fields): boolean {
  return line["aborted"] === true || line["isAbortedMidStream"] === true;
}

function callTool(turn: TurnDraft, ts: number, block: Fields): void {
  const nativeId = textOf(block["id"]);
  const name = nonBlankText(block["name"]);
  if (nativeId === undefined || name === undefined) return;
  const own = name.startsWith(HOST_TOOLS_PREFIX) ? name.slice(HOST_TOOLS_PREFIX.length) : name;
  turn.call(ts, { nativeId, name: own, args: block["input"] ?? {} });
}

/** `line` contains the result: the text for the model and more facts. */
export function endTool(turn: TurnDraft, ts: number, block: Fields, line: Fields): void {
  const nativeId = textOf(block["tool_use_id"]);
  if (nativeId === undefined) return;
  const text = resultText(block["content"]);
  const ok = block["is_error"] !== true;
  turn.result(ts, nativeId, {
    ok,
    text,
    code: errorCode(text, line),
    diff: ok ? diffOf(line["toolUseResult"]) : undefined,
  });
}

function errorCode(text: string, line: Fields): ToolErrorCode {
  if (fieldsOf(line["permissionDecision"])?.["decision"] === "reject") return "tool_denied";
  // Not run because the turn was stopped, not denied.
  if (line["toolDenialKind"] === "user-rejected") return "tool_interrupted";
  return DENIED.test(text) ? "tool_denied" : STOPPED.test(text) ? "tool_interrupted" : "tool_error";
}

export function modelOf({ line }: ClaudeNode): string | undefined {
  const model = nonBlankText(fieldsOf(line["message"])?.["model"]);
  return model === SYNTHETIC ? undefined : model;
}

/** Written by the program, not by the model. */
export function isNoAnswer(node: ClaudeNode): boolean {
  const [block] = blocksOf(node);
  return fieldsOf(node.line["message"])?.["model"] === SYNTHETIC && block?.["text"] === NO_ANSWER;
}

/** Error message of the provider; undefined for an answer. */
export function failureOf(node: ClaudeNode): string | undefined {
  if (node.line["isApiErrorMessage"] !== true) return undefined;
  return blocksOf(node)
    .map((block) => textOf(block["text"]) ?? "")
    .join("\n");
}

export function stopReasonOf({ line }: ClaudeNode): string | undefined {
  return textOf(fieldsOf(line["message"])?.["stop_reason"]);
}

/** Every line of an answer repeats its counts; the last one is right. */
export function noteUsage(usages: Map<string, Usage>, node: ClaudeNode): void {
  const usage = fieldsOf(fieldsOf(node.line["message"])?.["usage"]);
  if (usage === undefined || modelOf(node) === undefined) return;
  const count = (key: string): number => amountOf(usage[key]) ?? 0;
  usages.set(answerIdOf(node) ?? node.id, {
    inputTokens: count("input_tokens"),
    outputTokens: count("output_tokens"),
    cacheReadTokens: count("cache_read_input_tokens"),
    cacheWriteTokens: count("cache_creation_input_tokens"),
  });
}

/** Diff of an edit, from the data stored beside a tool result. Undefined without a recorded change. */
function diffOf(toolUseResult: unknown): string | undefined {
  const result = fieldsOf(toolUseResult);
  const path = textOf(result?.["filePath"]);
  if (result === undefined || path === undefined || !Array.isArray(result["structuredPatch"])) return undefined;
  const heads = [`--- ${path}`, `+++ ${path}`];
  if (result["type"] === "create") {
    const lines = (textOf(result["content"]) ?? "").replace(/\n$/, "").split("\n");
    return [...heads, `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n");
  }
  const hunks = recordsOf(result["structuredPatch"]).map((hunk) => {
    const [oldStart, oldLines, newStart, newLines] = ["oldStart", "oldLines", "newStart", "newLines"].map(
      (key) => numberOf(hunk[key]) ?? 0,
    );
    const lines = listOf(hunk["lines"]).flatMap((line) => textOf(line) ?? []);
    return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join("\n");
  });
  return hunks.length === 0 ? undefined : [...heads, ...hunks].join("\n");
}
