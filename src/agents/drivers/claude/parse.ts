/**
 * Claude Code's stream-json protocol in both directions, with its control requests, as pure functions.
 * One process serves many turns of its member; a turn ends with the program's `result`, except that the program
 * continues with messages that it has not read yet, and the turn with it. Unknown records are ignored: each release
 * adds some.
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
import { parseFields, type Fields, fieldsOf, numberOf, rawTextOf, textsOf } from "../../../kit/fields.ts";
import { encodeAnswer, handleCancel, handleControlRequest, handleControlResponse } from "./requests.ts";
import { handleAssistant, handleStreamEvent, handleUser, breakOff, retractMessages } from "./messages.ts";
import { newState, step, type ClaudeState, currentTurn, withDenied, withTurn } from "./state.ts";
import { HOST_TOOL_SERVER } from "./tool-blocks.ts";
import { isUnknownSession, handleResult, unknownSession } from "./turn-end.ts";
import type { CompactedEvent } from "../../port.ts";

export type ClaudeDialectOptions = EncodeOptions &
  HookRules & {
    /** Notes of the project for agents that the program does not read itself. */
    readonly notes?: () => string | undefined;
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
  const appendSystemPrompt = options.notes?.();
  const notes = appendSystemPrompt === undefined ? {} : { appendSystemPrompt };
  const request = { subtype: "initialize", sdkMcpServers: [HOST_TOOL_SERVER], hooks: HOOKS, ...notes };
  const asking = askProgram(newState(known, isModelLaunched ? model : undefined, options.isWritable), request, {
    what: "initialize",
  });
  return step(asking.state, [{ type: "not_ready" }, ...guardOf(known, options)], [asking.line]);
}

/** A sandbox is reported by the process layer. */
function guardOf({ isSandboxed }: Known, { isWritable }: ClaudeDialectOptions): DialectEvent[] {
  if (isSandboxed === true) return [];
  if (isWritable) return [{ type: "member_guard", guard: "asks_first" }];
  return [{ type: "member_guard", guard: "own_mode", detail: "it has no shell, and its edits are denied" }];
}

function parse(state: ClaudeState, line: string, options: ClaudeDialectOptions): Step<ClaudeState> {
  const record = parseFields(line);
  if (record === undefined) return step(state, [{ type: "unreadable" }]);
  if (state.compacted === undefined) return handleRecord(state, record, options);
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

/** A program that could not find its session may report that on stderr only. */
function exited(state: ClaudeState, end: ProcessEnd): Step<ClaudeState> {
  if (state.isReady || state.resumes === undefined || !isUnknownSession(end.stderr)) return step(state);
  return step(state, [{ type: "turn_over", ...unknownSession(state.resumes) }]);
}

/** Utilization of a rate limit from which on it is shown. */
const UTILIZATION_SHOWN = 0.8;

function handleSystem(state: ClaudeState, record: Fields): Step<ClaudeState> {
  switch (record["subtype"]) {
    case "init":
      return handleInit(state, record);
    case "status":
      return handleStatus(state, record);
    case "api_retry":
      return handleRetry(state, record);
    case "permission_denied":
      return handleDenied(state, record);
    case "model_fallback":
    case "model_refusal_fallback":
      return handleFallback(state, record);
    case "informational":
      return step(state, noticeOf(record));
    case "compact_boundary":
      return handleCompacted(state, fieldsOf(record["compact_metadata"]) ?? {});
    default:
      return step(state);
  }
}

function handleRateLimit(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const info = fieldsOf(record["rate_limit_info"]) ?? {};
  const status = rawTextOf(info["status"]) ?? "allowed";
  const type = rawTextOf(info["rateLimitType"]) ?? "";
  const window = fieldsOf(fieldsOf(info["unifiedWindows"])?.[type]) ?? {};
  const utilization = numberOf(info["utilization"]) ?? numberOf(window["utilization"]) ?? 0;
  const isWorthAWord = status !== "allowed" || utilization >= UTILIZATION_SHOWN;
  const text = isWorthAWord
    ? formatLimit({ type, utilization, status, resetsAt: numberOf(info["resetsAt"]) })
    : undefined;
  if (text === undefined && !state.isLimitShown) return step(state);
  const events: DialectEvent[] = [{ type: "ui_status", key: "rate_limit", text: text ?? null }];
  if (text !== undefined && status !== "allowed")
    events.push({ type: "warning", code: "rate_limit", message: `${text}.` });
  return step({ ...state, isLimitShown: text !== undefined }, events);
}

/** A progress record of a long-running tool is a sign of life. */
function handleToolProgress(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  const ids = [rawTextOf(record["parent_tool_use_id"]), rawTextOf(record["tool_use_id"])];
  const nativeId = ids.find((id) => id !== undefined && turn?.tools.has(id) === true);
  const seconds = numberOf(record["elapsed_time_seconds"]);
  if (nativeId === undefined || seconds === undefined) return step(state);
  return step(state, [{ type: "tool_call_update", nativeId, detail: `running for ${Math.round(seconds)} s` }]);
}

/** Arrives with every turn, after the hook for its prompt and before the model is called. */
function handleInit(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const { turn } = state;
  if (!state.isHooked && turn !== undefined && turn.uuid !== undefined && !turn.isCompaction && !turn.isUnhooked) {
    const stopped = encodeInterrupt(withTurn(state, { ...turn, isUnhooked: true }));
    return { ...stopped, events: [...(stopped.events ?? []), { type: "member_guard", guard: "unguarded" }] };
  }
  const sessionId = rawTextOf(record["session_id"]);
  // Reported once.
  if (sessionId === undefined || sessionId === state.sessionId) return step(state);
  return step({ ...state, sessionId }, [{ type: "member_session", nativeSessionId: sessionId }]);
}

/** Automatic, in the middle of a turn, or requested. The next record has the summary. */
function handleCompacted(state: ClaudeState, facts: Fields): Step<ClaudeState> {
  const before = numberOf(facts["pre_tokens"]);
  const after = numberOf(facts["post_tokens"]);
  const compacted: CompactedEvent = {
    type: "compacted",
    native: true,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  const { turn } = state;
  const marked = turn === undefined ? state : withTurn(state, { ...turn, compacted: { after: after } });
  return step({ ...marked, compacted });
}

/** Emitted as soon as it is known whether a summary follows. */
function reportCompaction(state: ClaudeState, record: Fields, compacted: CompactedEvent): Step<ClaudeState> {
  const content = record["type"] === "user" ? fieldsOf(record["message"])?.["content"] : undefined;
  const summary = record["isSynthetic"] === true ? (rawTextOf(content) ?? "").trim() : "";
  return step({ ...state, compacted: undefined }, [{ ...compacted, ...(summary === "" ? {} : { summary }) }]);
}

function handleStatus(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const mode = rawTextOf(record["permissionMode"]);
  if (mode !== undefined) {
    return step(state, [{ type: "ui_status", key: "permission_mode", text: mode === "default" ? null : mode }]);
  }
  const turn = currentTurn(state);
  if (turn === undefined) return step(state);
  if (record["compact_result"] === "failed") {
    return step(
      state.turn === undefined
        ? state
        : withTurn(state, { ...turn, compactError: rawTextOf(record["compact_error"]) ?? "" }),
    );
  }
  if (record["status"] === "requesting") return step(state, [{ type: "status", state: "thinking" }]);
  if (record["status"] === "compacting")
    return step(state, [{ type: "status", state: "working", detail: "compacting" }]);
  return step(state);
}

function handleRetry(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  if (turn === undefined) return step(state);
  const broken = breakOff(state, turn, "the answer broke off");
  const status = numberOf(record["error_status"]);
  const error = rawTextOf(record["error"]) ?? "unknown";
  const retrying: DialectEvent = {
    type: "retrying",
    attempt: numberOf(record["attempt"]) ?? 1,
    of: numberOf(record["max_retries"]) ?? 1,
    delayMs: numberOf(record["retry_delay_ms"]) ?? 0,
    reason:
      status === undefined ? (RETRY_REASONS[error] ?? error) : `${RETRY_REASONS[error] ?? error} (HTTP ${status})`,
  };
  return step(broken.state, [...(broken.events ?? []), retrying]);
}

const RETRY_REASONS: Readonly<Record<string, string | undefined>> = {
  unknown: "the connection failed",
  rate_limit: "a rate limit was reached",
  server_error: "the model's server failed",
  overloaded: "the model's server is overloaded",
  authentication_failed: "the login was refused",
};

function handleDenied(state: ClaudeState, record: Fields): Step<ClaudeState> {
  return step(withDenied(state, rawTextOf(record["tool_use_id"])));
}

/** Another model answers; text of the first one is retracted where the program says so. */
function handleFallback(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  const back = turn === undefined ? undefined : retractMessages(turn, textsOf(record["retracted_message_uuids"]));
  const events = [...(back?.events ?? []), ...fallbackOf(record)];
  return step(back === undefined || back.turn === turn ? state : withTurn(state, back.turn), events);
}

/** Notices that the program itself would show; it hides other levels or shows them as tips. */
function noticeOf(record: Fields): DialectEvent[] {
  const message = (rawTextOf(record["content"]) ?? "").trim();
  const isShown = record["level"] === "notice" || record["level"] === "warning";
  return isShown && message !== "" ? [{ type: "warning", code: "claude", message }] : [];
}

function fallbackOf(record: Fields): DialectEvent[] {
  const preferred = rawTextOf(record["original_model"]);
  const actual = rawTextOf(record["fallback_model"]);
  if (preferred === undefined || actual === undefined || preferred === actual) return [];
  return [{ type: "model_fallback", preferred, actual, reason: rawTextOf(record["trigger"]) ?? "unknown" }];
}

interface Limit {
  readonly type: string;
  readonly status: string;
  readonly utilization: number;
  readonly resetsAt: number | undefined;
}

function formatLimit({ type, status, utilization, resetsAt }: Limit): string {
  const name = `${type === "" ? "usage" : type.replaceAll("_", "-")} limit`;
  const used = status === "rejected" ? "reached" : `${Math.round(utilization * 100)} % used`;
  const until = resetsAt === undefined ? "" : `, resets at ${new Date(resetsAt * 1000).toISOString().slice(0, 16)}Z`;
  return `${name}: ${used}${until}`;
}
