/**
 * Output of `agent -p --output-format stream-json --stream-partial-output` as a dialect. Pure.
 * Text is streamed in chunks and then repeated as a whole, before each tool and once more at the end; the chunks are
 * emitted, and a whole is compared with them, never added to them.
 */
import { unseenWarning } from "../../attached.ts";
import { turnPrompt } from "../../turn-prompt.ts";
import { fieldsOf, recordOf, recordsOf, textOf, countOf, type Fields, jsonOf } from "../../json-rpc/fields.ts";
import type { Dialect, DialectEvent, Step, TurnOver } from "../../process/dialect.ts";
import { errored } from "../../process/turn-errors.ts";
import { isRecord } from "../../json-rpc/messages.ts";

type PrintStep = Step<PrintState>;

const UNCONFIRMED = "it does not say which mode it is in when it prints";

export function createPrintDialect({ member }: { readonly member: string }): Dialect<PrintState> {
  return {
    begin: ({ nativeSessionId, isSandboxed }) => ({
      state: { ...firstPrintState, resumes: nativeSessionId },
      events: isSandboxed === true ? [] : [{ type: "member_guard", guard: "unguarded", detail: UNCONFIRMED }],
    }),
    parse: (state, line) => parseLine(state, member, line),
    encodeTurn: (state, input) => ({
      state: { ...firstPrintState, resumes: state.resumes },
      events: unseenWarning(input),
      write: [turnPrompt(input)],
      endInput: true,
    }),
  };
}

function parseLine(state: PrintState, member: string, line: string): PrintStep {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Noise between the records, reported as such.
    return { state, events: [{ type: "unreadable" }] };
  }
  if (!isRecord(value)) return { state, events: [{ type: "unreadable" }] };
  switch (value["type"]) {
    case "system":
      return handleSession(state, member, value);
    case "assistant":
      return handleText(state, value);
    case "thinking":
      return handleThinking(state, value);
    case "tool_call":
      return handleTool(state, value);
    case "result":
      return handleResult(state, member, value);
    default:
      return { state };
  }
}

/** It silently replaces an unknown session by a new one. */
function handleSession(state: PrintState, member: string, record: Fields): PrintStep {
  const nativeSessionId = textOf(record, "session_id");
  if (nativeSessionId === undefined) return { state };
  const message = `${member} did not resume its session: its program started a new one, without the earlier conversation.`;
  const isLost = state.resumes !== undefined && state.resumes !== nativeSessionId;
  return {
    state: { ...state, resumes: nativeSessionId },
    events: [
      ...(isLost ? [{ type: "warning", code: "session_lost", message } as const] : []),
      { type: "member_session", nativeSessionId },
    ],
  };
}

function handleText(state: PrintState, record: Fields): PrintStep {
  const text = recordsOf(recordOf(record, "message"), "content")
    .map((part) => (part["type"] === "text" ? (textOf(part, "text") ?? "") : ""))
    .join("");
  if (text === "") return { state };
  const isDelta = record["timestamp_ms"] !== undefined && record["model_call_id"] === undefined;
  return isDelta ? appendDelta(state, text) : compareWhole(state, text);
}

function appendDelta(state: PrintState, text: string): PrintStep {
  return {
    state: { ...state, open: state.open + text, isThinking: false },
    events: [...thinkingDone(state), { type: "text_delta", text }],
  };
}

/** A whole text: of the passage, of everything so far, or, without chunks, the text itself. */
function compareWhole(state: PrintState, text: string): PrintStep {
  const passage = passageOf(state);
  const fullText = state.before + passage;
  const isKnown = text === passage || text === fullText || (passage === "" && fullText.endsWith(text));
  const rest = isKnown ? "" : (missing(text, fullText) ?? missing(text, passage));
  return rest === undefined ? replacePassage(state, text) : endPassage(appendRest(state, rest));
}

function appendRest(state: PrintState, rest: string): PrintStep {
  return rest === "" ? { state } : appendDelta(state, rest);
}

/** The whole takes precedence over its chunks. */
function replacePassage(state: PrintState, text: string): PrintStep {
  const done: DialectEvent = { type: "text_done", text };
  const next = { ...state, before: state.before + text, segments: [], open: "", isThinking: false };
  if (state.segments.length === 0) return { state: next, events: [done] };
  const count = state.segments.length + (state.open === "" ? 0 : 1);
  const back = Array.from({ length: count }, () => ({ type: "text_retracted", reason: "it was corrected" }) as const);
  return { state: next, events: [...thinkingDone(state), ...back, { type: "text_delta", text }, done] };
}

/** Part of a whole after its beginning; undefined when it begins differently. */
function missing(text: string, beginning: string): string | undefined {
  return text.startsWith(beginning) ? text.slice(beginning.length) : undefined;
}

/** Ends the open text; the passage may continue after a thought. */
function close(state: PrintState): PrintStep {
  if (state.open === "") return { state };
  return { state: { ...state, segments: [...state.segments, state.open], open: "" }, events: [{ type: "text_done" }] };
}

function endPassage({ state, events = [] }: PrintStep): PrintStep {
  const closed = close(state);
  const next = { ...closed.state, before: state.before + passageOf(state), segments: [] };
  return { state: next, events: [...events, ...(closed.events ?? [])] };
}

function handleThinking(state: PrintState, record: Fields): PrintStep {
  if (record["subtype"] === "completed") {
    return { state: { ...state, isThinking: false }, events: thinkingDone(state) };
  }
  const text = textOf(record, "text") ?? "";
  if (text === "") return { state };
  const closed = close(state);
  return {
    state: { ...closed.state, isThinking: true },
    events: [...(closed.events ?? []), { type: "thinking_delta", text }],
  };
}

function thinkingDone({ isThinking }: PrintState): DialectEvent[] {
  return isThinking ? [{ type: "thinking_done" }] : [];
}

function handleTool(state: PrintState, record: Fields): PrintStep {
  const nativeId = textOf(record, "call_id");
  if (nativeId === undefined) return { state };
  const { start, result } = printedTool(nativeId, recordOf(record, "tool_call"));
  const closed = endPassage({ state });
  const events: DialectEvent[] = [...thinkingDone(state), ...(closed.events ?? [])];
  const tools = new Set(state.tools);
  if (!tools.has(nativeId)) events.push(start);
  tools.add(nativeId);
  if (record["subtype"] === "completed") events.push(result);
  return { state: { ...closed.state, isThinking: false, tools }, events };
}

function handleResult(state: PrintState, member: string, record: Fields): PrintStep {
  const text = textOf(record, "result") ?? "";
  const isFailed = record["is_error"] === true || (record["subtype"] !== undefined && record["subtype"] !== "success");
  const rest = isFailed ? undefined : missing(text, state.before + passageOf(state));
  const step = appendRest(state, rest ?? "");
  const usage = printedUsage(record);
  const counted = usage === undefined ? {} : { usage };
  const over: TurnOver = isFailed ? { ...agentError(member, text), ...counted } : { outcome: "completed", ...counted };
  const ended = endPassage(step);
  return {
    state: ended.state,
    events: [...(ended.events ?? []), ...thinkingDone(ended.state), { type: "turn_over", ...over }],
  };
}

function agentError(member: string, text: string): TurnOver {
  const reason = text.trim() === "" ? "it gave no reason" : text.trim().replace(/\.$/, "");
  return errored({ code: "agent_error", message: `${member} failed: ${reason}.` });
}

function printedUsage(record: Fields): NonNullable<TurnOver["usage"]> | undefined {
  const usage = fieldsOf(record["usage"]);
  const inputTokens = countOf(usage, "inputTokens");
  const outputTokens = countOf(usage, "outputTokens");
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cacheRead = countOf(usage, "cacheReadTokens");
  const cacheWrite = countOf(usage, "cacheWriteTokens");
  return {
    inputTokens,
    outputTokens,
    ...(cacheRead === undefined ? {} : { cacheReadTokens: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWriteTokens: cacheWrite }),
  };
}

/** State of one printed turn. */
export interface PrintState {
  /** Session that the program was told to resume. */
  readonly resumes: string | undefined;
  /** Emitted text that is not closed yet. */
  readonly open: string;
  /** Earlier texts of the same passage, separated by thoughts; a whole text repeats all of them. */
  readonly segments: readonly string[];
  /** Text emitted in this turn before that passage. */
  readonly before: string;
  readonly isThinking: boolean;
  readonly tools: ReadonlySet<string>;
}

const firstPrintState: PrintState = {
  resumes: undefined,
  open: "",
  segments: [],
  before: "",
  isThinking: false,
  tools: new Set(),
};

/** Everything of the passage that a whole text would repeat now. */
function passageOf({ segments, open }: PrintState): string {
  return segments.join("") + open;
}

/** Tool call as printed by Cursor: `{"shellToolCall":{"args":…,"result":{"success":…}}}`. */
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

function printedTool(nativeId: string, call: Fields): { readonly start: Start; readonly result: Result } {
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
      ...(title === undefined ? {} : { title }),
    },
    result: resultOf(nativeId, body),
  };
}

function argumentsOf(named: Fields): Fields {
  try {
    return fieldsOf(JSON.parse(textOf(named, "arguments") ?? "{}"));
  } catch {
    // Incomplete arguments.
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
  const streams = [textOf(record, "stdout"), textOf(record, "stderr")].filter(
    (text) => text !== undefined && text !== "",
  );
  if (streams.length > 0) return streams.join("\n");
  if (plain[0] !== undefined) return plain[0];
  return Object.keys(record).length === 0 ? "" : JSON.stringify(record);
}
