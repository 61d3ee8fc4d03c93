/**
 * The dialect of `pi --mode rpc`: commands down, responses, session events and extension questions up. Pure.
 * Promises: a turn ends with Pi's `agent_settled` and not before, or when a Pi that has none is idle; no turn is sent to a Pi whose tools nobody guards; the
 * text of a turn is never read as a command of Pi's.
 */
import { withColdStart, turnPrompt } from "../../turn-prompt.ts";
import type { SteerInput, TurnInput } from "../../port.ts";
import type { Dialect, DialectEvent, Known, Step } from "../../process/dialect.ts";
import { imagesOf, unseenWarning } from "../../attached.ts";
import { encodeReply, handleUiRequest, refuseOpen } from "./extension-ui.ts";
import { handleMaintenance } from "./maintenance.ts";
import { askIdle } from "./idle-check.ts";
import { asFields, asText, readRecord, type Fields } from "../../record-fields.ts";
import { isModel } from "./models.ts";
import { extensionCommand, sendPrompt } from "./prompt.ts";
import { handleResponse } from "./responses.ts";
import { beginMessage, endMessage, handleMessageUpdate, joinSteps, retractBroken } from "./messages.ts";
import { line, NEW_TURN, step, withTurn, type PiSetup, type PiState } from "./state.ts";
import { endTool, startTool, updateTool } from "./tools.ts";
import { finish, INTERRUPTED, notCompacted, settle, unguarded } from "./turn-end.ts";

export interface PiDialectOptions extends PiSetup {
  /** The model that a process was started with, as it was asked for. */
  readonly launchModel: (known: PiKnown) => string | null;
}

export type PiKnown = Known & { readonly model?: string | null };

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
    model: null,
    requestedModel: launchModel(known),
    turn: null,
    pending: new Map(),
    commands: 0,
  };
  const guard = isSandboxed ? [] : [guardOf(isWritable)];
  return step(state, [{ type: "not_ready" }, ...guard], line({ type: "get_state" }));
}

/** A sandbox is told of by whoever has built it. */
function guardOf(isWritable: boolean): DialectEvent {
  if (isWritable) return { type: "member_guard", guard: "asks_first" };
  return {
    type: "member_guard",
    guard: "own_mode",
    detail: "it has no tools that change files or run commands; only your own extensions are not held",
  };
}

function parse(state: PiState, text: string, setup: PiSetup): Step<PiState> {
  const record = readRecord(text);
  const type = asText(record?.["type"]);
  if (record === undefined || type === undefined) return step(state, [{ type: "unreadable" }]);
  switch (type) {
    case "response":
      return handleResponse(state, record, setup);
    case "extension_ui_request":
      return handleUiRequest(state, record, setup);
    case "agent_start":
      return beginRun(state);
    case "message_start":
      return beginMessage(state, asFields(record["message"]) ?? {});
    default:
      return handleMaintenance(state, type, record, setup) ?? handleTurnRecord(state, type, record, setup);
  }
}

function handleTurnRecord(state: PiState, type: string, record: Fields, setup: PiSetup): Step<PiState> {
  const turn = state.turn;
  if (turn === null) return step(state);
  switch (type) {
    case "message_update":
      return handleMessageUpdate(state, turn, asFields(record["assistantMessageEvent"]) ?? {});
    case "message_end":
      return endMessage(state, turn, asFields(record["message"]) ?? {});
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
      // Of a run that an extension had begun before the prompt was taken.
      return turn.phase === "running" ? settle(state, turn, record["aborted"] === true, setup) : step(state);
    default:
      return step(state);
  }
}

/** A run without a turn was begun by an extension; it is followed like one, and nobody hears of it. */
function beginRun(state: PiState): Step<PiState> {
  const next = withTurn(state, { phase: "running", idleCheck: null });
  // An abort that came before the run found nothing to abort.
  return step(next, [], ...(next.turn?.isAborting === true ? [line({ type: "abort" })] : []));
}

/** Its answer comes when it is done; before that it tells what became of it, as it does of what it compacts by itself. */
function encodeCompact(state: PiState, focus: string | null): Step<PiState> {
  const turn = { ...NEW_TURN, isPrompted: true, isCompaction: true };
  if (state.isLost)
    return finish(state, turn, notCompacted("its earlier session is gone, so there is nothing to compact."));
  const id = `compact-${state.commands}`;
  const instructions = focus === null ? {} : { customInstructions: focus };
  return step({ ...state, commands: state.commands + 1, turn }, [], line({ id, type: "compact", ...instructions }));
}

function encodeTurn(state: PiState, turnInput: TurnInput, setup: PiSetup): Step<PiState> {
  const input = state.isLost ? withColdStart(turnInput) : turnInput;
  // What begins with a slash goes through our extension, which takes a text only.
  const sight = { seesImages: !turnPrompt(input).startsWith("/") };
  const images = sight.seesImages ? imagesOf(input) : [];
  const turn = { ...NEW_TURN, isPrompted: true, prompt: turnPrompt(input, undefined, sight), images };
  if (!state.isGuarded) return finish(state, turn, unguarded(setup.member));
  const wanted = input.model ?? null;
  const isCurrent =
    wanted === null || wanted === state.requestedModel || (state.model !== null && isModel(state.model, wanted));
  const next: PiState = { ...state, isLost: false, turn, requestedModel: wanted ?? state.requestedModel };
  const warned = step(next, unseenWarning(input, sight));
  if (isCurrent) return joinSteps(warned, (after) => sendPrompt(after, setup));
  return joinSteps(warned, (after) =>
    step(withTurn(after, { phase: "switching" }), [], line({ type: "get_available_models" })),
  );
}

function encodeSteer(state: PiState, { messageId, text }: SteerInput, setup: PiSetup): Step<PiState> {
  const turn = state.turn;
  if (turn === null || turn.isAborting || turn.phase === "switching") return step(state);
  const commandId = `steer-${state.commands}`;
  const steers = [...turn.steers, { commandId, messageId, text }];
  const command = text.startsWith("/")
    ? { id: commandId, type: "prompt", message: extensionCommand(setup, { text, isSteer: true }) }
    : { id: commandId, type: "steer", message: text };
  return step(withTurn({ ...state, commands: state.commands + 1 }, { steers }), [], line(command));
}

/** What waits in Pi's queue goes first: an abort alone would let Pi go on with it. */
function encodeInterrupt(state: PiState): Step<PiState> {
  const turn = state.turn;
  if (turn === null) return step(state);
  if (turn.phase === "switching") return finish(state, turn, INTERRUPTED);
  const next = { ...withTurn(state, { isAborting: true, steers: [] }), pending: new Map() };
  return step(next, [], line({ type: "clear_queue" }), line({ type: "abort" }), ...refuseOpen(state));
}
