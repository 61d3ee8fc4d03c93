/**
 * What single agents say in ways of their own, where taking it literally would show an error, a retry or a broken
 * text as the member's answer. Each is bound to the agent's own name, so no other agent can be misread by it.
 */
import { recordAt, recordOf, recordsOf, textOf, type Fields } from "../../json-rpc/fields.ts";
import { retract, retractAnswer } from "./turn/segments.ts";
import { andThen, withTurn, type AcpState, type AcpStep } from "./state.ts";

const GEMINI = /^gemini-cli$/;
const OPENCODE = /^opencode$/i;
const PI = /^pi-acp$/;

/** By the name that the agent gives itself. */
export function isAgent(state: AcpState, name: RegExp): boolean {
  return name.test(textOf(recordOf(state.offer, "agentInfo"), "name") ?? "");
}

/** codex-acp tells of retries and of failed turns beside the text, and then ends the turn as if nothing was. */
export function handleThreadStatus(state: AcpState, update: Fields): AcpStep {
  const codex = recordAt(update, "_meta", "codex");
  const error = recordOf(codex, "error");
  if (error["willRetry"] === true) return retrying(state, textOf(error, "message") ?? "", 0);
  const hasFailed = error["willRetry"] === false || textOf(recordOf(codex, "threadStatus"), "type") === "systemError";
  if (!hasFailed || state.turn === null) return { state };
  return { state: withTurn(state, { hiddenError: textOf(error, "message") ?? state.turn.hiddenError ?? "" }) };
}

/** After a failure, what codex-acp sends as text without a message of the model is the reason. */
export function captureErrorText(state: AcpState, update: Fields, text: string): AcpStep | null {
  const { turn } = state;
  if (turn === null || turn.hiddenError === null || textOf(update, "messageId") !== null) return null;
  return { state: withTurn(state, { hiddenError: `${turn.hiddenError}${text}`.slice(0, ERROR_CHARS_MAX) }) };
}

const ERROR_CHARS_MAX = 8_000;
const PI_RETRY = /^Retrying \(attempt (\d+)\/(\d+), waiting (\d+)s\)\.\.\.\s*$/;
const PI_RETRIED = /^Retry finished, resuming\.\s*$/;

/** pi-acp announces its retries as text of the model, in pieces of their own. */
export function parsePiRetry(state: AcpState, text: string): AcpStep | null {
  if (!isAgent(state, PI)) return null;
  const retry = PI_RETRY.exec(text);
  // Pi leaves the whole answer out and asks for it again.
  if (retry !== null) return retrying(state, text.trim(), Number(retry[3]) * 1_000, retractAnswer);
  return PI_RETRIED.test(text) ? { state } : null;
}

const COPILOT_RETRY = /^Info: (.*\bRetrying)\.\.\.\s*$/;
/** A whole sentence in one piece; a model's own words come in smaller ones. */
const COPILOT_ERROR = /^Error: (\S.{8,})/s;

/** Copilot tells of retries and of its failure as text of the model, and then ends the turn as if nothing was. */
export function parseCopilotNotice(state: AcpState, text: string): AcpStep | null {
  if (!isAgent(state, COPILOT)) return null;
  const retry = COPILOT_RETRY.exec(text);
  if (retry !== null) return retrying(state, retry[1] ?? "", 0);
  const failure = COPILOT_ERROR.exec(text);
  return failure === null ? null : { state: withTurn(state, { hiddenError: failure[1] ?? "" }) };
}

/** Copilot tells the tokens of all turns since it was started, where others tell those of the turn. */
export function countsAllTurns(state: AcpState): boolean {
  return isAgent(state, COPILOT);
}

const COPILOT = /^copilot$/i;

/**
 * claude-agent-acp reports usage at the end of each message; a text that another one follows at once broke off. Newer
 * ones report it at the beginning too, when it is not what it was: then one report between two messages is no end.
 */
export function isUnfinishedBefore(state: AcpState): boolean {
  const { usagesSinceText = null, isUsageReportedAtStart = false } = state.turn ?? {};
  const isEndMissing = usagesSinceText !== null && usagesSinceText <= (isUsageReportedAtStart ? 1 : 0);
  return isEndMissing && isAgent(state, /claude-agent-acp$/);
}

/** opencode tells its list of things to do only as what its own tool was called with. Empty when this is no such call. */
export function listedTodos(state: AcpState, update: Fields): readonly Fields[] {
  const isCalled = textOf(update, "status") === "in_progress" && isAgent(state, OPENCODE);
  return isCalled && textOf(update, "title") === "todowrite" ? recordsOf(recordOf(update, "rawInput"), "todos") : [];
}

/**
 * The name of a tool where the agent itself writes it: Gemini CLI before its ids, opencode as the title of a call that
 * begins, and pi-acp too unless it is a command. Of any other agent these are words of the model or of its provider.
 */
export function toolNameOf(state: AcpState, call: Fields): string | null {
  if (isAgent(state, GEMINI)) return geminiToolName(textOf(call, "toolCallId") ?? "");
  const isTitled = isAgent(state, OPENCODE) || (isAgent(state, PI) && textOf(call, "kind") !== "execute");
  return isTitled && textOf(call, "sessionUpdate") === "tool_call" ? textOf(call, "title") : null;
}

/** The name, then two underscores and its provider's id, in which none are; or then the time, where there was no id. */
function geminiToolName(toolCallId: string): string | null {
  return (/^(\S+)__\S+$/.exec(toolCallId) ?? /^(\S+)-\d{10,}-\S+$/.exec(toolCallId))?.[1] ?? null;
}

const GEMINI_DENIAL = /^Tool execution .{0,200}denied by policy\b/;
const OPENCODE_ABSENT = /^The arguments provided to the tool are invalid: Model tried to call unavailable tool/;
const OPENCODE_DENIAL = /^The user has specified a rule which prevents you from using this/;

/** What an agent says of a call that its own rules, which we gave it, have denied. */
export function isOwnDenial(state: AcpState, text: string): boolean {
  if (isAgent(state, GEMINI)) return GEMINI_DENIAL.test(text);
  return isAgent(state, OPENCODE) && OPENCODE_DENIAL.test(text);
}

/** opencode tells a call of a tool that its model does not have as completed. */
export function isAbsentTool(state: AcpState, text: string): boolean {
  return isAgent(state, OPENCODE) && OPENCODE_ABSENT.test(text);
}

const MODE_NEWS = /^\[MODE_UPDATE\] (\S{1,64})\s*$/;

/** Gemini CLI tells that its mode has changed as if the model had said so. */
export function modeInText(state: AcpState, text: string): string | null {
  return isAgent(state, GEMINI) ? (MODE_NEWS.exec(text)?.[1] ?? null) : null;
}

/**
 * How a text is kept from being run as a command of the agent's. opencode takes whatever begins with a slash for one,
 * and a name that it does not know for nothing at all; but what is marked as the user's only it does not show to the
 * model. Gemini CLI has commands that it does not offer by every name. Others run what they offer.
 */
export function commandShieldOf(state: AcpState, text: string): "unseen" | "sentence" | null {
  const begin = text.trimStart();
  if (isAgent(state, OPENCODE)) return begin.startsWith("/") ? "unseen" : null;
  if (isAgent(state, GEMINI)) return /^[/$]\s*[a-z?][\w-]*(?!\S)/i.test(begin) ? "sentence" : null;
  const word = /^\/(\S+)/.exec(begin)?.[1];
  return word !== undefined && state.commands?.some(({ name }) => name === word) === true ? "sentence" : null;
}

/** Gemini CLI puts a heading before each piece of a thought, also when the thought has none. */
export function thoughtText(state: AcpState, text: string): string {
  return isAgent(state, GEMINI) ? text.replace(/^\*\*\*\*\n/, "") : text;
}

const GEMINI_RETRY = /^Attempt (\d+) failed(?: with status (\d+))?\b.*?Retrying with backoff\.*\s*(.*)$/;
/** How often Gemini CLI tries unless its own settings say otherwise. */
const GEMINI_ATTEMPTS = 10;
const REASON_CHARS_MAX = 300;

/** Gemini CLI says nothing over ACP while it asks its model again, only on its standard error. */
export function handleStderrLine(state: AcpState, line: string): AcpStep {
  const [, attempt, status, reason = ""] = (isAgent(state, GEMINI) && GEMINI_RETRY.exec(line)) || [];
  if (state.turn === null || attempt === undefined) return { state };
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
  if (state.turn === null) return { state };
  const counts = /(\d+)\/(\d+)/.exec(reason);
  const attempt = Number(counts?.[1] ?? 1);
  const of = Number(counts?.[2] ?? attempt);
  return andThen(rollback(state), (state) => ({
    state,
    events: [{ type: "retrying", attempt, of, delayMs, reason: reason === "" ? "the model did not answer" : reason }],
  }));
}
