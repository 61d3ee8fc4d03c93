/** End of a turn, from the program's `result`. */
import type { DialectEvent, Step, TurnOver } from "../../process/dialect.ts";
import { errored } from "../../process/turn-errors.ts";
import { fieldsOf, numberOf, rawTextOf, textsOf, type Fields } from "../../../kit/fields.ts";
import { refuseOpen } from "./requests.ts";
import { breakOff } from "./messages.ts";
import { NO_USAGE, currentTurn, step, withTurn, type ClaudeState, type TurnState } from "./state.ts";
import { changeReport } from "./tool-blocks.ts";
import { addUsage, contextTokens, contextWindow, readCost, readUsage } from "./usage.ts";

/** Reason of a turn whose session to resume does not exist any more. */
export const UNKNOWN_SESSION = "unknown_session";

export function handleResult(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const counted = { ...state, costUsd: numberOf(record["total_cost_usd"]) ?? state.costUsd };
  if (!state.isReady && state.resumes !== undefined && isUnknownSession(textsOf(record["errors"]).join("\n"))) {
    return step(counted, [{ type: "turn_over", ...unknownSession(state.resumes) }]);
  }
  const current = currentTurn(state);
  // End of something that nobody here asked for.
  if (current === undefined || !answersTurn(current, record)) return step(counted);
  // It works again; some versions do not report when they read a message.
  const { turn, events } = settleAnsweredSteers({ ...current, resting: undefined }, record);
  const usage = addUsage(turn.ended, { ...readUsage(record["usage"]), ...readCost(record, state.costUsd) });
  const over = turn.isCompaction ? compactionOutcome(turn, record) : outcomeOf(turn, record);
  const isOpen = turn.steers.size > 0 && !turn.isInterruptRequested;
  const ended = isOpen
    ? continueTurn(counted, { ...turn, ended: usage }, { ...over, usage }, record)
    : finish(counted, turn, { ...over, usage }, record);
  return { ...ended, events: [...events, ...(ended.events ?? [])] };
}

/** Steers that a result answers were read; some versions report nothing else about them. */
function settleAnsweredSteers(turn: TurnState, record: Fields): { turn: TurnState; events: DialectEvent[] } {
  const answered = new Set(textsOf(record["user_message_uuids"]));
  const accepted = [...turn.steers].filter(([uuid]) => answered.has(uuid));
  if (accepted.length === 0) return { turn, events: [] };
  const steers = new Map([...turn.steers].filter(([uuid]) => !answered.has(uuid)));
  return { turn: { ...turn, steers }, events: accepted.map(([, messageId]) => ({ type: "steered", messageId })) };
}

export function isUnknownSession(text: string): boolean {
  return /no conversation found/i.test(text);
}

export function unknownSession(id: string): TurnOver {
  return errored({ code: UNKNOWN_SESSION, message: `Claude Code has no session ${id}.` });
}

/** Everything that ends with the turn. */
export function finish(state: ClaudeState, turn: TurnState, over: TurnOver, record: Fields = {}): Step<ClaudeState> {
  const context = turn.resting?.context ?? contextOf(turn, record);
  const broken = over.outcome === "errored" ? breakOff(state, turn, "the answer broke off") : closeOpen(state, turn);
  const events = [
    ...(broken.events ?? []),
    ...resultTextEvents(turn, over, record),
    ...context,
    ...changeReport(turn),
    { type: "turn_over", ...over } as const,
  ];
  return step({ ...broken.state, turn: undefined, pending: new Map() }, events, refuseOpen(state));
}

/** A steer is still waiting: the program continues with it, and so does the turn. */
function continueTurn(state: ClaudeState, turn: TurnState, over: TurnOver, record: Fields): Step<ClaudeState> {
  const closed = over.outcome === "errored" ? breakOff(state, turn, "the answer broke off") : closeOpen(state, turn);
  const resting = { over, context: contextOf(turn, record) };
  const rest = withTurn(closed.state, {
    ...turn,
    resting,
    open: undefined,
    behind: NO_USAGE,
    answer: undefined,
    hasText: false,
  });
  const events = [...(closed.events ?? []), ...resultTextEvents(turn, over, record)];
  if (over.error === undefined) return step(rest, events);
  const { code, message } = over.error;
  return step(rest, [...events, { type: "warning", code, message }]);
}

/** The program will not read a steer. If it waited for nothing else, no further result arrives. */
export function dropSteer(state: ClaudeState, turn: TurnState, uuid: string): Step<ClaudeState> {
  const steers = new Map([...turn.steers].filter(([one]) => one !== uuid));
  const { resting } = turn;
  if (resting === undefined || steers.size > 0) return step(withTurn(state, { ...turn, steers }));
  const { usage } = resting.over;
  const interrupted = {
    outcome: "interrupted",
    reason: "interrupted",
    ...(usage === undefined ? {} : { usage }),
  } as const;
  return finish(state, { ...turn, steers }, turn.isInterruptRequested ? interrupted : resting.over);
}

/** An answer of blanks alone gets no final record. */
function closeOpen(state: ClaudeState, turn: TurnState): Step<ClaudeState> {
  const { open } = turn;
  const next = withTurn(state, { ...turn, open: undefined });
  if (open === undefined || !open.isShown) return step(next);
  if (open.kind === "text" && !open.hasVisibleText)
    return step(next, [{ type: "text_retracted", reason: "it was blank" }]);
  return step(next, [{ type: `${open.kind}_done` }]);
}

/** Text that is not of a model, such as the output of the program's own command, is in the result only. */
function resultTextEvents(turn: TurnState, { outcome }: TurnOver, record: Fields): DialectEvent[] {
  const text = rawTextOf(record["result"]) ?? "";
  if (outcome !== "completed" || turn.hasText || text === "") return [];
  return [
    { type: "text_delta", text },
    { type: "text_done", text },
  ];
}

function contextOf({ answer, isCompaction, compacted }: TurnState, record: Fields): DialectEvent[] {
  const window = contextWindow(record, answer?.model);
  // The call that wrote the summary included everything that is gone now.
  const used = isCompaction ? (compacted?.after ?? 0) : answer === undefined ? 0 : contextTokens(answer.usage);
  return window === undefined || used === 0 ? [] : [{ type: "context_update", used, window, measured: true }];
}

/** False for the end of work without a prompt, and of a turn that was given up. */
function answersTurn({ uuid, uuids }: TurnState, record: Fields): boolean {
  const origin = rawTextOf(fieldsOf(record["origin"])?.["kind"]) ?? "human";
  const answered = textsOf(record["user_message_uuids"]);
  return origin === "human" && (uuid === undefined || answered.length === 0 || answered.some((one) => uuids.has(one)));
}

/** Text without a compaction is the reason why it failed. */
function compactionOutcome(turn: TurnState, record: Fields): TurnOver {
  const over = outcomeOf(turn, record);
  if (over.outcome !== "completed" || turn.compacted !== undefined) return over;
  const text = (rawTextOf(record["result"]) ?? "").trim();
  const why = text === "" ? (turn.compactError ?? "") : text;
  return errored({ code: "not_compacted", message: why === "" ? "it gave no reason." : why });
}

const UNHOOKED = {
  code: "unguarded",
  message: "Claude Code did not run Roundtable's hooks, so its changes would not need approval. The turn was stopped.",
  hint: "Check for settings that disable hooks, such as CLAUDE_CODE_SIMPLE, or update Claude Code.",
};

function outcomeOf(turn: TurnState, record: Fields): TurnOver {
  if (turn.isUnhooked) return errored(UNHOOKED);
  const reason = rawTextOf(record["terminal_reason"]) ?? "";
  if (reason.startsWith("aborted") || (turn.isInterruptRequested && record["is_error"] === true)) {
    return { outcome: "interrupted", reason: "interrupted" };
  }
  if (record["is_error"] !== true) return { outcome: "completed" };
  const subtype = rawTextOf(record["subtype"]) ?? "";
  const text = rawTextOf(record["result"]) ?? textsOf(record["errors"]).join("\n");
  // Without any login no request is made, so there is no status either.
  const isLoggedOut = /^not logged in\b/i.test(text);
  const code = isLoggedOut ? "unauthorized" : errorCode(reason, subtype, numberOf(record["api_error_status"]));
  const hint = HINTS[code];
  return errored({
    code,
    message: text === "" ? `Claude Code ended the turn with an error (${subtype || "no reason given"}).` : text,
    ...(hint === undefined ? {} : { hint }),
  });
}

export const LOGIN_HINT = 'Run "claude auth login" in a terminal, or export its key and open the session again.';

const HINTS: Readonly<Record<string, string | undefined>> = {
  unauthorized: LOGIN_HINT,
  rate_limited: "Wait until the limit is reset, or switch the member's model.",
  context_length: "Ask for something smaller, or begin a new session.",
  provider_error: "Ask again.",
};

function errorCode(reason: string, subtype: string, status: number | undefined): string {
  if (reason === "prompt_too_long") return "context_length";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 429) return "rate_limited";
  if (reason === "api_error" || subtype === "success") return "provider_error";
  return subtype === "" ? "failed" : subtype;
}
