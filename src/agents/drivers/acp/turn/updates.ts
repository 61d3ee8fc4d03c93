/** Updates of a running turn (`session/update`) as events. Pure. */
import type { DialectEvent } from "../../../process/dialect.ts";
import { countOf, recordOf, recordsOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { updateCommands } from "../session/compaction.ts";
import {
  captureErrorText,
  handleThreadStatus,
  isUnfinishedBefore,
  listedTodos,
  parseCopilotNotice,
  parsePiRetry,
  thoughtText,
  isAgent,
} from "../agent-quirks.ts";
import { modeChanged, reportedMode } from "../session/modes.ts";
import type { AcpOptions } from "../options.ts";
import { closeSegment, retract, turnTo } from "./segments.ts";
import { andThen, withTurn, type AcpState, type AcpStep, type EmittedText } from "../state.ts";
import { handleToolCall } from "../tools/calls.ts";

export function handleUpdate(state: AcpState, { member }: Pick<AcpOptions, "member">, params: Fields): AcpStep {
  const update = recordOf(params, "update");
  // Subagents use sessions of their own; their text is not the member's.
  const isOurs = textOf(params, "sessionId") === state.sessionId;
  if (textOf(update, "sessionUpdate") === "available_commands_update") {
    return { state: isOurs || state.sessionId === undefined ? updateCommands(state, update) : state };
  }
  if (!isOurs || state.isReplaying) return { state };
  const mode = reportedMode(state, update);
  if (mode !== undefined) return modeChanged(state, member, mode);
  const step = handleUpdateKind(state, update);
  const kind = textOf(update, "sessionUpdate") ?? "";
  if (!BESIDE_TEXT.has(kind)) return step;
  return { ...step, state: kind === "usage_update" ? countUsageReport(step.state) : noteWork(step.state, kind) };
}

function countUsageReport(state: AcpState): AcpState {
  const { usagesSinceText: usages, isUsageReportedAtStart = false, hasContent = false } = state.turn ?? {};
  return withTurn(state, {
    usagesSinceText: usages === undefined ? undefined : usages + 1,
    isUsageReportedAtStart: isUsageReportedAtStart || !hasContent,
  });
}

function noteWork(state: AcpState, kind: string): AcpState {
  const begun = kind === "tool_call" ? { textsSinceCall: 0 } : {};
  return withTurn(state, {
    usagesSinceText: kind === "agent_message_chunk" ? 0 : undefined,
    isWorkSince: true,
    ...begun,
  });
}

/** Updates that may arrive in the middle of a text; all others are part of an answer or end it. */
const BESIDE_TEXT: ReadonlySet<string> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "usage_update",
]);

function handleUpdateKind(state: AcpState, update: Fields): AcpStep {
  switch (textOf(update, "sessionUpdate")) {
    case "agent_message_chunk":
      return handleTextChunk(state, update);
    case "agent_thought_chunk":
      return handleThoughtChunk(state, update);
    case "tool_call":
    case "tool_call_update":
      if (isOfLeftTool(state, update)) return { state };
      if (!isPromptSent(state)) return outOfTurn(state, "it continued with a tool after its turn");
      return andThen(closeSegment(state), (closed) => handleToolUpdate(closed, update));
    case "plan":
      return { state, events: planEvents(state, recordsOf(update, "entries")) };
    case "usage_update":
      return handleUsage(state, update);
    case "session_info_update":
      return handleThreadStatus(state, update);
    default:
      // Modes, titles and future additions: nothing to show.
      return { state };
  }
}

/** Updates before the prompt was sent belong to the previous turn. */
function isPromptSent({ turn }: AcpState): boolean {
  return turn?.isSent === true;
}

/** Some agents report the end of a call that was stopped with its turn only after that. */
function isOfLeftTool({ leftTools, turn }: AcpState, update: Fields): boolean {
  const id = textOf(update, "toolCallId") ?? "";
  const isNew = textOf(update, "sessionUpdate") === "tool_call" || turn?.tools.has(id) === true;
  return leftTools.has(id) && !isNew;
}

function handleToolUpdate(state: AcpState, update: Fields): AcpStep {
  const todos = listedTodos(state, update);
  const step = handleToolCall(state, update);
  return todos.length === 0 ? step : { ...step, events: [...(step.events ?? []), ...planEvents(step.state, todos)] };
}

function handleTextChunk(state: AcpState, update: Fields): AcpStep {
  const text = textOf(recordOf(update, "content"), "text");
  if (text === undefined) return { state, events: unshown(update) };
  if (state.greeting !== undefined && text === state.greeting) return { state: { ...state, greeting: undefined } };
  if (!isPromptSent(state)) return text === "" ? { state } : outOfTurn(state, "it sent text after its turn");
  const errorStep = captureErrorText(state, update, text);
  if (errorStep !== undefined) return errorStep;
  const retry = parsePiRetry(state, text) ?? parseCopilotNotice(state, text);
  if (retry !== undefined) return retry;
  const chunk: TextChunk = { kind: "text", messageId: textOf(update, "messageId"), text };
  const rest = restOfRepeated(state, chunk);
  if (rest === undefined) return emitText(rememberEmitted(state, chunk), chunk);
  return andThen(emitText(state, { ...chunk, text: rest }), (next) => endEmitted(next, "text"));
}

function emitText(state: AcpState, { messageId, text }: TextChunk): AcpStep {
  // An empty chunk neither starts nor ends a text.
  if (text === "") return { state };
  const before = state.turn?.messageId;
  const isNewSegment = messageId !== before && before !== undefined;
  const turned = isRestarted(state, messageId) ? retract(state) : turnTo(state, "text", { isNewSegment });
  return andThen(turned, (ready) => ({
    state: withTurn(ready, { segment: "text", messageId, hasContent: true, textHead: headOf(ready, text) }),
    events: [{ type: "text_delta", text }],
  }));
}

/** Another message starts where the previous one was cut off. */
function isRestarted(state: AcpState, messageId: string | undefined): boolean {
  const before = state.turn?.messageId;
  return messageId !== undefined && before !== undefined && messageId !== before && isUnfinishedBefore(state);
}

const TEXT_HEAD_CHARS = 400;

function headOf(state: AcpState, text: string): string {
  const head = state.turn?.textHead ?? "";
  return head.length >= TEXT_HEAD_CHARS ? head : (head + text).slice(0, TEXT_HEAD_CHARS);
}

function handleThoughtChunk(state: AcpState, update: Fields): AcpStep {
  const text = thoughtText(state, textOf(recordOf(update, "content"), "text") ?? "");
  if (!isPromptSent(state) || text === "") return { state };
  const chunk: TextChunk = { kind: "thinking", messageId: textOf(update, "messageId"), text };
  const rest = restOfRepeated(state, chunk);
  if (rest === undefined) return emitThought(rememberEmitted(state, chunk), chunk);
  return andThen(emitThought(state, { ...chunk, text: rest }), (next) => endEmitted(next, "thinking"));
}

function emitThought(state: AcpState, { messageId, text }: TextChunk): AcpStep {
  if (text === "") return { state };
  const turned = isRestarted(state, messageId) ? retract(state) : { state };
  const ready = andThen(turned, (next) => turnTo(next, "thinking", { isNewSegment: false }));
  return andThen(ready, (next) => ({
    state: withTurn(next, { hasContent: true }),
    events: [{ type: "thinking_delta", text }],
  }));
}

function unshown(update: Fields): DialectEvent[] {
  const { type, uri } = recordOf(update, "content");
  const what = typeof type === "string" ? type : "an update of an unknown type";
  const where = typeof uri === "string" ? ` (${uri})` : "";
  return [{ type: "ui_notify", message: `It sent ${what}${where}, which is not shown.`, notifyType: "info" }];
}

function outOfTurn(state: AcpState, what: string): AcpStep {
  return { state, events: [{ type: "unexpected", what }] };
}

const PLAN_STATES = new Set(["pending", "in_progress", "completed"]);

/** One plan per turn, emitted as a whole each time. */
function planEvents(state: AcpState, entries: readonly Fields[]): DialectEvent[] {
  if (state.turn === undefined) return [];
  const items = entries.map((entry) => {
    const status = textOf(entry, "status") ?? "";
    return {
      text: textOf(entry, "content") ?? "",
      status: (PLAN_STATES.has(status) ? status : "pending") as "pending" | "in_progress" | "completed",
    };
  });
  return [{ type: "plan_update", planId: state.turn.input.turnId, items }];
}

function handleUsage(state: AcpState, update: Fields): AcpStep {
  const used = countOf(update, "used");
  const window = countOf(update, "size");
  const cost = recordOf(update, "cost");
  const amount = textOf(cost, "currency") === "USD" ? countOf(cost, "amount") : undefined;
  const next = amount === undefined ? state : { ...state, costUsd: amount };
  if (used === undefined || window === undefined || window === 0) return { state: next };
  return { state: { ...next, used }, events: [{ type: "context_update", used, window, measured: true }] };
}

const CLAUDE = /claude-(agent|code)-acp$/;
/** Minimum length of a chunk that repeats everything before it; shorter repetitions are coincidence. */
const REPEATED_CHARS_MIN = 20;
const REPEATED_CHUNKS_MIN = 3;

interface TextChunk {
  readonly kind: "text" | "thinking";
  readonly messageId: string | undefined;
  readonly text: string;
}

/**
 * New part of a chunk; undefined when it repeats nothing. claude-agent-acp streams a text and then sends it once more
 * as a whole, where it has lost the id of a message in its middle: mostly the chunks have none then, and the whole has.
 * Such a whole is compared with what was emitted, never added to it.
 */
function restOfRepeated(state: AcpState, { kind, messageId, text }: TextChunk): string | undefined {
  const emitted = state.turn?.emitted[kind];
  if (emitted === undefined) return undefined;
  if (emitted.messageId === undefined && messageId !== undefined) {
    return text.startsWith(emitted.text) ? text.slice(emitted.text.length) : undefined;
  }
  const isLong = emitted.chunks >= REPEATED_CHUNKS_MIN && text.length >= REPEATED_CHARS_MIN;
  return isLong && emitted.messageId === messageId && emitted.text === text ? "" : undefined;
}

/** Stores what was emitted, for the only agent that repeats it. */
function rememberEmitted(state: AcpState, { kind, messageId, text }: TextChunk): AcpState {
  const { turn } = state;
  if (turn === undefined || text === "" || !isAgent(state, CLAUDE)) return state;
  const before = turn.emitted[kind];
  const isMore = before !== undefined && before.messageId === messageId && turn.segment === kind;
  const now: EmittedText = isMore
    ? { messageId, text: before.text + text, chunks: before.chunks + 1 }
    : { messageId, text, chunks: 1 };
  return withTurn(state, { emitted: { ...turn.emitted, [kind]: now } });
}

/** It was repeated as a whole, so it is over. */
function endEmitted(state: AcpState, kind: TextChunk["kind"]): AcpStep {
  if (state.turn === undefined) return { state };
  const forgotten = withTurn(state, { emitted: { ...state.turn.emitted, [kind]: undefined } });
  return state.turn.segment === kind ? closeSegment(forgotten) : { state: forgotten };
}
