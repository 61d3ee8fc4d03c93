/**
 * Quirks of single agents that would otherwise show an error, a retry or a broken text as the member's answer. Each is
 * bound to the agent's name, so no other agent can be misread by it.
 */
import { countOf, recordAt, recordOf, recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { retract, retractAnswer } from "./turn/segments.ts";
import { andThen, withTurn, type AcpState, type AcpStep } from "./state.ts";

const GEMINI = /^gemini-cli$/;
const OPENCODE = /^opencode$/i;
const PI = /^pi-acp$/;

/** By the name in the agent's `initialize` answer. */
export function isAgent(state: AcpState, name: RegExp): boolean {
  return name.test(textOf(recordOf(state.offer, "agentInfo"), "name") ?? "");
}

/** codex-acp reports retries and failed turns outside the text, and then ends the turn as if it had succeeded. */
export function handleThreadStatus(state: AcpState, update: Fields): AcpStep {
  const codex = recordAt(update, "_meta", "codex");
  const error = recordOf(codex, "error");
  if (error["willRetry"] === true) return retrying(state, textOf(error, "message") ?? "", 0);
  const hasFailed = error["willRetry"] === false || textOf(recordOf(codex, "threadStatus"), "type") === "systemError";
  if (!hasFailed || state.turn === undefined) return { state };
  return { state: withTurn(state, { hiddenError: textOf(error, "message") ?? state.turn.hiddenError ?? "" }) };
}

/** After a failure, text of codex-acp without a message id is the reason. */
export function captureErrorText(state: AcpState, update: Fields, text: string): AcpStep | undefined {
  const { turn } = state;
  if (turn === undefined || turn.hiddenError === undefined || textOf(update, "messageId") !== undefined)
    return undefined;
  return { state: withTurn(state, { hiddenError: `${turn.hiddenError}${text}`.slice(0, ERROR_CHARS_MAX) }) };
}

const ERROR_CHARS_MAX = 8_000;
const PI_RETRY = /^Retrying \(attempt (\d+)\/(\d+), waiting (\d+)s\)\.\.\.\s*$/;
const PI_RETRIED = /^Retry finished, resuming\.\s*$/;

/** pi-acp announces retries as model text, in chunks of their own. */
export function parsePiRetry(state: AcpState, text: string): AcpStep | undefined {
  if (!isAgent(state, PI)) return undefined;
  const retry = PI_RETRY.exec(text);
  // Pi drops the whole answer and requests it again.
  if (retry !== null) return retrying(state, text.trim(), Number(retry[3]) * 1_000, retractAnswer);
  return PI_RETRIED.test(text) ? { state } : undefined;
}

const COPILOT_RETRY = /^Info: (.*\bRetrying)\.\.\.\s*$/;
/** A whole sentence in one chunk; model text arrives in smaller ones. */
const COPILOT_ERROR = /^Error: (\S.{8,})/s;

/** Copilot reports retries and failures as model text, and then ends the turn as if it had succeeded. */
export function parseCopilotNotice(state: AcpState, text: string): AcpStep | undefined {
  if (!isAgent(state, COPILOT)) return undefined;
  const retry = COPILOT_RETRY.exec(text);
  if (retry !== null) return retrying(state, retry[1] ?? "", 0);
  const failure = COPILOT_ERROR.exec(text);
  return failure === null ? undefined : { state: withTurn(state, { hiddenError: failure[1] ?? "" }) };
}

/** Copilot reports the tokens of all turns since its start; others report those of the turn. */
export function countsAllTurns(state: AcpState): boolean {
  return isAgent(state, COPILOT);
}

const COPILOT = /^copilot$/i;

/**
 * claude-agent-acp reports usage at the end of each message; a text followed at once by another one was cut off. Newer
 * versions also report changed usage at the start: then a single report between two messages is no end.
 */
export function isUnfinishedBefore(state: AcpState): boolean {
  const { usagesSinceText, isUsageReportedAtStart = false } = state.turn ?? {};
  const isEndMissing = usagesSinceText !== undefined && usagesSinceText <= (isUsageReportedAtStart ? 1 : 0);
  return isEndMissing && isAgent(state, /claude-agent-acp$/);
}

/** opencode exposes its to-do list only as the arguments of its own tool. Empty when this is no such call. */
export function listedTodos(state: AcpState, update: Fields): readonly Fields[] {
  const isCalled = textOf(update, "status") === "in_progress" && isAgent(state, OPENCODE);
  return isCalled && textOf(update, "title") === "todowrite" ? recordsOf(recordOf(update, "rawInput"), "todos") : [];
}

/**
 * Tool name where the agent itself writes it: Gemini CLI as a prefix of its ids, opencode as the title of a new call,
 * and pi-acp too unless it is a command. For any other agent these fields contain text of the model or its provider.
 */
export function toolNameOf(state: AcpState, call: Fields): string | undefined {
  if (isAgent(state, GEMINI)) return geminiToolName(textOf(call, "toolCallId") ?? "");
  const isTitled = isAgent(state, OPENCODE) || (isAgent(state, PI) && textOf(call, "kind") !== "execute");
  return isTitled && textOf(call, "sessionUpdate") === "tool_call" ? textOf(call, "title") : undefined;
}

/** The name, two underscores and the provider's id (which contains none), or the time where there was no id. */
function geminiToolName(toolCallId: string): string | undefined {
  return (/^(\S+)__\S+$/.exec(toolCallId) ?? /^(\S+)-\d{10,}-\S+$/.exec(toolCallId))?.[1];
}

const GEMINI_DENIAL = /^Tool execution .{0,200}denied by policy\b/;
const OPENCODE_ABSENT = /^The arguments provided to the tool are invalid: Model tried to call unavailable tool/;
const OPENCODE_DENIAL = /^The user has specified a rule which prevents you from using this/;

/** Text by which an agent reports a call that the rules we gave it have denied. */
export function isOwnDenial(state: AcpState, text: string): boolean {
  if (isAgent(state, GEMINI)) return GEMINI_DENIAL.test(text);
  return isAgent(state, OPENCODE) && OPENCODE_DENIAL.test(text);
}

/** opencode reports a call of a tool that its model does not have as completed. */
export function isAbsentTool(state: AcpState, text: string): boolean {
  return isAgent(state, OPENCODE) && OPENCODE_ABSENT.test(text);
}

const MODE_NEWS = /^\[MODE_UPDATE\] (\S{1,64})\s*$/;

/** Gemini CLI reports a mode change as model text. */
export function modeInText(state: AcpState, text: string): string | undefined {
  return isAgent(state, GEMINI) ? MODE_NEWS.exec(text)?.[1] : undefined;
}

/**
 * How to keep a text from being run as a command of the agent. opencode runs whatever begins with a slash and silently
 * ignores unknown names, but hides from the model what is marked for the user only. Gemini CLI has commands under names
 * that it does not list. Others run what they list.
 */
export function commandShieldOf(state: AcpState, text: string): "unseen" | "sentence" | undefined {
  const begin = text.trimStart();
  if (isAgent(state, OPENCODE)) return begin.startsWith("/") ? "unseen" : undefined;
  if (isAgent(state, GEMINI)) return /^[/$]\s*[a-z?][\w-]*(?!\S)/i.test(begin) ? "sentence" : undefined;
  const word = /^\/(\S+)/.exec(begin)?.[1];
  return word !== undefined && state.commands?.some(({ name }) => name === word) === true ? "sentence" : undefined;
}

/** Gemini CLI puts a heading before each chunk of a thought, even an empty one. */
export function thoughtText(state: AcpState, text: string): string {
  return isAgent(state, GEMINI) ? text.replace(/^\*\*\*\*\n/, "") : text;
}

const GEMINI_RETRY = /^Attempt (\d+) failed(?: with status (\d+))?\b.*?Retrying with backoff\.*\s*(.*)$/;
/** Default number of attempts of Gemini CLI. */
const GEMINI_ATTEMPTS = 10;
const REASON_CHARS_MAX = 300;

/** Gemini CLI reports its retries on stderr only, not over ACP. */
export function handleStderrLine(state: AcpState, line: string): AcpStep {
  const [, attempt, status, reason = ""] = (isAgent(state, GEMINI) && GEMINI_RETRY.exec(line)) || [];
  if (state.turn === undefined || attempt === undefined) return { state };
  const details = [...(status === undefined ? [] : [`HTTP ${status}`]), reason.slice(0, REASON_CHARS_MAX)];
  const text = details.filter((one) => one !== "").join(": ");
  const of = Math.max(GEMINI_ATTEMPTS, Number(attempt));
  const retry = { attempt: Number(attempt), of, delayMs: 0, reason: text === "" ? "the model did not answer" : text };
  return { state, events: [{ type: "retrying", ...retry }] };
}

function retrying(
  state: AcpState,
  reason: string,
  delayMs: number,
  rollback = (next: AcpState) => retract(next),
): AcpStep {
  if (state.turn === undefined) return { state };
  const counts = /(\d+)\/(\d+)/.exec(reason);
  const attempt = Number(counts?.[1] ?? 1);
  const of = Number(counts?.[2] ?? attempt);
  return andThen(rollback(state), (state) => ({
    state,
    events: [{ type: "retrying", attempt, of, delayMs, reason: reason === "" ? "the model did not answer" : reason }],
  }));
}

/** Lines that Gemini CLI puts after the output of a command when it was started with --debug. */
const GEMINI_OUTCOME =
  /^Output: (.*?)(?:\nError: [^\n]*)?(?:\nExit Code: (\d+))?(?:\nSignal: (\w+))?(?:\nBackground PIDs: [\d, ]*)?\nProcess Group PGID: \d+$/s;

/** Output of a command and its exit code, undefined where the agent does not report one. */
export function commandOutcome(
  state: AcpState,
  call: Fields,
  text: string,
): { text: string; exitCode: number | undefined } {
  const reported =
    countOf(recordAt(call, "rawOutput", "metadata"), "exit") ??
    countOf(recordOf(call, "rawOutput"), "exit_code") ??
    countOf(recordAt(call, "_meta", "terminal_exit"), "exit_code");
  const [, output, code, signal] = (isAgent(state, GEMINI) && GEMINI_OUTCOME.exec(text)) || [];
  if (output === undefined) return { text, exitCode: reported };
  const shown = output === "(empty)" ? "" : output;
  // A signal has no exit code of its own.
  return { text: shown, exitCode: signal === undefined ? Number(code ?? 0) : 1 };
}

/** Whether the agent reports failed commands as completed. */
export function completesFailures(state: AcpState): boolean {
  return isAgent(state, GEMINI) || isAgent(state, COPILOT);
}
