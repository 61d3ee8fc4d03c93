/**
 * Tool calls of Pi, its own and ours: announced while the model writes them, run, and ended with one result.
 * Guarantee: output is emitted in deltas although Pi repeats all of it with every update.
 */
import { hostTools, type DraftOf, type FileChange, type ToolErrorCode } from "../../../protocol/index.ts";
import { joinChanges } from "../../file-changes.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { fieldsOf, numberOf, recordsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { asJson } from "../../json-rpc/fields.ts";
import { changeOf } from "./patch.ts";
import { step, withEntry, withTurn, type PiSetup, type PiState, type ToolState, type TurnState } from "./state.ts";

type ToolKind = NonNullable<DraftOf<"tool_call_start">["kind"]>;

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  grep: "search",
  find: "search",
  ls: "search",
  edit: "edit",
  write: "edit",
  bash: "execute",
  powershell: "execute",
  codemode: "execute",
};

/** Read-only tools; every other needs approval, or is refused in a read-only session. */
export const READING_TOOLS: readonly string[] = ["read", "grep", "find", "ls"];

/** Run commands; a read-only session has them only inside a sandbox. */
export const SANDBOXED_TOOLS: readonly string[] = ["bash"];

const HOST_TOOLS: ReadonlySet<string> = new Set(hostTools.map((tool) => tool.name));

/** Overlap with the earlier output that must be found in Pi's repetition to tell the new part. */
const OVERLAP_CHARS = 200;

const NEW_TOOL: Omit<ToolState, "name"> = {
  hasArgs: false,
  isRunning: false,
  isDenied: false,
  output: "",
  change: undefined,
};

interface Call {
  readonly id: string;
  readonly name: string;
  /** Undefined while the model still writes them. */
  readonly args: unknown;
}

export function announceCall(state: PiState, { id, name, args }: Call): Step<PiState> {
  const known = state.turn?.tools.get(id);
  const hasArgs = args !== undefined;
  if (known === undefined) {
    const tool: ToolState = { ...NEW_TOOL, name, hasArgs };
    const kind = kindOf(name);
    return step(withTool(state, id, tool), [
      { type: "tool_call_start", nativeId: id, name, args: asJson(args ?? {}), kind },
    ]);
  }
  if (!hasArgs || known.hasArgs) return step(state);
  return step(withTool(state, id, { ...known, hasArgs }), [
    { type: "tool_call_update", nativeId: id, args: asJson(args) },
  ]);
}

export function startTool(state: PiState, record: Fields): Step<PiState> {
  const call = callOf(record);
  if (call === undefined) return step(state, [{ type: "unexpected", what: "a tool without an id began" }]);
  const announced = announceCall(state, call);
  const tool = announced.state.turn?.tools.get(call.id);
  if (tool === undefined) return announced;
  return step(withTool(announced.state, call.id, { ...tool, isRunning: true }), announced.events);
}

export function updateTool(state: PiState, turn: TurnState, record: Fields): Step<PiState> {
  const id = rawTextOf(record["toolCallId"]) ?? "";
  const tool = turn.tools.get(id);
  if (tool === undefined) return step(state);
  const output = resultText(fieldsOf(record["partialResult"]));
  const text = newPart(tool.output, output);
  if (text === "") return step(state);
  return step(withTool(state, id, { ...tool, output }), [{ type: "tool_output_delta", nativeId: id, text }]);
}

export function endTool(state: PiState, turn: TurnState, record: Fields, setup: PiSetup): Step<PiState> {
  const call = callOf(record);
  if (call === undefined) return step(state, [{ type: "unexpected", what: "a tool without an id ended" }]);
  const tool = turn.tools.get(call.id);
  if (tool === undefined) return step(state, [{ type: "unexpected", what: `tool call ${call.id} was not running` }]);
  const result = fieldsOf(record["result"]);
  // A denied call has not run, whatever Pi reports.
  const isError = record["isError"] === true || tool.isDenied;
  const change = isError ? undefined : changeOf(fieldsOf(result?.["details"]), tool.change);
  const next = withChange(withoutTool(state, call.id), change);
  const event: DialectEvent = {
    type: "tool_result",
    nativeId: call.id,
    ok: !isError,
    ...(isError
      ? {
          error: {
            code: turn.isAborting ? "tool_interrupted" : errorCode(tool, setup, state),
            message: errorText(result, tool),
          },
        }
      : { result: resultText(result) }),
    ...truncationOf(result),
    ...(change?.diff === undefined ? {} : { diff: change.diff }),
    ...duration(record["durationMs"]),
  };
  return step(next, [event]);
}

/** The answer was cut off: its incomplete calls are never made. */
export function dropCalls(state: PiState, code: ToolErrorCode): Step<PiState> {
  const turn = state.turn;
  if (turn === undefined) return step(state);
  const dropped = (turn.message?.tools ?? []).filter((id) => turn.tools.get(id)?.isRunning === false);
  const tools = new Map([...turn.tools].filter(([id]) => !dropped.includes(id)));
  const message = "the answer broke off before the tool was called";
  return step(
    withTurn(state, { tools }),
    dropped.map((nativeId) => ({ type: "tool_result", nativeId, ok: false, error: { code, message } })),
  );
}

export function withTool(state: PiState, id: string, tool: ToolState): PiState {
  return withTurn(state, { tools: withEntry(state.turn?.tools ?? new Map<string, ToolState>(), id, tool) });
}

function withoutTool(state: PiState, id: string): PiState {
  const tools = new Map(state.turn?.tools);
  tools.delete(id);
  return withTurn(state, { tools });
}

function withChange(state: PiState, change: FileChange | undefined): PiState {
  if (change === undefined || state.turn === undefined) return state;
  const { changes } = state.turn;
  return withTurn(state, {
    changes: withEntry(changes, change.path, joinChanges(changes.get(change.path), change)),
  });
}

function callOf(record: Fields): Call | undefined {
  const id = rawTextOf(record["toolCallId"]);
  const name = rawTextOf(record["toolName"]);
  return id === undefined || name === undefined ? undefined : { id, name, args: record["args"] };
}

function kindOf(name: string): ToolKind {
  if (!HOST_TOOLS.has(name)) return KINDS[name] ?? "other";
  return name.startsWith("agents_") ? "agent" : name.startsWith("ui_") || name === "user_question" ? "ask" : "other";
}

/** A tool that this member does not have was refused. */
function errorCode({ isDenied, name }: ToolState, { isWritable }: PiSetup, { isSandboxed }: PiState): ToolErrorCode {
  const isSandboxedTool = isSandboxed && SANDBOXED_TOOLS.includes(name);
  const isAllowed = isWritable || isSandboxedTool || READING_TOOLS.includes(name) || HOST_TOOLS.has(name);
  return isDenied || !isAllowed ? "tool_denied" : "tool_error";
}

function errorText(result: Fields | undefined, { name }: ToolState): string {
  const text = resultText(result);
  return text === "" ? `${name} failed and gave no reason.` : text;
}

function resultText(result: Fields | undefined): string {
  return recordsOf(result?.["content"])
    .map(
      (part) =>
        rawTextOf(part["text"]) ?? `[${rawTextOf(part["type"]) ?? "something"} ${rawTextOf(part["mimeType"]) ?? ""}]`,
    )
    .join("\n");
}

/** Part of `after` beyond `before`. Long output is repeated from a later start; then its end is matched. */
export function newPart(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const known = before.slice(-OVERLAP_CHARS);
  const at = after.lastIndexOf(known);
  return at === -1 ? `\n${after}` : after.slice(at + known.length);
}

function truncationOf(result: Fields | undefined): Partial<Extract<DialectEvent, { type: "tool_result" }>> {
  const truncation = fieldsOf(fieldsOf(result?.["details"])?.["truncation"]);
  const totalBytes = numberOf(truncation?.["totalBytes"]);
  const shownBytes = numberOf(truncation?.["outputBytes"]);
  if (truncation?.["truncated"] !== true || totalBytes === undefined || shownBytes === undefined) return {};
  return { truncated: { totalBytes: Math.round(totalBytes), shownBytes: Math.round(shownBytes) } };
}

function duration(value: unknown): { durationMs?: number } {
  const durationMs = numberOf(value);
  return durationMs === undefined || durationMs < 0 ? {} : { durationMs };
}
