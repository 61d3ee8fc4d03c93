/** End of a turn: the answer to its prompt. Pure. */
import type { Usage } from "../../../../protocol/index.ts";
import type { TurnOver, DialectEvent } from "../../../process/dialect.ts";
import { errored } from "../../../process/turn-errors.ts";
import { writeResult, type RpcError } from "../../../json-rpc/messages.ts";
import { countsAllTurns } from "../agent-quirks.ts";
import { changeReport } from "../tools/changes.ts";
import { compactionEnd } from "../session/compaction.ts";
import { countOf, fieldsOf, recordAt, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { CANCELLED } from "../tools/permissions.ts";
import { closeSegment, retract } from "./segments.ts";
import { andThen, withTurn, type AcpState, type AcpStep, type AcpTurn } from "../state.ts";
import { callError, unreportedError } from "./errors.ts";

export interface EndOptions {
  readonly member: string;
  readonly isWritable: boolean;
  readonly cwd: string;
}

/** A prompt was answered. A turn with steers ends when all of its prompts are. */
export function promptDone(
  state: AcpState,
  options: EndOptions,
  answer: { result: unknown } | { error: RpcError },
): AcpStep {
  const { turn } = state;
  if (turn === undefined) return { state };
  if (turn.compaction !== undefined && !("error" in answer)) {
    const end = compactionEnd(state, turn, answer.result);
    const isDone = Array.isArray(end);
    const over: TurnOver = isDone ? { outcome: "completed" } : end;
    return andThen({ state, events: isDone ? end : [] }, (next) => endTurn(withTurn(next, { over }), options));
  }
  const over = "error" in answer ? refusal(turn, options, answer.error) : verdict(state, turn, options, answer.result);
  const openPrompts = Math.max(0, turn.openPrompts - 1);
  const counted = "error" in answer ? undefined : readUsage(fieldsOf(answer.result));
  const answered = withTurn(
    { ...state, counted: counted ?? state.counted },
    { openPrompts, over: worse(turn.over, over, turn.isWorkSince), isWorkSince: false },
  );
  return openPrompts > 0 ? { state: answered } : endTurn(answered, options);
}

export function endTurn(state: AcpState, options: EndOptions): AcpStep {
  const { turn } = state;
  if (turn === undefined) return { state };
  const over: TurnOver = turn.over ?? { outcome: "interrupted", reason: "interrupted" };
  // claude-agent-acp also sends a failure as text; it is reported once, as the failure.
  const isRepeated = over.error !== undefined && turn.segment === "text" && isEcho(turn, over);
  return andThen(isRepeated ? retract(state, "it was the reason for the failure") : closeSegment(state), (closed) => ({
    ...cancelPending({ ...closed, turn: undefined, leftTools: leftTools(closed, turn) }),
    events: [
      ...openTools(turn),
      ...changeReport(turn.changes, options.cwd),
      ...unapprovedActions(state, turn, options),
      { type: "turn_over", ...over },
    ],
  }));
}

/** Open requests of the agent, which nobody can answer after the turn. */
export function cancelPending(state: AcpState): AcpStep {
  const write = [...state.requests.pending.values()].map(({ id }) => writeResult(id, CANCELLED));
  return { state: { ...state, requests: { ...state.requests, pending: new Map() } }, write };
}

/** Agents do not report every call that was stopped with its turn. */
function openTools(turn: AcpTurn): DialectEvent[] {
  const error = { code: "tool_interrupted", message: "the turn ended before the tool did" } as const;
  return openIds(turn).map((nativeId) => ({ type: "tool_result", nativeId, ok: false, error }));
}

function openIds({ tools }: AcpTurn): string[] {
  return [...tools].flatMap(([id, { isDone }]) => (isDone ? [] : [id]));
}

/** Beyond it the oldest are forgotten. */
const LEFT_TOOLS_MAX = 200;

function leftTools(before: AcpState, turn: AcpTurn): ReadonlySet<string> {
  return new Set([...before.leftTools, ...openIds(turn)].slice(-LEFT_TOOLS_MAX));
}

function isEcho(turn: AcpTurn, over: TurnOver): boolean {
  // Normalized like the reason in an error message: one line, without its full stop.
  const text = turn.textHead.replaceAll(/\s+/g, " ").trim().slice(0, ECHO_CHARS).replace(/\.$/, "");
  // After tools a short text may well be the member's own.
  const isEnough = text.length >= (turn.tools.size === 0 ? 1 : ECHO_CHARS_AFTER_TOOLS);
  return isEnough && (over.error?.message ?? "").includes(text);
}

/** Prefix that decides whether the text repeats the failure. */
const ECHO_CHARS = 120;
const ECHO_CHARS_AFTER_TOOLS = 12;

function refusal(turn: AcpTurn, { member }: EndOptions, error: RpcError): TurnOver {
  // Some agents answer a cancelled prompt with an error.
  if (turn.isCancelled) return { outcome: "interrupted", reason: "interrupted" };
  return callError(member, "answer", error);
}

function verdict(state: AcpState, turn: AcpTurn, { member }: EndOptions, result: unknown): TurnOver {
  const answer = fieldsOf(result);
  const usage = turnUsage(state, turn, answer);
  const usageFields = usage === undefined ? {} : { usage };
  const stopReason = textOf(answer, "stopReason") ?? "end_turn";
  if (stopReason === "cancelled") return { outcome: "interrupted", reason: "interrupted", ...usageFields };
  if (turn.hiddenError !== undefined) return { ...unreportedError(member, turn.hiddenError), ...usageFields };
  if (stopReason === "refusal") {
    const message = `${member} declined to continue.`;
    return { ...errored({ code: "refused", message, hint: "Ask for something else." }), ...usageFields };
  }
  if (!turn.hasContent) return { ...unreportedError(member, "", stopReason), ...usageFields };
  return { outcome: "completed", ...(stopReason === "end_turn" ? {} : { reason: stopReason }), ...usageFields };
}

/**
 * The worst answer to the prompts of one turn counts. Prompts answered by the same work each report its usage; further
 * work for the later one (`isMore`) is added.
 */
function worse(before: TurnOver | undefined, now: TurnOver, isMore: boolean): TurnOver {
  if (before === undefined) return now;
  const order = ["completed", "interrupted", "errored"];
  const worst = order.indexOf(before.outcome) > order.indexOf(now.outcome) ? before : now;
  const usage = isMore ? usageSum(before.usage, now.usage) : (now.usage ?? before.usage);
  return { ...worst, ...(usage === undefined ? {} : { usage }) };
}

/** The later report has the cost of the whole turn. */
function usageSum(before: Usage | undefined, now: Usage | undefined): Usage | undefined {
  if (before === undefined || now === undefined) return now ?? before;
  const sum = (key: "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens") =>
    present(
      key,
      before[key] === undefined && now[key] === undefined ? undefined : (before[key] ?? 0) + (now[key] ?? 0),
    );
  return {
    ...now,
    inputTokens: before.inputTokens + now.inputTokens,
    outputTokens: before.outputTokens + now.outputTokens,
    ...sum("cacheReadTokens"),
    ...sum("cacheWriteTokens"),
    ...sum("reasoningTokens"),
  };
}

/** Tokens of this turn as the agent counts them; cost is reported for the whole session. */
function turnUsage(state: AcpState, turn: AcpTurn, answer: Fields): Usage | undefined {
  const reported = readUsage(answer);
  if (reported === undefined) return undefined;
  const usage = countsAllTurns(state) ? usageSince(reported, state.counted) : reported;
  const isPriced = state.costUsd !== undefined && turn.costBeforeUsd !== undefined;
  const costUsd = Math.max(0, roundUsd((state.costUsd ?? 0) - (turn.costBeforeUsd ?? 0)));
  return isPriced ? { ...usage, costUsd } : usage;
}

function usageSince(reported: Usage, before: Usage | undefined): Usage {
  // A lower count means that counting was restarted.
  if (before === undefined || reported.inputTokens < before.inputTokens) return reported;
  const since = (key: "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens") =>
    present(key, reported[key] === undefined ? undefined : Math.max(0, reported[key] - (before[key] ?? 0)));
  return {
    inputTokens: reported.inputTokens - before.inputTokens,
    outputTokens: Math.max(0, reported.outputTokens - before.outputTokens),
    ...since("cacheReadTokens"),
    ...since("cacheWriteTokens"),
    ...since("reasoningTokens"),
  };
}

function readUsage(answer: Fields): Usage | undefined {
  const own = recordOf(answer, "usage");
  const quota = recordAt(answer, "_meta", "quota", "token_count");
  const inputTokens = countOf(own, "inputTokens") ?? countOf(quota, "input_tokens") ?? countOf(quota, "inputTokens");
  const outputTokens =
    countOf(own, "outputTokens") ?? countOf(quota, "output_tokens") ?? countOf(quota, "outputTokens");
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...present("cacheReadTokens", countOf(own, "cachedReadTokens")),
    ...present("cacheWriteTokens", countOf(own, "cachedWriteTokens")),
    ...present("reasoningTokens", countOf(own, "thoughtTokens")),
  };
}

function present<Key extends string>(key: Key, value: number | undefined): { [K in Key]?: number } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: number };
}

/** Differences of sums have noise in their last digits. */
function roundUsd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** In a read-only session everything that an agent did without approval is reported: nothing stopped it. */
function unapprovedActions(state: AcpState, turn: AcpTurn, { member, isWritable }: EndOptions): DialectEvent[] {
  if (isWritable || state.isSandboxed) return [];
  const unapproved = [...turn.tools.values()].filter(
    (tool) => tool.isSuccess && !tool.hasRequestedPermission && !tool.isDenied,
  );
  const changes = unapproved.filter(({ kind }) => kind === "edit").length;
  // In its own read-only mode an agent sandboxes its commands itself.
  const commands = state.guard === "own_mode" ? 0 : unapproved.filter(({ kind }) => kind === "execute").length;
  const actions = [
    ...(commands === 0 ? [] : [`ran ${count(commands, "command")}`]),
    ...(changes === 0 ? [] : [`made ${count(changes, "change")} to files`]),
  ];
  if (actions.length === 0) return [];
  const message = `${member} ${actions.join(" and ")} without asking, although this session is read-only.`;
  return [{ type: "warning", code: "wrote_unasked", message }];
}

function count(number: number, what: string): string {
  return number === 1 ? `one ${what}` : `${number} ${what}s`;
}
