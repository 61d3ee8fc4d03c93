/** Why a turn failed and the command that fixes it, in the same words for every view. */
import type { TurnMessage } from "../model.ts";
import { formatWorkTime } from "../format/units.ts";
import { failureDetail, turnText } from "./turn.ts";

export interface FailedTurn {
  /** One sentence: "claude is not logged in." */
  readonly headline: string;
  /** What follows it: "It resets at 17:00." */
  readonly more: string;
  /** What its program printed last, and how it ended. */
  readonly lines: readonly string[];
  /** To be run in another terminal. */
  readonly command?: string;
  /** Advice that is no command. */
  readonly advice?: string;
  /** It had begun to answer. */
  readonly hasAnswered: boolean;
}

const REASON_CHARS_MAX = 4000;

const LABELS: Readonly<Record<string, string>> = { timed_out: "took too long", errored: "failed" };

/** Undefined for a turn that is open, went well, or was stopped, and for an outcome of a later version without a reason. */
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
  const why = loggedOut === undefined || failureDetail(turn).length > 0 ? [] : [whole];
  return {
    headline: first,
    more,
    lines: [...why, ...failureDetail(turn), ...(first.includes("exit code") ? [] : code)],
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

/** A command that a hint tells the user to run, as it is typed. */
function commandIn(hint: string): string | undefined {
  const [, ticked, quoted] =
    /\b(?:[Rr]un|[Ii]nstall it:|[Ll]og in with)\s+(?:`([^`\n]+)`|"([^"\n]+)")/.exec(hint) ?? [];
  return ticked ?? quoted;
}
