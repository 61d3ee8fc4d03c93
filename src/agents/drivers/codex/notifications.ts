/** Notifications of Codex: items of the running turn, its end, and changes of the thread. Pure. */
import type { DialectEvent, TurnOver } from "../../process/dialect.ts";
import { errored } from "../../process/turn-errors.ts";
import { cleanTerminals, interruptSubagents } from "./calls.ts";
import { reportChanges, reportFileItems } from "./turn/diff-report.ts";
import { numberOf, recordOf, recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { describeLimits, asUsage, beginningOf, readTokens, tokensSince } from "./turn/tokens.ts";
import { WARNINGS_MAX, withTurn, type CodexState, type CodexStep, type CodexTurn } from "./state.ts";
import {
  breakOff,
  completeThinking,
  forgetUnfinished,
  handleTextDelta,
  handleThinkingDelta,
  retractBroken,
  completeItem,
} from "./turn/text.ts";
import { handleSubagentNotification } from "./turn/subagent-changes.ts";
import { isToolItem, toolResult, toolStart, reportUnapproved } from "./turn/tool-items.ts";
import { callError, turnError } from "./turn/errors.ts";
import { handleTurnStarted } from "./turn/start.ts";

type NotificationHandler = (state: CodexState, params: Fields, turn: CodexTurn) => CodexStep;

export function handleNotification(state: CodexState, method: string, params: Fields): CodexStep {
  const threadId = textOf(params, "threadId");
  // Subagents work in threads of their own; their work shows in the tool call that started them.
  if (threadId !== undefined && threadId !== state.threadId) {
    const next = handleSubagentNotification(state, threadId, method, params);
    // Started just before the interrupt: it would continue for nobody.
    const isUnwanted = method === "turn/started" && state.turn?.isStopRequested === true;
    return isUnwanted ? interruptSubagents(next) : { state: next };
  }
  const always = ALWAYS[method];
  if (always !== undefined) return always(state, params);
  const handle = IN_TURN[method];
  const { turn } = state;
  if (method === "turn/started" && turn !== undefined) return handleTurnStarted(state, params, turn);
  if (handle === undefined || turn === undefined || !isOfTurn(turn, params)) return { state };
  return handle(state, params, turn);
}

/**
 * An interrupted command may produce output after its turn, and a resumed thread reports the tokens of its last one.
 * Codex answers `turn/start` or sends `turn/started` before anything else of a turn.
 */
function isOfTurn(turn: CodexTurn, params: Fields): boolean {
  const turnId = textOf(params, "turnId") ?? textOf(recordOf(params, "turn"), "id");
  return turn.nativeId !== undefined && (turnId === undefined || turnId === turn.nativeId);
}

const ALWAYS: Readonly<Record<string, (state: CodexState, params: Fields) => CodexStep>> = {
  "thread/tokenUsage/updated": handleTokenUsage,
  "account/rateLimits/updated": handleRateLimits,
  warning: (state, params) => warn(state, textOf(params, "message")),
  guardianWarning: (state, params) => warn(state, textOf(params, "message")),
  configWarning: (state, params) => warn(state, textOf(params, "summary")),
  "thread/closed": handleThreadClosed,
};

/** The next turn opens it again. The running one ends now: nothing else would report its end. */
function handleThreadClosed(state: CodexState): CodexStep {
  const closed = { ...state, threadId: undefined };
  if (state.turn === undefined || !state.turn.isSent) return { state: closed };
  const over = state.turn.ending ?? callError(state.options.member, "go on", "Codex closed its thread");
  return { state: { ...closed, turn: undefined }, events: [{ type: "turn_over", ...over, ...usageOf(state.turn) }] };
}

const IN_TURN: Readonly<Record<string, NotificationHandler>> = {
  "item/started": handleItemStarted,
  "item/completed": handleItemCompleted,
  "item/agentMessage/delta": handleTextDelta,
  "item/plan/delta": handleTextDelta,
  "item/reasoning/summaryTextDelta": (state, params, turn) => handleThinkingDelta(state, params, turn, false),
  "item/reasoning/textDelta": (state, params, turn) => handleThinkingDelta(state, params, turn, true),
  "item/commandExecution/outputDelta": handleOutputDelta,
  "item/fileChange/outputDelta": handleOutputDelta,
  "item/fileChange/patchUpdated": handlePatchUpdated,
  "item/mcpToolCall/progress": handleToolProgress,
  "turn/plan/updated": handlePlanUpdated,
  "turn/diff/updated": (state, params) => ({ state: withTurn(state, { diff: textOf(params, "diff") ?? "" }) }),
  "model/rerouted": handleModelRerouted,
  error: handleError,
  "turn/completed": handleTurnCompleted,
};

/** Automatic or requested. The tokens left in the context are reported before this. */
function completeCompaction(state: CodexState, { compaction }: CodexTurn): CodexStep {
  const before = compaction?.before;
  const after = compaction?.isReported === true ? state.used : undefined;
  const compacted: DialectEvent = {
    type: "compacted",
    native: true,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  return { state: withTurn(state, { isCompacted: true, compaction: undefined }), events: [compacted] };
}

function handleItemStarted(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const item = recordOf(params, "item");
  const id = textOf(item, "id");
  if (id === undefined) return { state };
  switch (textOf(item, "type")) {
    case "reasoning":
      return { state, events: [{ type: "status", state: "thinking" }] };
    case "contextCompaction":
      return {
        state: withTurn(state, { compaction: { before: state.used, isReported: false } }),
        events: [{ type: "status", state: "working", detail: "compacting its context" }],
      };
    case "userMessage":
      return forgetUnfinished(state, turn);
    default: {
      const start = toolStart(id, item);
      if (start === undefined) return { state };
      const begun = withTurn(state, { tools: new Map(turn.tools).set(id, item), broken: undefined });
      return { state: begun, events: [...retractBroken(turn), start] };
    }
  }
}

function handleItemCompleted(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const item = recordOf(params, "item");
  const id = textOf(item, "id");
  if (id === undefined) return { state };
  switch (textOf(item, "type")) {
    case "agentMessage":
    case "plan":
      return completeItem(state, turn, "text", { itemId: id, text: textOf(item, "text") ?? "" });
    case "reasoning":
      return completeThinking(state, turn, id, item);
    case "contextCompaction":
      return completeCompaction(state, turn);
    default:
      return isToolItem(item) ? completeTool(state, turn, id, item) : { state };
  }
}

function completeTool(before: CodexState, turn: CodexTurn, id: string, item: Fields): CodexStep {
  const start = turn.tools.has(id) ? undefined : toolStart(id, item);
  const result = toolResult(id, item);
  const tools = new Map(turn.tools);
  tools.delete(id);
  const isMade = textOf(item, "type") === "fileChange" && result?.ok === true;
  const changes = isMade ? [...turn.changes, ...recordsOf(item, "changes")] : turn.changes;
  const { state, events: unaskedFor = [] } = reportUnapproved(before, turn, id, item);
  const events = [...[start, result].filter((event) => event !== undefined), ...unaskedFor];
  if (start === undefined) return { state: withTurn(state, { tools, changes }), events };
  return { state: withTurn(state, { tools, changes, broken: undefined }), events: [...retractBroken(turn), ...events] };
}

function handleOutputDelta(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const nativeId = textOf(params, "itemId") ?? "";
  const text = textOf(params, "delta") ?? "";
  if (!turn.tools.has(nativeId) || text === "") return { state };
  return { state, events: [{ type: "tool_output_delta", nativeId, text }] };
}

function handlePatchUpdated(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const nativeId = textOf(params, "itemId") ?? "";
  const before = turn.tools.get(nativeId);
  if (before === undefined) return { state };
  const item = { ...before, changes: params["changes"] };
  const start = toolStart(nativeId, item);
  const next = withTurn(state, { tools: new Map(turn.tools).set(nativeId, item) });
  if (start === undefined) return { state: next };
  const { args, title } = start;
  return {
    state: next,
    events: [{ type: "tool_call_update", nativeId, args, ...(title === undefined ? {} : { title }) }],
  };
}

function handleToolProgress(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const nativeId = textOf(params, "itemId") ?? "";
  const detail = textOf(params, "message");
  if (!turn.tools.has(nativeId) || detail === undefined) return { state };
  return { state, events: [{ type: "tool_call_update", nativeId, detail }] };
}

function handlePlanUpdated(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const explanation = textOf(params, "explanation");
  const items = recordsOf(params, "plan").map((step) => ({
    text: textOf(step, "step") ?? "",
    status: PLAN_STATES[textOf(step, "status") ?? ""] ?? "pending",
  }));
  const plan = { type: "plan_update", planId: turn.input.turnId, items } as const;
  return { state, events: [explanation === undefined ? plan : { ...plan, explanation }] };
}

const PLAN_STATES: Readonly<Record<string, "pending" | "in_progress" | "completed">> = {
  pending: "pending",
  inProgress: "in_progress",
  completed: "completed",
};

function handleModelRerouted(state: CodexState, params: Fields): CodexStep {
  const preferred = textOf(params, "fromModel") ?? "";
  const actual = textOf(params, "toModel") ?? "";
  return {
    state,
    events: [{ type: "model_fallback", preferred, actual, reason: textOf(params, "reason") ?? "rerouted" }],
  };
}

function handleError(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const error = recordOf(params, "error");
  if (params["willRetry"] !== true) return { state: withTurn(state, { error: error }) };
  const message = textOf(error, "message") ?? "";
  const reason = textOf(error, "additionalDetails") ?? message;
  const [, attempt = "1", of = attempt] = /(\d+)\/(\d+)/.exec(message) ?? [];
  const off = breakOff(state, turn, reason);
  const retrying: DialectEvent = { type: "retrying", attempt: Number(attempt), of: Number(of), delayMs: 0, reason };
  return { ...off, events: [...(off.events ?? []), retrying] };
}

function handleTurnCompleted(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const native = recordOf(params, "turn");
  const over = { ...overOf(state, turn, textOf(native, "status"), recordOf(native, "error")), ...usageOf(turn) };
  const events = turn.ending === undefined ? closingEvents(state, turn, over) : [];
  if (over.outcome === "interrupted") {
    const step = cleanTerminals(withTurn(state, { ending: over }));
    return { ...step, events };
  }
  return { state: { ...state, turn: undefined }, events: [...events, { type: "turn_over", ...over }] };
}

/**
 * Codex has nothing to interrupt. A turn that it had started is over, and is ended here in case `turn/completed` is
 * late; one that it had not started never was.
 */
export function endUninterrupted(state: CodexState): CodexStep {
  const { turn } = state;
  if (turn === undefined) return { state };
  const status = !turn.isBegun ? "interrupted" : turn.error === undefined ? "completed" : "failed";
  const ending = { ...overOf(state, turn, status, {}), ...usageOf(turn) };
  return { ...cleanTerminals(withTurn(state, { ending })), events: closingEvents(state, turn, ending) };
}

/** A completed turn has answered without the broken text; any other keeps it. */
function closingEvents({ options }: CodexState, turn: CodexTurn, { outcome }: TurnOver): DialectEvent[] {
  const report = reportChanges(turn.diff) ?? reportFileItems(turn.changes, options.cwd);
  return [...(outcome === "completed" ? retractBroken(turn) : []), ...(report === undefined ? [] : [report])];
}

function usageOf({ usage }: CodexTurn): Pick<TurnOver, "usage"> {
  return usage === undefined ? {} : { usage };
}

function overOf(state: CodexState, turn: CodexTurn, status: string | undefined, error: Fields): TurnOver {
  switch (status) {
    case "completed":
      return turn.isCompaction && !turn.isCompacted ? NOT_COMPACTED : { outcome: "completed" };
    case "interrupted":
      return { outcome: "interrupted", reason: "interrupted" };
    default:
      return turnError(state.options.member, Object.keys(error).length === 0 ? (turn.error ?? {}) : error);
  }
}

const NOT_COMPACTED = errored({ code: "not_compacted", message: "Codex gave no reason." });

function handleTokenUsage(state: CodexState, params: Fields): CodexStep {
  const reported = recordOf(params, "tokenUsage");
  const total = readTokens(recordOf(reported, "total"));
  const last = recordOf(reported, "last");
  const used = numberOf(last, "totalTokens") ?? 0;
  const window = numberOf(reported, "modelContextWindow");
  const context: DialectEvent[] =
    window === undefined || window <= 0
      ? []
      : [{ type: "context_update", used: Math.max(0, used), window, measured: true }];
  const { turn } = state;
  const counted = { ...state, total, used: numberOf(last, "totalTokens") ?? state.used };
  if (turn === undefined || !isOfTurn(turn, params)) {
    // Tokens of an earlier turn: the baseline of this one until it has used any.
    return { state: turn?.usage === undefined ? withTurn(counted, { before: total }) : counted, events: context };
  }
  // A resumed thread without earlier reports sends its old tokens with its first new ones.
  const begun = turn.before ?? tokensSince(total, readTokens(last));
  const before = state.total === undefined ? begun : beginningOf(begun, state.total, total);
  const usage = asUsage(tokensSince(total, before));
  const compaction = turn.compaction === undefined ? undefined : { ...turn.compaction, isReported: true };
  return { state: withTurn(counted, { before, usage, compaction }), events: [{ type: "usage", usage }, ...context] };
}

function handleRateLimits(state: CodexState, params: Fields): CodexStep {
  const text = describeLimits(recordOf(params, "rateLimits"));
  if (text === "" || text === state.limitsShown) return { state };
  return { state: { ...state, limitsShown: text }, events: [{ type: "ui_status", key: "codex-limits", text }] };
}

/** Each message once: Codex repeats some with every turn. */
export function warn(state: CodexState, message: string | undefined): CodexStep {
  if (message === undefined || state.warned.has(message) || state.warned.size >= WARNINGS_MAX) return { state };
  const warned = new Set(state.warned).add(message);
  return { state: { ...state, warned }, events: [{ type: "warning", code: "codex", message }] };
}
