/** Why a turn failed and the command that fixes it, in the same words for every view. */
import type { TurnMessage } from "../messages.ts";
import { formatWorkTime } from "../format/units.ts";
import { failureDetail, turnText } from "./turn.ts";

export interface FailedTurn {
  /** One sentence: "claude is not logged in." */
  readonly headline: string;
  /** What follows it: "It resets at 17:00." */
  readonly more: string;
  /** What its program printed last, and how it ended. */
  readonly lines: readonly string[];
  /** All lines its program printed, when `lines` has only some of them. */
  readonly printed?: readonly string[];
  /** When asking again makes sense: a quota resets. */
  readonly retryAt?: number;
  /** To be run in another terminal. */
  readonly command?: string;
  /** Advice that is no command. */
  readonly advice?: string;
  /** True when it had started to answer. */
  readonly hasAnswered: boolean;
}

const REASON_CHARS_MAX = 4000;

const LABELS: Readonly<Record<string, string>> = { timed_out: "took too long", errored: "failed" };

/**
 * Undefined for a turn that is open, went well, or was stopped, and for an outcome of a later version without a reason.
 */
export function describeFailure(turn: TurnMessage): FailedTurn | undefined {
  const { end, member } = turn;
  if (end === undefined || end.outcome === "completed" || end.outcome === "interrupted") return undefined;
  const { message = "", hint = "", exitCode } = end.error ?? {};
  const whole = (message === "" ? (end.reason ?? "") : message).slice(0, REASON_CHARS_MAX);
  const label = LABELS[end.outcome];
  if (label === undefined && whole === "") return undefined;
  const loggedOut = /^.{1,80}? is not logged in\./.exec(hint)?.[0];
  const [first, more] = sentences(loggedOut ?? (whole === "" ? `${member} ${label}.` : whole));
  const rest = loggedOut === undefined ? hint : hint.slice(loggedOut.length).trim();
  const command = commandIn(rest);
  const code = exitCode === undefined ? [] : [`exit code ${exitCode} after ${formatWorkTime(end.durationMs)}`];
  const detail = failureDetail(turn);
  const why = loggedOut === undefined || detail.length > 0 ? [] : [whole];
  const output = end.error?.detail?.trimEnd() ?? "";
  const printed = output === "" || whole.includes(output.trim()) ? [] : output.split("\n");
  const retryAt = resetIn(more, end.ts);
  return {
    headline: first,
    more,
    lines: [...why, ...detail, ...(first.includes("exit code") ? [] : code)],
    ...(printed.length > detail.length ? { printed } : {}),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(command === undefined ? {} : { command }),
    ...(command !== undefined || rest === "" || /^(?:It was stopped; )?ask again\.$/i.test(rest)
      ? {}
      : { advice: rest }),
    hasAnswered: turnText(turn).trim() !== "",
  };
}

/** The first sentence and the others. */
function sentences(text: string): [first: string, more: string] {
  const [first = text] = /^.*?[.!?](?=\s|$)/s.exec(text) ?? [];
  return [first, text.slice(first.length).trim()];
}

const DAY_MS = 86_400_000;

/** The next time of day after `ts` that a text says a quota resets at, in the time zone of this machine. */
function resetIn(text: string, ts: number): number | undefined {
  const [, hours, minutes] = /\bresets at (\d{1,2}):(\d{2})(?![\d:])/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const at = new Date(ts).setHours(Number(hours), Number(minutes), 0, 0);
  return at > ts ? at : at + DAY_MS;
}

/** A command that a hint tells the user to run, as it is typed. */
function commandIn(hint: string): string | undefined {
  const [, ticked, quoted] =
    /\b(?:[Rr]un|[Ii]nstall it:|[Ll]og in with)\s+(?:`([^`\n]+)`|"([^"\n]+)")/.exec(hint) ?? [];
  return ticked ?? quoted;
}
