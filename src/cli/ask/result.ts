/** The `result` line of a machine-readable run, and its exit code. */
import type { Usage } from "../../protocol/index.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import type { Failure } from "../../kit/failure.ts";
import { sumUsage, type MemberAnswer } from "./answers.ts";
import type { Declined } from "./approver.ts";

/** Why the question ended. */
export type Ending = "answered" | "timeout" | "interrupted" | "limit" | "closed_output";

export interface ResultLine {
  type: "result";
  subtype:
    | "success"
    | "error"
    | "error_some_members"
    | "error_all_members"
    | "error_timeout"
    | "error_limit"
    | "error_declined"
    | "interrupted";
  is_error: boolean;
  exit_code: ExitCode;
  session_id: string | null;
  duration_ms: number;
  /** All answers as one text; with several members, each under its name. */
  result: string;
  members: Record<string, MemberLine>;
  /** Calls that were declined because nobody could approve them. */
  declined: Declined[];
  usage: UsageLine | null;
  /** Sum of reported costs; null when no member reported any. */
  total_cost_usd: number | null;
  /** Members that report no cost: limits in dollars do not apply to them. */
  cost_unknown_for: string[];
  error: { code: string; message: string; hint?: string } | null;
}

interface MemberLine {
  outcome: MemberAnswer["outcome"];
  is_error: boolean;
  result: string;
  turns: number;
  /** Rounds in which it had nothing to add; left out of `result`. */
  nothing_to_add: number[];
  duration_ms: number;
  usage: UsageLine | null;
  error: MemberErrorLine | null;
  /** What prevents it from changing files unasked; null until one of its programs started. */
  guard: NonNullable<MemberAnswer["guard"]> | null;
}

type MemberError = NonNullable<MemberAnswer["error"]>;
type MemberErrorLine = Omit<MemberError, "exitCode"> & { exit_code?: number };

interface UsageLine {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
  /** Null when the member did not report it. */
  cost_usd: number | null;
}

export interface RunOutcome {
  sessionId: string | undefined;
  durationMs: number;
  ending: Ending;
  answers: readonly MemberAnswer[];
  declined?: readonly Declined[];
  /** The session's pause message. */
  message?: string;
}

export function resultOf({ sessionId, durationMs, ending, answers, declined = [], message }: RunOutcome): ResultLine {
  const { subtype, exitCode } = withDeclined(verdict(ending, answers), declined);
  const usage = sumUsage(answers);
  const [only] = answers;
  return {
    type: "result",
    subtype,
    is_error: exitCode !== exitCodes.ok,
    exit_code: exitCode,
    session_id: sessionId ?? null,
    duration_ms: Math.round(durationMs),
    result:
      answers.length === 1 && only !== undefined
        ? only.text
        : answers.map((answer) => `${answer.member}:\n${answer.text}`).join("\n\n"),
    members: Object.fromEntries(answers.map((answer) => [answer.member, memberLine(answer)])),
    declined: [...declined],
    usage: usageLine(usage),
    total_cost_usd: usage?.costUsd ?? null,
    cost_unknown_for: answers.filter(isCostUnknown).map(({ member }) => member),
    error: message === undefined ? null : { code: subtype, message },
  };
}

export function failedResult(failure: Failure, sessionId: string | undefined, durationMs: number): ResultLine {
  const { code, message, hint } = failure;
  return {
    type: "result",
    subtype: "error",
    is_error: true,
    exit_code: failure.exitCode,
    session_id: sessionId ?? null,
    duration_ms: Math.round(durationMs),
    result: "",
    members: {},
    declined: [],
    usage: null,
    total_cost_usd: null,
    cost_unknown_for: [],
    error: { code, message, ...(hint === undefined ? {} : { hint }) },
  };
}

interface Verdict {
  readonly subtype: ResultLine["subtype"];
  readonly exitCode: ExitCode;
}

/** A run with declined calls is not a success, even if all members answered. */
function withDeclined(result: Verdict, declined: readonly Declined[]): Verdict {
  if (declined.length === 0 || result.subtype !== "success") return result;
  return { subtype: "error_declined", exitCode: exitCodes.permissionDenied };
}

function verdict(ending: Ending, answers: readonly MemberAnswer[]): Verdict {
  switch (ending) {
    case "timeout":
      return { subtype: "error_timeout", exitCode: exitCodes.timeout };
    case "interrupted":
      return { subtype: "interrupted", exitCode: exitCodes.interrupted };
    case "limit":
      return { subtype: "error_limit", exitCode: exitCodes.limitReached };
    case "closed_output":
      return { subtype: "interrupted", exitCode: exitCodes.ok };
    default:
      return byOutcome(answers);
  }
}

/** Failures of one kind have their own exit code; mixed ones are a general failure. */
function byOutcome(answers: readonly MemberAnswer[]): Verdict {
  const failed = answers.filter((answer) => answer.outcome !== "completed");
  if (failed.length === 0) return { subtype: "success", exitCode: exitCodes.ok };
  if (failed.length < answers.length) return { subtype: "error_some_members", exitCode: exitCodes.someMembersFailed };
  if (failed.every((answer) => answer.outcome === "timed_out"))
    return { subtype: "error_timeout", exitCode: exitCodes.timeout };
  if (failed.every((answer) => answer.outcome === "interrupted")) {
    return { subtype: "interrupted", exitCode: exitCodes.interrupted };
  }
  return { subtype: "error_all_members", exitCode: exitCodes.failure };
}

function memberLine(answer: MemberAnswer): MemberLine {
  return {
    outcome: answer.outcome,
    is_error: answer.outcome !== "completed",
    result: answer.text,
    turns: answer.turns,
    nothing_to_add: answer.quietRounds ?? [],
    duration_ms: Math.round(answer.durationMs),
    usage: usageLine(answer.usage),
    error: answer.error === undefined ? null : errorLine(answer.error),
    guard: answer.guard ?? null,
  };
}

function isCostUnknown({ turns, usage }: MemberAnswer): boolean {
  return turns > 0 && usage?.costUsd === undefined;
}

function errorLine({ exitCode, ...error }: MemberError): MemberErrorLine {
  return { ...error, ...(exitCode === undefined ? {} : { exit_code: exitCode }) };
}

function usageLine(usage: Usage | undefined): UsageLine | null {
  if (usage === undefined) return null;
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd ?? null,
    ...(usage.cacheReadTokens === undefined ? {} : { cache_read_tokens: usage.cacheReadTokens }),
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
    ...(usage.reasoningTokens === undefined ? {} : { reasoning_tokens: usage.reasoningTokens }),
  };
}
