/**
 * Dialect of `pi --mode rpc`: commands out; responses, session events and extension requests in. Pure.
 * Guarantees: a turn ends with Pi's `agent_settled` only, or when a Pi that has none is idle; no turn is sent to an
 * unguarded Pi; the text of a turn is never run as a command of Pi.
 */
import { sessionLost, turnPrompt, withColdStart } from "../../turn-prompt.ts";
import type { SteerInput, TurnInput } from "../../port.ts";
import type { Dialect, DialectEvent, Known, Step } from "../../process/dialect.ts";
import { imagesOf, unseenWarning } from "../../attached.ts";
import { encodeReply, handleUiRequest, refuseOpen } from "./extension-ui.ts";
import { handleMaintenance, compactionEvents, askIdle, handleIdleCheck, isIdleCheck } from "./maintenance.ts";
import { fieldsOf, rawTextOf, parseFields, type Fields, numberOf, recordsOf } from "../../../kit/fields.ts";
import { isModel, chooseModel, readModel } from "./models.ts";
import { beginMessage, endMessage, handleMessageUpdate, joinSteps, retractBroken } from "./messages.ts";
import { line, NEW_TURN, step, withTurn, type PiSetup, type PiState, type TurnState } from "./state.ts";
import { endTool, startTool, updateTool } from "./tools.ts";
import { finish, INTERRUPTED, notCompacted, settle, unguarded, refused } from "./turn-end.ts";
import { offerModels, type ReportedModel } from "../../offered-models.ts";

export interface PiDialectOptions extends PiSetup {
  /** Model that a process was started with, as requested. */
  readonly launchModel: (known: PiKnown) => string | undefined;
}

export type PiKnown = Known & { readonly model?: string | undefined };

export function createPiDialect(options: PiDialectOptions): Dialect<PiState> {
  return {
    begin: (known: PiKnown) => begin(known, options),
    parse: (state, text) => parse(state, text, options),
    encodeTurn: (state, input) => encodeTurn(state, input, options),
    encodeCompact,
    encodeSteer: (state, input) => encodeSteer(state, input, options),
    encodeInterrupt,
    encodeAnswer: encodeReply,
  };
}

function begin(known: PiKnown, { launchModel, isWritable }: PiDialectOptions): Step<PiState> {
  const { nativeSessionId, isSandboxed = false } = known;
  const state: PiState = {
    isReady: false,
    isGuarded: false,
    isSandboxed,
    resumes: nativeSessionId,
    isLost: false,
    model: undefined,
    requestedModel: launchModel(known),
    turn: undefined,
    pending: new Map(),
    commands: 0,
  };
  const guard = isSandboxed ? [] : [guardOf(isWritable)];
  return step(state, [{ type: "not_ready" }, ...guard], line({ type: "get_state" }));
}

/** A sandbox is reported by the process layer. */
function guardOf(isWritable: boolean): DialectEvent {
  if (isWritable) return { type: "member_guard", guard: "asks_first" };
  return {
    type: "member_guard",
    guard: "own_mode",
    detail: "it has no tools that change files or run commands; only your own extensions are not restricted",
  };
}

function parse(state: PiState, text: string, setup: PiSetup): Step<PiState> {
  const record = parseFields(text);
  const type = rawTextOf(record?.["type"]);
  if (record === undefined || type === undefined) return step(state, [{ type: "unreadable" }]);
  switch (type) {
    case "response":
      return handleResponse(state, record, setup);
    case "extension_ui_request":
      return handleUiRequest(state, record, setup);
    case "agent_start":
      return beginRun(state);
    case "message_start":
      return beginMessage(state, fieldsOf(record["message"]) ?? {});
    default:
      return handleMaintenance(state, type, record, setup) ?? handleTurnRecord(state, type, record, setup);
  }
}

function handleTurnRecord(state: PiState, type: string, record: Fields, setup: PiSetup): Step<PiState> {
  const turn = state.turn;
  if (turn === undefined) return step(state);
  switch (type) {
    case "message_update":
      return handleMessageUpdate(state, turn, fieldsOf(record["assistantMessageEvent"]) ?? {});
    case "message_end":
      return endMessage(state, turn, fieldsOf(record["message"]) ?? {});
    case "tool_execution_start":
      return startTool(state, record);
    case "tool_execution_update":
      return updateTool(state, turn, record);
    case "tool_execution_end":
      return endTool(state, turn, record, setup);
    case "agent_end":
      if (record["willRetry"] === undefined) return askIdle(state, turn);
      return record["willRetry"] === true
        ? retractBroken(state, turn.end?.errorMessage ?? "the answer broke off")
        : step(state);
    case "agent_settled":
      // Belongs to a run that an extension started before the prompt was accepted.
      return turn.phase === "running" ? settle(state, turn, record["aborted"] === true, setup) : step(state);
    default:
      return step(state);
  }
}

/** A run without a turn was started by an extension; it is followed like a turn, but not reported. */
function beginRun(state: PiState): Step<PiState> {
  const next = withTurn(state, { phase: "running", idleCheck: undefined });
  // An abort before the run found nothing to abort.
  return step(next, [], ...(next.turn?.isAborting === true ? [line({ type: "abort" })] : []));
}

/** Answered when it is done; before that its progress is reported like that of an automatic one. */
function encodeCompact(state: PiState, focus: string | undefined): Step<PiState> {
  const turn = { ...NEW_TURN, isPrompted: true, isCompaction: true };
  if (state.isLost)
    return finish(state, turn, notCompacted("its earlier session is lost, so there is nothing to compact."));
  const id = `compact-${state.commands}`;
  const instructions = focus === undefined ? {} : { customInstructions: focus };
  return step({ ...state, commands: state.commands + 1, turn }, [], line({ id, type: "compact", ...instructions }));
}

function encodeTurn(state: PiState, turnInput: TurnInput, setup: PiSetup): Step<PiState> {
  const input = state.isLost ? withColdStart(turnInput) : turnInput;
  // Text that begins with a slash goes through our extension, which accepts text only.
  const sight = { seesImages: !turnPrompt(input).startsWith("/") };
  const images = sight.seesImages ? imagesOf(input) : [];
  const turn = { ...NEW_TURN, isPrompted: true, prompt: turnPrompt(input, undefined, sight), images };
  if (!state.isGuarded) return finish(state, turn, unguarded(setup.member));
  const wanted = input.model;
  const isCurrent =
    wanted === undefined ||
    wanted === state.requestedModel ||
    (state.model !== undefined && isModel(state.model, wanted));
  const next: PiState = { ...state, isLost: false, turn, requestedModel: wanted ?? state.requestedModel };
  const warned = step(next, unseenWarning(input, sight));
  if (isCurrent) return joinSteps(warned, (after) => sendPrompt(after, setup));
  return joinSteps(warned, (after) =>
    step(withTurn(after, { phase: "switching" }), [], line({ type: "get_available_models" })),
  );
}

function encodeSteer(state: PiState, { messageId, text }: SteerInput, setup: PiSetup): Step<PiState> {
  const turn = state.turn;
  if (turn === undefined || turn.isAborting || turn.phase === "switching") return step(state);
  const commandId = `steer-${state.commands}`;
  const steers = [...turn.steers, { commandId, messageId, text }];
  const command = text.startsWith("/")
    ? { id: commandId, type: "prompt", message: extensionCommand(setup, { text, isSteer: true }) }
    : { id: commandId, type: "steer", message: text };
  return step(withTurn({ ...state, commands: state.commands + 1 }, { steers }), [], line(command));
}

/** The queue is cleared first: after an abort alone Pi would continue with it. */
function encodeInterrupt(state: PiState): Step<PiState> {
  const turn = state.turn;
  if (turn === undefined) return step(state);
  if (turn.phase === "switching") return finish(state, turn, INTERRUPTED);
  const next = { ...withTurn(state, { isAborting: true, steers: [] }), pending: new Map() };
  return step(next, [], line({ type: "clear_queue" }), line({ type: "abort" }), ...refuseOpen(state));
}

/** Handles responses to our commands. A response to a prompt means that it was accepted, not that it is done. */
function handleResponse(state: PiState, record: Fields, setup: PiSetup): Step<PiState> {
  const command = rawTextOf(record["command"]) ?? "";
  const data = fieldsOf(record["data"]) ?? {};
  const error = record["success"] === true ? undefined : (rawTextOf(record["error"]) ?? "it gave no reason");
  const id = rawTextOf(record["id"]) ?? "";
  if (isIdleCheck(id)) return handleIdleCheck(state, id, data, setup);
  if (command === "get_state") return handleStateResponse(state, data, setup);
  if (id.startsWith("steer-")) return handleSteerResponse(state, id, error);
  if (id === OFFER_ID) return step(state, offerModels(recordsOf(data["models"]).map(asOffered)));
  const turn = state.turn;
  if (turn === undefined) return step(state);
  switch (command) {
    case "prompt":
      return handlePromptResponse(state, turn, error, rawTextOf(data["disposition"]), setup);
    case "get_available_models":
    case "set_model":
      return turn.phase === "switching" ? handleModelSwitch(state, turn, { command, data, error }, setup) : step(state);
    case "abort":
      // The run is idle now, whether it reported that or not.
      return turn.isAborting && turn.phase === "running" ? finish(state, turn, INTERRUPTED) : step(state);
    case "compact":
      return turn.isCompaction ? handleCompactResponse(state, turn, data, error) : step(state);
    case "parse":
      return error === undefined ? step(state) : finish(state, turn, refused(setup.member, error));
    default:
      return step(state);
  }
}

function handleStateResponse(state: PiState, data: Fields, { member }: PiSetup): Step<PiState> {
  const model = readModel(data["model"]) ?? state.model;
  if (state.isReady) return step({ ...state, model });
  const sessionId = rawTextOf(data["sessionId"]);
  const isNew = numberOf(data["messageCount"]) === 0;
  const events: DialectEvent[] = [];
  if (sessionId !== undefined && sessionId !== state.resumes) {
    events.push({ type: "member_session", nativeSessionId: sessionId });
  }
  if (state.resumes !== undefined && (isNew || sessionId !== state.resumes)) {
    events.push(sessionLost(member, "Pi no longer has it"));
  }
  const isLost = state.resumes !== undefined && (isNew || sessionId !== state.resumes);
  const next = { ...state, model, isReady: true, isLost, resumes: sessionId ?? state.resumes };
  return step(next, [...events, { type: "ready" }], line({ id: OFFER_ID, type: "get_available_models" }));
}

/** Id prefix that tells the list for the user from the one that a turn waits for. */
const OFFER_ID = "offer";

function asOffered({ provider, id, name }: Fields): ReportedModel {
  return { id: `${String(provider)}/${String(id)}`, name };
}

function handleCompactResponse(
  state: PiState,
  turn: TurnState,
  data: Fields,
  error: string | undefined,
): Step<PiState> {
  if (error !== undefined) return finish(state, turn, turn.isAborting ? INTERRUPTED : notCompacted(error));
  const events = turn.isCompacted ? [] : compactionEvents(state, data);
  const over = finish(state, turn, { outcome: "completed" });
  return { ...over, events: [...events, ...(over.events ?? [])] };
}

function handlePromptResponse(
  state: PiState,
  turn: TurnState,
  error: string | undefined,
  disposition: string | undefined,
  setup: PiSetup,
): Step<PiState> {
  if (turn.phase !== "sent") return step(state);
  if (error !== undefined) return finish(state, turn, turn.isAborting ? INTERRUPTED : refused(setup.member, error));
  if (disposition === "queued") return step(withTurn(state, { phase: "running" }));
  if (disposition !== "handled" || turn.isViaExtension) return step(state);
  const message = `An extension of Pi handled the message to ${setup.member}, so it did not answer.`;
  const over = finish(state, turn, { outcome: "completed", reason: "handled" });
  return { ...over, events: [{ type: "ui_notify", message, notifyType: "info" }, ...(over.events ?? [])] };
}

/** The session delivers a refused steer again; one that was accepted too late must not stay in Pi's queue. */
function handleSteerResponse(state: PiState, commandId: string, error: string | undefined): Step<PiState> {
  const turn = state.turn;
  const steers = turn?.steers ?? [];
  const isWaited = steers.some((steer) => steer.commandId === commandId);
  if (!isWaited) return step(state, [], ...(error === undefined ? [line({ type: "clear_queue" })] : []));
  if (error === undefined) return step(state);
  return step(withTurn(state, { steers: steers.filter((steer) => steer.commandId !== commandId) }));
}

interface Switching {
  readonly command: string;
  readonly data: Fields;
  readonly error: string | undefined;
}

function handleModelSwitch(
  state: PiState,
  turn: TurnState,
  { command, data, error }: Switching,
  setup: PiSetup,
): Step<PiState> {
  if (error !== undefined) return finish({ ...state, requestedModel: undefined }, turn, refused(setup.member, error));
  if (command === "set_model") return sendPrompt({ ...state, model: readModel(data) ?? state.model }, setup);
  const chosen = chooseModel(state, turn, state.requestedModel ?? "", data, setup);
  return chosen.state.turn === undefined
    ? { ...chosen, state: { ...chosen.state, requestedModel: undefined } }
    : chosen;
}

/**
 * Sends a prompt verbatim. Text that begins with a slash would run a command of Pi, so our extension sends it instead.
 */
function sendPrompt(state: PiState, setup: PiSetup): Step<PiState> {
  const prompt = state.turn?.prompt ?? "";
  const isViaExtension = prompt.startsWith("/");
  const message = isViaExtension ? extensionCommand(setup, { text: prompt }) : prompt;
  const images = (state.turn?.images ?? []).map(({ mime, base64 }) => ({
    type: "image",
    mimeType: mime,
    data: base64,
  }));
  const next = withTurn(state, { phase: "sent", isViaExtension, prompt: "", images: [] });
  const seen = images.length === 0 ? {} : { images };
  return step(next, [], line({ type: "prompt", message, ...seen, streamingBehavior: "followUp" }));
}

function extensionCommand({ mark }: PiSetup, message: { text: string; isSteer?: boolean }): string {
  return `/${mark} ${JSON.stringify(message)}`;
}
