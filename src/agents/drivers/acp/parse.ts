/**
 * Agent Client Protocol (version 1, JSON-RPC over lines) as a dialect. Pure.
 * The answer to `session/prompt` ends a turn; everything in between arrives as `session/update`. Files and terminals
 * are not offered to the agent; unknown methods are rejected, so that no agent waits for us.
 */
import { withColdStart } from "../../turn-prompt.ts";
import type { AnswerResult, SteerInput, TurnInput } from "../../port.ts";
import type { Dialect, DialectEvent } from "../../process/dialect.ts";
import { callIdOf, hold, release } from "../../json-rpc/exchange.ts";
import {
  INTERNAL_ERROR,
  METHOD_NOT_FOUND,
  readRpc,
  writeError,
  writeNotification,
  writeResult,
  type RpcError,
  type RpcId,
  type RpcMessage,
} from "../../json-rpc/messages.ts";
import { fieldsOf } from "../../json-rpc/fields.ts";
import { handleStderrLine } from "./agent-quirks.ts";
import { commandsOver, chooseCommand, openCompaction } from "./session/compaction.ts";
import { initialize, initialized, opened, openSession, refused } from "./session/handshake.ts";
import { chooseEffort, refuseEffort, chooseModel, fallBack } from "./session/models.ts";
import { modeSet, reportGuard } from "./session/modes.ts";
import type { AcpOptions, ExtensionTurn } from "./options.ts";
import { askPermission, CANCELLED, permissionAnswer } from "./tools/permissions.ts";
import { commandBlocks, promptBlocks, textBlocks } from "./turn/prompt-blocks.ts";
import { closeSegment } from "./turn/segments.ts";
import { andThen, firstState, firstTurn, send, withTurn, type AcpState, type AcpStep, type Call } from "./state.ts";
import { denyTool } from "./tools/calls.ts";
import { endTurn, promptDone, cancelPending } from "./turn/end.ts";
import { reasonOf } from "./turn/errors.ts";
import { handleUpdate } from "./turn/updates.ts";

export function createAcpDialect(options: AcpOptions): Dialect<AcpState> {
  return {
    begin: ({ nativeSessionId, isSandboxed = false }) => {
      const state = firstState(nativeSessionId, { awaitsTools: options.awaitsTools === true, isSandboxed });
      return andThen({ state, events: [{ type: "not_ready" }] }, initialize);
    },
    parse: (state, line) => handleMessage(state, options, readRpc(line)),
    parseStderr: handleStderrLine,
    encodeTurn: (state, input) => beginTurn(state, options, input),
    encodeCompact: (state, focus) => beginCompaction(state, options, focus),
    ...(options.canSteer ? { encodeSteer: steer } : {}),
    encodeInterrupt: (state) => cancel(state, options),
    encodeAnswer: (state, callId, answer) => answerRequest(state, options, callId, answer),
  };
}

function handleMessage(state: AcpState, options: AcpOptions, message: RpcMessage): AcpStep {
  switch (message.kind) {
    case "notification":
      if (message.method === "session/update") {
        return andThen(handleUpdate(state, options, message.params), (next) => advanceCompaction(next, options));
      }
      if (message.method === "$/cancel_request") return withdraw(state, message.params["requestId"]);
      return emitInTurn(
        state,
        options.extensions?.onNotification(message.method, message.params, aboutTurn(state, options)),
      );
    case "request":
      return handleRequest(state, options, message);
    case "result":
    case "error":
      return handleAnswer(state, options, message);
    default:
      return { state, events: [{ type: "unreadable" }] };
  }
}

type Answer = Extract<RpcMessage, { kind: "result" | "error" }>;

function handleAnswer(state: AcpState, options: AcpOptions, message: Answer): AcpStep {
  const call = message.id === undefined ? undefined : state.calls.get(message.id);
  if (message.id === undefined || call === undefined) {
    return { state, events: [{ type: "unexpected", what: "it answered a request that was not sent" }] };
  }
  const calls = new Map(state.calls);
  calls.delete(message.id);
  const settled = { ...state, calls };
  if (call.kind === "prompt" || call.kind === "steer") return promptDone(settled, options, message);
  const step =
    message.kind === "error"
      ? handleCallError(settled, options, call, message.error)
      : handleResult(settled, options, call, message.result);
  return andThen(step, (next) => advance(next, options));
}

function handleResult(state: AcpState, options: AcpOptions, call: Call, result: unknown): AcpStep {
  switch (call.kind) {
    case "initialize":
      return initialized(state, options, result);
    case "authenticate":
      return openSession(state, options);
    case "open":
      return opened(state, options, call.how, result);
    case "mode":
      return { state: modeSet(state, call.wanted, fieldsOf(result)) };
    case "model":
      return { state: { ...state, models: { ...state.models, current: call.wanted } } };
    default:
      return { state };
  }
}

function handleCallError(state: AcpState, options: AcpOptions, call: Call, error: RpcError): AcpStep {
  if (call.kind === "model") return fallBack(state, call.wanted, reasonOf(error));
  if (call.kind === "effort") return refuseEffort(state, options.member, call.wanted, reasonOf(error));
  // A mode that was not set is not confirmed, which its guard reports; a barrier is done once it is answered.
  if (call.kind === "mode" || call.kind === "barrier") return { state };
  return refused(state, options, call, error);
}

/** Sends the next queued call; after the last one, the session accepts prompts. */
function advance(state: AcpState, options: AcpOptions): AcpStep {
  if (state.failure !== undefined) return failTurn(state);
  const isBusy = [...state.calls.values()].some(({ kind }) => kind !== "prompt" && kind !== "steer");
  if (isBusy || state.sessionId === undefined) return { state };
  const [queuedCall, ...queuedCalls] = state.queuedCalls;
  if (queuedCall !== undefined)
    return send({ ...state, queuedCalls }, queuedCall.call, queuedCall.method, queuedCall.params);
  if (state.awaitsTools) return { state };
  const guarded = reportGuard(state, options);
  const ready = andThen(guarded, (next) => ({ state: next, events: [{ type: "ready" }] }));
  const { turn } = state;
  const isWaiting = turn !== undefined && !turn.isSent && turn.compaction?.isChosen !== false;
  return isWaiting ? andThen(ready, sendPrompt) : ready;
}

/** The agent has listed the host tools, or had enough time to. */
export function toolsKnown(state: AcpState, options: AcpOptions): AcpStep {
  return state.awaitsTools ? advance({ ...state, awaitsTools: false }, options) : { state };
}

/** The agent has no commands but those it has listed by now. */
export function commandsKnown(state: AcpState, options: AcpOptions): AcpStep {
  return advanceCompaction(commandsOver(state), options);
}

function beginCompaction(state: AcpState, options: AcpOptions, focus: string | undefined): AcpStep {
  const opened = openCompaction(state, focus);
  return state.failure === undefined ? advanceCompaction(opened, options) : failTurn(opened);
}

function advanceCompaction(state: AcpState, options: AcpOptions): AcpStep {
  const chosen = chooseCommand(state, options);
  if (chosen === undefined) return { state };
  return "outcome" in chosen
    ? endTurn(withTurn(state, { over: chosen }), options)
    : andThen(chosen, (next) => advance(next, options));
}

/** Reports to the waiting turn why there is no session. */
function failTurn(state: AcpState): AcpStep {
  if (state.failure === undefined || state.turn === undefined) return { state };
  return {
    state: { ...state, turn: undefined, isFailureReported: true },
    events: [{ type: "turn_over", ...state.failure }],
  };
}

function beginTurn(state: AcpState, options: AcpOptions, input: TurnInput): AcpStep {
  // The earlier cost of a resumed session is unknown.
  const begun = { ...state, turn: firstTurn(input, state.costUsd ?? (state.isNewSession ? 0 : undefined)) };
  const started: AcpStep = { state: begun };
  if (state.failure === undefined) {
    const model = input.model ?? options.model;
    const chosen = andThen(started, (next) => chooseModel(next, model));
    return andThen(
      andThen(chosen, (next) => chooseEffort(next, options, model)),
      (next) => advance(next, options),
    );
  }
  if (!state.isFailureReported) return andThen(started, failTurn);
  // The user may have logged in meanwhile.
  const again = { ...begun, failure: undefined, isFailureReported: false, hasAuthenticated: false, queuedCalls: [] };
  const isKnown = Object.keys(state.offer).length > 0;
  return andThen({ ...started, state: again }, (next) => (isKnown ? openSession(next, options) : initialize(next)));
}

function sendPrompt(state: AcpState): AcpStep {
  if (state.turn === undefined) return { state };
  const { compaction } = state.turn;
  const turnInput = state.isLost ? withColdStart(state.turn.input) : state.turn.input;
  const input = { ...turnInput, text: [...state.reasons, turnInput.text].join("\n\n") };
  const isPrompt = compaction === undefined;
  const { blocks: prompt, events } = isPrompt ? promptBlocks(input, state) : commandBlocks(turnInput.text);
  const reasons = isPrompt ? [] : state.reasons;
  const sent = withTurn({ ...state, isReplaying: false, isLost: false, reasons }, { isSent: true, openPrompts: 1 });
  return andThen({ state: sent, events }, (next) =>
    send(next, { kind: "prompt" }, "session/prompt", { sessionId: next.sessionId, prompt }),
  );
}

/** A second prompt joins the running turn and is answered together with the first. */
function steer(state: AcpState, { messageId, text }: SteerInput): AcpStep {
  const { turn } = state;
  if (turn === undefined || !turn.isSent || turn.isCancelled) return { state };
  const closed = closeSegment(state);
  return andThen({ ...closed, events: [...(closed.events ?? []), { type: "steered", messageId }] }, (next) =>
    joinTurn(next, text),
  );
}

function joinTurn(state: AcpState, text: string): AcpStep {
  const open = withTurn(state, { openPrompts: (state.turn?.openPrompts ?? 0) + 1 });
  const prompt = textBlocks(text, open);
  return send(open, { kind: "steer" }, "session/prompt", { sessionId: open.sessionId, prompt });
}

/** Requests of the agent are cancelled with the turn, as the protocol requires. */
function cancel(state: AcpState, options: AcpOptions): AcpStep {
  const { turn } = state;
  if (turn === undefined) return { state };
  if (!turn.isSent) return endTurn(state, options);
  const write = [writeNotification("session/cancel", { sessionId: state.sessionId })];
  return andThen({ state: withTurn(state, { isCancelled: true }), write }, cancelPending);
}

function handleRequest(
  state: AcpState,
  options: AcpOptions,
  { id, method, params }: Extract<RpcMessage, { kind: "request" }>,
): AcpStep {
  if (method === "session/request_permission") {
    const { cwd, isWritable, hostToolServer } = options;
    return askPermission(state, id, params, { cwd, isWritable, hostToolServer });
  }
  const reply = options.extensions?.ask(method, params, aboutTurn(state, options));
  if (reply === undefined) return refuse(state, id, METHOD_NOT_FOUND, `Method not found: ${method}.`);
  if ("result" in reply) return { ...emitInTurn(state, reply.events), write: [writeResult(id, reply.result)] };
  const { turn } = state;
  if (turn === undefined || !turn.isSent || turn.isCancelled) return { state, write: [writeResult(id, CANCELLED)] };
  const held = hold(state.requests, id, { kind: "extension", method, params });
  if (held === undefined) return refuse(state, id, INTERNAL_ERROR, "Too many requests are open.");
  const emitted = andThen(closeSegment({ ...state, requests: held.exchange }), (next) =>
    emitInTurn(next, reply.events),
  );
  return andThen(emitted, (next) => ({
    state: withTurn(next, { hasContent: true }),
    events: [{ type: "request", callId: held.callId, request: reply.request }],
  }));
}

const REQUEST_CANCELLED = -32_800;

/** The agent has cancelled its request. */
function withdraw(state: AcpState, id: unknown): AcpStep {
  if (typeof id !== "string" && typeof id !== "number") return { state };
  const callId = callIdOf(state.requests, id);
  const released = release(state.requests, callId);
  if (released === undefined) return { state };
  return {
    state: { ...state, requests: released.exchange },
    events: [{ type: "request_withdrawn", callId }],
    write: [writeError(id, { code: REQUEST_CANCELLED, message: "The request was withdrawn." })],
  };
}

function refuse(state: AcpState, id: RpcId, code: number, message: string): AcpStep {
  return { state, write: [writeError(id, { code, message })] };
}

function aboutTurn({ turn }: AcpState, { isWritable }: AcpOptions): ExtensionTurn {
  return { turnId: turn?.input.turnId ?? "", isWritable, plan: turn?.plan ?? [] };
}

/** Dropped outside of a turn. */
function emitInTurn(state: AcpState, events: readonly DialectEvent[] = []): AcpStep {
  if (state.turn === undefined) return { state };
  const plan = events.findLast((event) => event.type === "plan_update")?.items ?? state.turn.plan;
  return { state: withTurn(state, { plan }), events };
}

function answerRequest(state: AcpState, options: AcpOptions, callId: string, answer: AnswerResult): AcpStep {
  const released = release(state.requests, callId);
  if (released === undefined) return { state };
  const { id, what } = released;
  const next = { ...state, requests: released.exchange };
  if (what.kind === "extension") {
    const result = options.extensions?.answer(what.method, what.params, answer) ?? CANCELLED;
    return { state: next, write: [writeResult(id, result)] };
  }
  const title = state.turn?.tools.get(what.toolCallId)?.title ?? "";
  const { result, isDenied } = permissionAnswer(what, answer);
  const { reason = "" } = answer;
  const why = reason === "" ? (answer.error ?? "the user denied it") : reason;
  const settled = isDenied ? denyTool(next, what.toolCallId, why) : { state: next };
  const answered = andThen(settled, (after) => ({ state: after, write: [writeResult(id, result)] }));
  return isDenied && reason !== "" ? andThen(answered, (after) => passReason(after, options, title, reason)) : answered;
}

/**
 * The protocol has no field for a reason: it joins the running turn where the agent allows that, else the next prompt.
 */
function passReason(state: AcpState, { canSteer }: AcpOptions, title: string, reason: string): AcpStep {
  const text = `The user denied ${title === "" ? "your call" : JSON.stringify(title)} and wrote: ${reason}`;
  return canSteer ? joinTurn(state, text) : { state: { ...state, reasons: [...state.reasons, text] } };
}
