/**
 * Claude Code's stream-json protocol in both directions, with its control requests, as pure functions.
 * One process serves its member for many turns; a turn ends with the program's `result`, except that the program goes
 * on by itself with messages that it has not taken up yet, and the turn with it. Unknown records are ignored: new ones
 * come with every release.
 */
import type { Dialect, DialectEvent, Known, Step } from "../../process/dialect.ts";
import type { ProcessEnd } from "../../process/supervised-process.ts";
import { askProgram } from "./control.ts";
import {
  encodeCompact,
  encodeInterrupt,
  encodeSteer,
  encodeTurn,
  handleLifecycle,
  type EncodeOptions,
} from "./encode.ts";
import { HOOKS, type HookRules } from "./hooks.ts";
import { readRecord, type Fields } from "../../record-fields.ts";
import { handleRateLimit, handleSystem, handleToolProgress, reportCompaction } from "./notices.ts";
import { encodeAnswer, handleCancel, handleControlRequest, handleControlResponse } from "./requests.ts";
import { handleAssistant, handleStreamEvent, handleUser } from "./messages.ts";
import { newState, step, type ClaudeState } from "./state.ts";
import { HOST_TOOL_SERVER } from "./tool-blocks.ts";
import { isUnknownSession, handleResult, unknownSession } from "./turn-end.ts";

export type ClaudeDialectOptions = EncodeOptions &
  HookRules & {
    /** What the project says to agents, beyond what the program reads by itself. */
    readonly notes?: () => string | null;
  };

export function createClaudeDialect(options: ClaudeDialectOptions): Dialect<ClaudeState> {
  return {
    begin: (known) => begin(known, options),
    parse: (state, line) => parse(state, line, options),
    encodeTurn: (state, input) => encodeTurn(state, input, options),
    encodeCompact: (state, focus) => encodeCompact(state, focus, options),
    encodeSteer: (state, input) => encodeSteer(state, input, options),
    encodeInterrupt,
    encodeAnswer,
    exited,
  };
}

function begin(known: Known, options: ClaudeDialectOptions): Step<ClaudeState> {
  const { model, isModelLaunched } = options;
  const appendSystemPrompt = options.notes?.() ?? null;
  const notes = appendSystemPrompt === null ? {} : { appendSystemPrompt };
  const request = { subtype: "initialize", sdkMcpServers: [HOST_TOOL_SERVER], hooks: HOOKS, ...notes };
  const asking = askProgram(newState(known, isModelLaunched ? model : null, options.isWritable), request, {
    what: "initialize",
  });
  return step(asking.state, [{ type: "not_ready" }, ...guardOf(known, options)], [asking.line]);
}

/** A sandbox is told of by whoever has built it. */
function guardOf({ isSandboxed }: Known, { isWritable }: ClaudeDialectOptions): DialectEvent[] {
  if (isSandboxed === true) return [];
  if (isWritable) return [{ type: "member_guard", guard: "asks_first" }];
  return [{ type: "member_guard", guard: "own_mode", detail: "it has no shell, and its edits are denied" }];
}

function parse(state: ClaudeState, line: string, options: ClaudeDialectOptions): Step<ClaudeState> {
  const record = readRecord(line);
  if (record === undefined) return step(state, [{ type: "unreadable" }]);
  if (state.compacted === null) return handleRecord(state, record, options);
  const compaction = reportCompaction(state, record, state.compacted);
  const handled = handleRecord(compaction.state, record, options);
  return { ...handled, events: [...(compaction.events ?? []), ...(handled.events ?? [])] };
}

function handleRecord(state: ClaudeState, record: Fields, options: ClaudeDialectOptions): Step<ClaudeState> {
  switch (record["type"]) {
    case "stream_event":
      return handleStreamEvent(state, record);
    case "assistant":
      return handleAssistant(state, record);
    case "user":
      return handleUser(state, record);
    case "system":
      return handleSystem(state, record);
    case "result":
      return handleResult(state, record);
    case "control_request":
      return handleControlRequest(state, record, options);
    case "control_response":
      return handleControlResponse(state, record);
    case "control_cancel_request":
      return handleCancel(state, record);
    case "command_lifecycle":
      return handleLifecycle(state, record);
    case "rate_limit_event":
      return handleRateLimit(state, record);
    case "tool_progress":
      return handleToolProgress(state, record);
    default:
      return step(state);
  }
}

/** A program that could not find its session may say so nowhere but in its last words. */
function exited(state: ClaudeState, end: ProcessEnd): Step<ClaudeState> {
  if (state.isReady || state.resumes === null || !isUnknownSession(end.stderr)) return step(state);
  return step(state, [{ type: "turn_over", ...unknownSession(state.resumes) }]);
}
