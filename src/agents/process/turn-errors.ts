/** Error messages and hints of turns whose program failed. */
import path from "node:path";
import type { TurnOver } from "./dialect.ts";
import type { ProcessEnd } from "./supervised-process.ts";

interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly detail?: string;
  readonly exitCode?: number | undefined;
}

export function errored({ code, message, hint, detail, exitCode }: ErrorDetails): TurnOver {
  const rest = {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined || detail === "" ? {} : { detail }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
  return { outcome: "errored", reason: code, error: { code, message, ...rest } };
}

/** Facts about the failed program for its error hint. */
export interface ProgramFacts {
  readonly command: string;
  readonly loginHint?: string | undefined;
}

export const SANDBOX_HINT = `See "roundtable doctor" for the sandbox; "sandbox": "off" in its configuration starts it without.`;

/** Launchers of other programs; their name tells nothing. */
const RUNNERS = /^(?:node|npx|bunx?|deno|uvx?|python3?|bash|sh)(?:\.exe)?$/;

export function crashed(member: string, end: ProcessEnd, { command, loginHint }: ProgramFacts): TurnOver {
  if (end.sandboxError !== undefined) {
    const message = `${member} did not start: its sandbox could not run it (${end.sandboxError}).`;
    return errored({ code: "not_started", message, hint: SANDBOX_HINT, detail: end.stderr });
  }
  const name = path.basename(command);
  const what = RUNNERS.test(name) ? "its command" : `"${name}"`;
  const check = `Run ${what} in a terminal to check that it works, then ask again.`;
  return errored({
    code: "crashed",
    message: `${member} exited before its answer was complete (${howItEnded(end)}).`,
    hint: hintFor(end.stderr, { member, loginHint }) ?? (end.signal === undefined ? check : "Ask again."),
    detail: end.stderr,
    exitCode: end.code,
  });
}

/** Adds the last crash to a crash-loop refusal, since the refused start has no output of its own. */
export function withLastCrash(over: TurnOver, last: TurnOver["error"] | undefined): TurnOver {
  if (last === undefined || over.error?.code !== "crash_loop") return over;
  return { ...over, error: { ...last, ...over.error } };
}

export function outputClosed(member: string, stderr: string): TurnOver {
  const message = `${member} closed its output in the middle of the turn, so no answer can come.`;
  return errored({ code: "output_closed", message, hint: "It was stopped; ask again.", detail: stderr });
}

export function inputClosed(member: string, why: string, stderr: string): TurnOver {
  const message = `${member} did not accept the prompt: ${why}.`;
  return errored({ code: "input_closed", message, hint: "It was stopped; ask again.", detail: stderr });
}

export function isBrokenPipe({ reason }: TurnOver): boolean {
  return reason === "output_closed" || reason === "input_closed";
}

export function withDetail(over: TurnOver, detail: string): TurnOver {
  return over.error === undefined || detail === "" ? over : { ...over, error: { ...over.error, detail } };
}

export function silent(member: string, ms: number): TurnOver {
  const message = `${member} produced no output for ${seconds(ms)} and was stopped.`;
  return errored({ code: "silent", message, hint: "Ask again, or ask for something smaller." });
}

export function tooLong(member: string, ms: number): TurnOver {
  const message = `${member} worked for ${seconds(ms)}, which is the limit of a turn, and was stopped.`;
  return errored({ code: "too_long", message, hint: "Ask it to continue, or ask for something smaller." });
}

export function busy(member: string): TurnOver {
  return errored({ code: "busy", message: `${member} was sent a turn while another one is running.` });
}

export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function howItEnded({ code, signal }: ProcessEnd): string {
  if (signal !== undefined) return `signal ${signal}`;
  return code === undefined ? "no exit code" : `exit code ${code}`;
}

interface HintOptions {
  readonly member: string;
  /** How to log in to the program, as a sentence. */
  readonly loginHint?: string | undefined;
}

const LOGGED_OUT =
  /\b(?:not (?:logged|signed) in|logged out|(?:log|sign) ?in (?:first|again|required)|(?:please|must|need to) (?:log|sign) ?in|login required|not authenticated|authentication (?:required|failed)|unauthori[sz]ed|(?:invalid|missing|no) (?:api key|credentials?))\b/i;
const MISSING_VARIABLE =
  /\bmissing (?:required )?environment variable:?\s*[`'"]?([a-z]\w+)|\b([a-z][a-z0-9]*_\w+)[`'"]? (?:environment variable )?(?:is|was) (?:not set|missing)\b/i;

/** Hint derived from a program's output; undefined when it matches no known problem. */
export function hintFor(printed: string, { member, loginHint }: HintOptions): string | undefined {
  const [, named, unset] = MISSING_VARIABLE.exec(printed) ?? [];
  const variable = named ?? unset;
  if (variable !== undefined) {
    return `Set ${variable} in the terminal that starts Roundtable. If it is set there, add it to agents.${member}.env in the configuration.`;
  }
  if (loginHint !== undefined && LOGGED_OUT.test(printed)) return `${member} is not logged in. ${loginHint}`;
  return undefined;
}
