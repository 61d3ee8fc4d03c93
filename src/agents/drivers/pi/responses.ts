/** What Pi answers to our commands. Its answer to a prompt says that it was taken, not that it was done. */
import { sessionLost } from "../../turn-prompt.ts";
import { offerModels, type ReportedModel } from "../../offered-models.ts";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { compactionEvents } from "./compaction.ts";
import { asFields, asNumber, asRecords, asText, type Fields } from "../../record-fields.ts";
import { handleIdleCheck, isIdleCheck } from "./idle-check.ts";
import { chooseModel, readModel } from "./models.ts";
import { sendPrompt } from "./prompt.ts";
import { line, step, withTurn, type PiSetup, type PiState, type TurnState } from "./state.ts";
import { finish, INTERRUPTED, notCompacted, refused } from "./turn-end.ts";

export function handleResponse(state: PiState, record: Fields, setup: PiSetup): Step<PiState> {
  const command = asText(record["command"]) ?? "";
  const data = asFields(record["data"]) ?? {};
  const error = record["success"] === true ? null : (asText(record["error"]) ?? "it gave no reason");
  const id = asText(record["id"]) ?? "";
  if (isIdleCheck(id)) return handleIdleCheck(state, id, data, setup);
  if (command === "get_state") return handleStateResponse(state, data, setup);
  if (id.startsWith("steer-")) return handleSteerResponse(state, id, error);
  if (id === OFFER_ID) return step(state, offerModels(asRecords(data["models"]).map(asOffered)));
  const turn = state.turn;
  if (turn === null) return step(state);
  switch (command) {
    case "prompt":
      return handlePromptResponse(state, turn, error, asText(data["disposition"]), setup);
    case "get_available_models":
    case "set_model":
      return turn.phase === "switching" ? handleModelSwitch(state, turn, { command, data, error }, setup) : step(state);
    case "abort":
      // The run is idle now, whether it said so or not.
      return turn.isAborting && turn.phase === "running" ? finish(state, turn, INTERRUPTED) : step(state);
    case "compact":
      return turn.isCompaction ? handleCompactResponse(state, turn, data, error) : step(state);
    case "parse":
      return error === null ? step(state) : finish(state, turn, refused(setup.member, error));
    default:
      return step(state);
  }
}

function handleStateResponse(state: PiState, data: Fields, { member }: PiSetup): Step<PiState> {
  const model = readModel(data["model"]) ?? state.model;
  if (state.isReady) return step({ ...state, model });
  const sessionId = asText(data["sessionId"]);
  const isNew = asNumber(data["messageCount"]) === 0;
  const events: DialectEvent[] = [];
  if (sessionId !== undefined && sessionId !== state.resumes) {
    events.push({ type: "member_session", nativeSessionId: sessionId });
  }
  if (state.resumes !== null && (isNew || sessionId !== state.resumes)) {
    events.push(sessionLost(member, "Pi does not have it any more"));
  }
  const isLost = state.resumes !== null && (isNew || sessionId !== state.resumes);
  const next = { ...state, model, isReady: true, isLost, resumes: sessionId ?? state.resumes };
  return step(next, [...events, { type: "ready" }], line({ id: OFFER_ID, type: "get_available_models" }));
}

/** Tells the list for the user from the one that a turn waits for. */
const OFFER_ID = "offer";

function asOffered({ provider, id, name }: Fields): ReportedModel {
  return { id: `${String(provider)}/${String(id)}`, name };
}

function handleCompactResponse(state: PiState, turn: TurnState, data: Fields, error: string | null): Step<PiState> {
  if (error !== null) return finish(state, turn, turn.isAborting ? INTERRUPTED : notCompacted(error));
  const events = turn.isCompacted ? [] : compactionEvents(state, data);
  const over = finish(state, turn, { outcome: "completed" });
  return { ...over, events: [...events, ...(over.events ?? [])] };
}

function handlePromptResponse(
  state: PiState,
  turn: TurnState,
  error: string | null,
  disposition: string | undefined,
  setup: PiSetup,
): Step<PiState> {
  if (turn.phase !== "sent") return step(state);
  if (error !== null) return finish(state, turn, turn.isAborting ? INTERRUPTED : refused(setup.member, error));
  if (disposition === "queued") return step(withTurn(state, { phase: "running" }));
  if (disposition !== "handled" || turn.isViaExtension) return step(state);
  const message = `An extension of Pi took the message to ${setup.member}, so there is no answer.`;
  const over = finish(state, turn, { outcome: "completed", reason: "handled" });
  return { ...over, events: [{ type: "ui_notify", message, notifyType: "info" }, ...(over.events ?? [])] };
}

/** A steer that Pi refused is delivered anew by the session; one that it took too late must not wait in its queue. */
function handleSteerResponse(state: PiState, commandId: string, error: string | null): Step<PiState> {
  const turn = state.turn;
  const steers = turn?.steers ?? [];
  const isWaited = steers.some((steer) => steer.commandId === commandId);
  if (!isWaited) return step(state, [], ...(error === null ? [line({ type: "clear_queue" })] : []));
  if (error === null) return step(state);
  return step(withTurn(state, { steers: steers.filter((steer) => steer.commandId !== commandId) }));
}

interface Switching {
  readonly command: string;
  readonly data: Fields;
  readonly error: string | null;
}

function handleModelSwitch(
  state: PiState,
  turn: TurnState,
  { command, data, error }: Switching,
  setup: PiSetup,
): Step<PiState> {
  if (error !== null) return finish({ ...state, requestedModel: null }, turn, refused(setup.member, error));
  if (command === "set_model") return sendPrompt({ ...state, model: readModel(data) ?? state.model }, setup);
  const chosen = chooseModel(state, turn, state.requestedModel ?? "", data, setup);
  return chosen.state.turn === null ? { ...chosen, state: { ...chosen.state, requestedModel: null } } : chosen;
}
