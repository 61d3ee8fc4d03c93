/** End of a turn. Pi continues after many of its ends (retries, steers); only the last one counts. */
import type { DialectEvent, Step, TurnOver } from "../../process/dialect.ts";
import { hintFor, errored } from "../../process/turn-errors.ts";
import { refuseOpen } from "./extension-ui.ts";
import { line, step, type AnswerEnd, type PiSetup, type PiState, type TurnState } from "./state.ts";

/** Limit of files in a report. */
const FILES_MAX = 200;

export const INTERRUPTED: TurnOver = { outcome: "interrupted", reason: "interrupted" };

export function settle(state: PiState, turn: TurnState, isAborted: boolean, setup: PiSetup): Step<PiState> {
  if (isAborted || turn.isAborting || turn.end?.stopReason === "aborted") return finish(state, turn, INTERRUPTED);
  if (turn.end?.stopReason === "error") return finish(state, turn, modelError(setup.member, turn.end));
  const isCut = turn.end?.stopReason === "length";
  return finish(state, turn, { outcome: "completed", ...(isCut ? { reason: "length" } : {}) });
}

/** Everything that ends with the turn. A steer left in Pi's queue would come back with the next prompt. */
export function finish(state: PiState, turn: TurnState, over: TurnOver): Step<PiState> {
  const usage = turn.usage === undefined ? {} : { usage: turn.usage };
  const events: DialectEvent[] = [...changeReport(turn), { type: "turn_over", ...over, ...usage }];
  const next = { ...state, turn: undefined, pending: new Map() };
  const queue = turn.steers.length === 0 ? [] : [line({ type: "clear_queue" })];
  return step(next, events, ...queue, ...refuseOpen(state));
}

export function refused(member: string, reason: string): TurnOver {
  const kind = kindOf(member, reason);
  return errored({ ...kind, message: `${member} rejected the turn: ${sentence(reason)}` });
}

export function notCompacted(reason: string): TurnOver {
  return errored({ code: "not_compacted", message: sentence(reason) });
}

export function unguarded(member: string): TurnOver {
  return errored({
    code: "extension_missing",
    message: `${member} was not sent the prompt: Pi did not load the extension that guards its tools.`,
    hint: "Update Pi, and check in its own terminal app that extensions load.",
  });
}

function modelError(member: string, { errorMessage }: AnswerEnd): TurnOver {
  const reason = errorMessage ?? "its model gave no reason";
  return errored({ ...kindOf(member, reason), message: `${member} failed: ${sentence(reason)}` });
}

function changeReport({ changes }: TurnState): DialectEvent[] {
  const files = [...changes.values()];
  const truncatedCount = Math.max(0, files.length - FILES_MAX);
  return files.length === 0 ? [] : [{ type: "change_report", files: files.slice(0, FILES_MAX), truncatedCount }];
}

export const LOGIN_HINT = "Run pi and log in with /login, or name the variable with the key in the member's env.";

interface Kind {
  readonly code: string;
  readonly hint: string;
}

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/\b40[13]\b|api key|unauthori[sz]ed|authentication|\/login/i, { code: "unauthorized", hint: LOGIN_HINT }],
  [
    /\b429\b|rate.?limit|quota/i,
    { code: "rate_limited", hint: "Wait until the limit is reset, or give the member another model." },
  ],
  [
    /context.{0,20}(length|window|overflow)|too long|too many tokens/i,
    { code: "context_overflow", hint: "Ask for something smaller, or clear the session." },
  ],
  [/no model|model.{0,20}not found/i, { code: "model_not_found", hint: "Give the member another model." }],
  [/\b5\d\d\b|overloaded/i, { code: "overloaded", hint: "Ask again in a moment." }],
];

function kindOf(member: string, reason: string): Kind {
  const known = KINDS.find(([pattern]) => pattern.test(reason))?.[1];
  return known ?? { code: "agent_error", hint: hintFor(reason, { member }) ?? "Ask again." };
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
