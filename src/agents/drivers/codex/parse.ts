/**
 * One member's thread of a Codex app-server as a dialect. Pure.
 * Guarantees: a turn ends by `turn/completed` only, after an interrupt when its remaining processes were cleaned up;
 * messages about other turns or threads change nothing; a request of Codex is always answered.
 */
import { answerLine, callIdOf, hold, release, settleCall } from "../../json-rpc/exchange.ts";
import { readRpc, type RpcMessage } from "../../json-rpc/messages.ts";
import type { AnswerResult, SteerInput, TurnInput } from "../../port.ts";
import type { Dialect, DialectEvent } from "../../process/dialect.ts";
import {
  denialOf,
  encodeAnswer,
  refuseRequest,
  understandRequest,
  type RequestContext,
  type PendingRequest,
} from "./requests.ts";
import { sessionLost, withColdStart } from "../../turn-prompt.ts";
import type { CodexKnown } from "./config/member-facts.ts";
import { offerModels } from "../../offered-models.ts";
import {
  compactThread,
  interruptSubagents,
  interruptTurn,
  listModels,
  openThread,
  injectIntoTurn,
  startTurn,
  steerTurn,
  unmetSetting,
  WHOLE_HISTORY,
} from "./calls.ts";
import { fieldsOf, recordOf, recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { endUninterrupted, handleNotification, warn } from "./notifications.ts";
import {
  andThen,
  initialState,
  openTurn,
  withTurn,
  type Call,
  type CodexOptions,
  type CodexState,
  type CodexStep,
  type CodexTurn,
} from "./state.ts";
import { subagentChange } from "./turn/subagent-changes.ts";
import { NO_TOKENS } from "./turn/tokens.ts";
import { interruptLater, identifyTurn } from "./turn/start.ts";
import { callError } from "./turn/errors.ts";

type Request = Extract<RpcMessage, { kind: "request" }>;

export function createCodexDialect(options: CodexOptions): Dialect<CodexState> {
  return {
    begin: (known: CodexKnown) => begin(options, known),
    parse: (state, line) => parse(state, readRpc(line)),
    encodeTurn,
    encodeCompact,
    encodeSteer,
    encodeInterrupt,
    encodeAnswer: answerRequest,
  };
}

/** Our sandbox is reported by the process layer. */
function begin(options: CodexOptions, { nativeSessionId, facts }: CodexKnown): CodexStep {
  const state = initialState(options, nativeSessionId, facts);
  if (facts === undefined) return { state };
  if (!facts.isSandboxed) return { state, events: [{ type: "member_guard", ...facts.guard }] };
  const message = `Commands that ${facts.rules} allows run without asking, and deny rules do not stop ${options.member} there.`;
  return { state, events: facts.rules === undefined ? [] : [{ type: "warning", code: "own_rules", message }] };
}

function parse(state: CodexState, message: RpcMessage): CodexStep {
  switch (message.kind) {
    case "unreadable":
      // Noise of a shared program is reported by members that wait for it.
      return state.turn === undefined ? { state } : { state, events: [{ type: "unreadable" }] };
    case "notification":
      return message.method === "serverRequest/resolved"
        ? withdraw(state, message.params)
        : handleNotification(state, message.method, message.params);
    case "request":
      return handleRequest(state, message);
    default: {
      const { exchange, call } = settleCall(state.exchange, message.id);
      if (call === undefined) return { state };
      const settled = { ...state, exchange };
      if ("turnId" in call && call.turnId !== state.turn?.input.turnId) return { state: settled };
      if (message.kind === "error") return refused(settled, call, message.error.message);
      return handleResult(settled, call, fieldsOf(message.result));
    }
  }
}

function handleResult(state: CodexState, call: Call, result: Fields): CodexStep {
  switch (call.kind) {
    case "open_thread":
      return threadOpened(state, result, call);
    case "models":
      return { state, events: offerModels(recordsOf(result, "data").map(asOffered)) };
    case "turn":
      return handleTurnResponse(state, textOf(recordOf(result, "turn"), "id"));
    case "steer":
      return { state, events: [{ type: "steered", messageId: call.messageId }] };
    case "clean":
      return cleaned(state);
    default:
      // An interrupt or a compaction was accepted; the turn it is about follows.
      return { state };
  }
}

function refused(state: CodexState, call: Call, reason: string): CodexStep {
  const { member } = state.options;
  switch (call.kind) {
    case "open_thread":
      if (call.isResume) return startNewThread(state, reason);
      // A Codex that does not know the setting stores the thread as it likes.
      if (!call.isPlain && reason.includes(WHOLE_HISTORY)) return openThread(state, true);
      return failTurn(state, "open a thread", reason);
    case "models":
      // Not every server has a list; then there is no choice.
      return { state };
    case "compact":
      return failTurn(state, "compact its context", reason);
    case "turn":
      return failTurn(state, "take the turn", reason);
    case "steer":
      // Rejected: the session delivers the message again.
      return { state };
    case "aside":
      return { state };
    case "interrupt":
      return (call.isAfterStart ? undefined : interruptLater(state)) ?? endUninterrupted(state);
    default: {
      const message = `${member} could not end the commands that the turn left running: ${reason}`;
      const warning: DialectEvent = { type: "warning", code: "left_behind", message };
      return prepend([warning], cleaned(state));
    }
  }
}

const INTERRUPTED = { outcome: "interrupted", reason: "interrupted" } as const;

function threadOpened(state: CodexState, result: Fields, { isResume }: { readonly isResume: boolean }): CodexStep {
  const thread = recordOf(result, "thread");
  const threadId = textOf(thread, "id");
  if (threadId === undefined) return failTurn(state, "open a thread", "its answer names none");
  const missing = unmetSetting(state, result);
  if (missing !== undefined) return failTurn(state, "open a thread as it was asked to", missing);
  // An earlier thread may have been started in another directory.
  const threadCwd = isResume ? undefined : textOf(thread, "cwd");
  const opened = { ...(isResume ? state : resetCounts(state)), threadId, threadCwd, knownThreadId: threadId };
  const events: DialectEvent[] = [{ type: "member_session", nativeSessionId: threadId }];
  const begun = opened.turn === undefined ? { state: opened } : beginTurn(opened, threadId, opened.turn);
  return prepend(events, andThen(begun, listModels));
}

/** Usage of an earlier thread is no part of a new one. */
function resetCounts(state: CodexState): CodexState {
  return withTurn({ ...state, total: NO_TOKENS, used: undefined }, { before: NO_TOKENS });
}

function beginTurn(state: CodexState, threadId: string, { input, isCompaction }: CodexTurn): CodexStep {
  return isCompaction ? compactThread(state, threadId) : startTurn(state, threadId, input);
}

/** `model` is what a turn is given; `id` names the entry of the catalogue. */
function asOffered({ model, displayName, description }: Fields): { id: unknown; name: unknown; description: unknown } {
  return { id: model, name: displayName, description };
}

function startNewThread(state: CodexState, reason: string): CodexStep {
  const { turn } = state;
  // A new thread has nothing to compact; the next turn reports its failure itself.
  if (turn?.isCompaction === true) return failTurn(state, "go on with its earlier session", reason);
  const restarted = turn === undefined ? state : withTurn(state, { input: withColdStart(turn.input) });
  return prepend([sessionLost(state.options.member, reason)], openThread({ ...restarted, knownThreadId: undefined }));
}

function failTurn(state: CodexState, what: string, reason: string): CodexStep {
  if (state.turn === undefined) return { state };
  const over = callError(state.options.member, what, reason);
  return { state: { ...state, turn: undefined }, events: [{ type: "turn_over", ...over }] };
}

function handleTurnResponse(state: CodexState, nativeId: string | undefined): CodexStep {
  if (nativeId !== undefined) return identifyTurn(state, nativeId);
  // It may have started before it was answered.
  return state.turn?.nativeId === undefined ? failTurn(state, "take the turn", "its answer names none") : { state };
}

function cleaned(state: CodexState): CodexStep {
  const over = state.turn?.ending;
  if (over === undefined) return { state };
  return { state: { ...state, turn: undefined }, events: [{ type: "turn_over", ...over }] };
}

function encodeTurn(state: CodexState, input: TurnInput): CodexStep {
  // Requests of the previous turn are cancelled; their answers would come too late.
  const exchange = { ...state.exchange, pending: new Map() };
  const next = { ...state, exchange, turn: openTurn(input, state.total) };
  if (state.threadId !== undefined) return startTurn(next, state.threadId, input);
  return isOpening(state) ? { state: next } : openThread(next);
}

/** A thread that is still being opened for an earlier turn takes this one when it is open. */
function isOpening({ exchange }: CodexState): boolean {
  return [...exchange.calls.values()].some((call) => call.kind === "open_thread");
}

function encodeCompact(state: CodexState, focus: string | undefined): CodexStep {
  const turnId = `compaction-${state.exchange.nextNumber}`;
  const turn = { ...openTurn({ kind: "turn", turnId, text: "", attachments: [] }, state.total), isCompaction: true };
  const next = { ...state, turn };
  const message = `Codex accepts no compaction instructions, so ${state.options.member} compacts its context without them.`;
  const unheard: DialectEvent[] = focus === undefined ? [] : [{ type: "warning", code: "focus_unheard", message }];
  if (state.threadId !== undefined) return prepend(unheard, compactThread(next, state.threadId));
  return prepend(unheard, isOpening(state) ? { state: next } : openThread(next));
}

function encodeSteer(state: CodexState, input: SteerInput): CodexStep {
  const { turn } = state;
  if (turn === undefined || turn.isStopRequested) return { state };
  if (turn.nativeId === undefined) return { state: withTurn(state, { steers: [...turn.steers, input] }) };
  return steerTurn(state, turn.nativeId, input);
}

function encodeInterrupt(state: CodexState): CodexStep {
  const { turn } = state;
  if (turn === undefined || turn.isStopRequested) return { state };
  if (!turn.isSent) return { state: { ...state, turn: undefined }, events: [{ type: "turn_over", ...INTERRUPTED }] };
  const stopping = withTurn(state, { isStopRequested: true });
  const own = turn.nativeId === undefined ? { state: stopping } : interruptTurn(stopping, turn.nativeId);
  return andThen(own, interruptSubagents);
}

/** Requests of subagents' threads are handled like the member's own. */
function handleRequest(before: CodexState, { id, method, params }: Request): CodexStep {
  const state = noteRequestedItem(before, params);
  const understood = understandRequest(method, params, contextOf(state, params));
  if (understood.kind === "answer") {
    return { ...warn(state, understood.warning), write: [answerLine(id, understood.answer)] };
  }
  const isAccepted = state.turn !== undefined && !state.turn.isStopRequested && !isOfOtherTurn(state, params);
  const held = isAccepted ? hold(state.exchange, id, understood.request) : undefined;
  if (held === undefined) return { state, write: [answerLine(id, refuseRequest(understood, "The turn has ended."))] };
  return { state: { ...state, exchange: held.exchange }, events: [understood.event(held.callId)] };
}

function noteRequestedItem(state: CodexState, params: Fields): CodexState {
  const itemId = textOf(params, "itemId");
  if (itemId === undefined || state.turn === undefined) return state;
  return withTurn(state, { requestedItems: new Set(state.turn.requestedItems).add(itemId) });
}

/** A late request of an ended turn does not belong to the running one. Subagents have turns of their own. */
function isOfOtherTurn({ threadId, turn }: CodexState, params: Fields): boolean {
  const turnId = textOf(params, "turnId");
  return turnId !== undefined && textOf(params, "threadId") === threadId && turnId !== turn?.nativeId;
}

function contextOf(state: CodexState, params: Fields): RequestContext {
  const { member, isWritable, cwd, realCwd, deniedBy = () => undefined } = state.options;
  const { isSandboxed } = state.facts;
  const directories = [cwd, realCwd, state.threadCwd].filter((directory) => directory !== undefined);
  const threadId = textOf(params, "threadId");
  const itemId = textOf(params, "itemId") ?? "";
  const isSubagents = threadId !== undefined && threadId !== state.threadId;
  const item = isSubagents ? subagentChange(state, threadId, itemId) : state.turn?.tools.get(itemId);
  return { member, isWritable, isSandboxed, deniedBy, directories, item, isSubagents };
}

function answerRequest(state: CodexState, callId: string, result: AnswerResult): CodexStep {
  const released = release(state.exchange, callId);
  if (released === undefined) return { state };
  const answered = { ...state, exchange: released.exchange };
  const denial = denialOf(released.what, result);
  // Before the answer, so that the model is called once, with both.
  const step =
    denial === undefined ? { state: answered } : injectIntoTurn(answered, turnAsking(answered, released.what), denial);
  return { ...step, write: [...(step.write ?? []), answerLine(released.id, encodeAnswer(released.what, result))] };
}

function turnAsking(
  { threadId, turn }: CodexState,
  request: PendingRequest,
): { threadId: string | undefined; turnId: string | undefined } {
  return (request.kind === "approval" ? request.turn : undefined) ?? { threadId, turnId: turn?.nativeId };
}

/** Cancelled, unless by our own answer: a later answer must not be sent. */
function withdraw(state: CodexState, params: Fields): CodexStep {
  const id = params["requestId"];
  if (typeof id !== "string" && typeof id !== "number") return { state };
  const callId = callIdOf(state.exchange, id);
  const released = release(state.exchange, callId);
  if (released === undefined) return { state };
  return {
    state: { ...state, exchange: released.exchange },
    // Cancels all requests of a turn that was interrupted or has ended.
    events: state.turn?.isStopRequested === false ? [{ type: "request_withdrawn", callId }] : [],
  };
}

function prepend(events: readonly DialectEvent[], step: CodexStep): CodexStep {
  return { ...step, events: [...events, ...(step.events ?? [])] };
}
