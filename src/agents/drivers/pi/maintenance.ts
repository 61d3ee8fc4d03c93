/**
 * Pi's own housekeeping, within a turn and between turns: retries, compaction, errors of extensions, and the idle
 * check.
 */
import type { Step, DialectEvent } from "../../process/dialect.ts";
import { fieldsOf, numberOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { countUsage, joinSteps, retract, retractBroken } from "./messages.ts";
import { step, withTurn, type PiSetup, type PiState, line, type TurnState } from "./state.ts";
import { finish, refused, settle } from "./turn-end.ts";

/** Undefined for other records. */
export function handleMaintenance(
  state: PiState,
  type: string,
  record: Fields,
  setup: PiSetup,
): Step<PiState> | undefined {
  switch (type) {
    case "auto_retry_start":
      return joinSteps(retractBroken(stayBusy(state), reasonOf(record)), (next) => handleRetry(next, record));
    // The answer before it stands: only the summary is requested again.
    case "summarization_retry_scheduled":
      return handleRetry(state, record);
    case "compaction_start":
      return step(state, state.turn === undefined ? [] : [{ type: "status", state: "working", detail: COMPACTING }]);
    case "compaction_end":
      return handleCompactionEnd(record["willRetry"] === true ? stayBusy(state) : state, record, setup);
    case "extension_error":
      return handleExtensionError(state, record, setup);
    default:
      return undefined;
  }
}

const COMPACTING = "compacting its context";

function handleRetry(state: PiState, record: Fields): Step<PiState> {
  if (state.turn === undefined) return step(state);
  const attempt = Math.round(numberOf(record["attempt"]) ?? 1);
  const of = Math.round(numberOf(record["maxAttempts"]) ?? attempt);
  const delayMs = Math.max(0, numberOf(record["delayMs"]) ?? 0);
  return step(state, [{ type: "retrying", attempt, of, delayMs, reason: reasonOf(record) }]);
}

function reasonOf(record: Fields): string {
  return rawTextOf(record["errorMessage"]) ?? "the answer broke off";
}

function handleCompactionEnd(state: PiState, record: Fields, { member }: PiSetup): Step<PiState> {
  const result = fieldsOf(record["result"]);
  const error = rawTextOf(record["errorMessage"]);
  if (result === undefined) {
    const message = `${member} could not compact its context: ${error ?? "it gave no reason"}`;
    // A requested compaction has an answer of its own with the reason.
    const isReported = error === undefined || state.turn?.isCompaction === true;
    return step(state, isReported ? [] : [{ type: "warning", code: "compaction_failed", message }]);
  }
  const events = compactionEvents(state, result);
  // An answer that did not fit is removed from the context and requested again.
  const retracted = record["willRetry"] === true ? retract(state, "its context was full") : step(state);
  return joinSteps(retracted, (next) =>
    next.turn === undefined
      ? step(next, events)
      : step(countUsage(withTurn(next, { isCompacted: true }), next.turn, result["usage"]), events),
  );
}

/** Text that our own extension was to send did not reach the model: no run will follow. */
function handleExtensionError(state: PiState, record: Fields, { member, mark }: PiSetup): Step<PiState> {
  const error = rawTextOf(record["error"]) ?? "it gave no reason";
  const turn = state.turn;
  const event = rawTextOf(record["event"]) ?? "";
  const path = rawTextOf(record["extensionPath"]) ?? "";
  const isSaying = path.includes(mark) || event === "send_user_message";
  if (turn !== undefined && turn.phase === "sent" && turn.isViaExtension && isSaying) {
    return finish(state, turn, refused(member, error));
  }
  return step(state, [
    {
      type: "warning",
      code: "extension_error",
      message: `An extension of ${member} failed (${event}).`,
      detail: error,
    },
  ]);
}

/** Record of a compaction, automatic or requested. */
/** Pi's own estimate until its model answers again. */
export function compactionEvents({ model }: PiState, result: Fields): DialectEvent[] {
  const before = numberOf(result["tokensBefore"]);
  const after = numberOf(result["estimatedTokensAfter"]);
  const summary = rawTextOf(result["summary"]);
  const window = model?.contextWindow;
  const events: DialectEvent[] = [
    {
      type: "compacted",
      native: true,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(summary === undefined || summary === "" ? {} : { summary }),
    },
  ];
  if (after !== undefined && after >= 0 && window !== undefined) {
    events.push({ type: "context_update", used: after, window, measured: false });
  }
  return events;
}

/**
 * End of a turn of a Pi without `agent_settled` (0.73 and older). Its `agent_end` may be followed by a retry or a
 * compaction, which it reports at once, so its state is requested after that: idle means that the turn is over.
 */
const PREFIX = "idle-";
/** It reports itself as busy for a moment after its last record; one that continues sends `agent_start`. */
const CHECKS_MAX = 1_000;

export function askIdle(state: PiState, turn: TurnState): Step<PiState> {
  if (turn.phase !== "running") return step(state);
  const idleCheck = { id: `${PREFIX}${state.commands}`, count: (turn.idleCheck?.count ?? 0) + 1 };
  const next = withTurn({ ...state, commands: state.commands + 1 }, { idleCheck });
  return step(next, [], line({ id: idleCheck.id, type: "get_state" }));
}

/** The turn continues, whatever the check is answered with. */
function stayBusy(state: PiState): PiState {
  return state.turn === undefined ? state : withTurn(state, { idleCheck: undefined });
}

export function isIdleCheck(id: string): boolean {
  return id.startsWith(PREFIX);
}

export function handleIdleCheck(state: PiState, id: string, data: Fields, setup: PiSetup): Step<PiState> {
  const { turn } = state;
  if (turn === undefined || turn.idleCheck?.id !== id) return step(state);
  const isBusy = data["isStreaming"] === true || data["isCompacting"] === true;
  return isBusy && turn.idleCheck.count < CHECKS_MAX ? askIdle(state, turn) : settle(state, turn, false, setup);
}
