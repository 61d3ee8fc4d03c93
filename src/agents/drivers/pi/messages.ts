/**
 * Output of Pi's model: text, thinking and calls, block by block.
 * Guarantees: a block is closed once, also where a provider reports the ends only after everything; text of an answer
 * that Pi discards and requests again is retracted.
 */
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { fieldsOf, numberOf, recordsOf, rawTextOf, type Fields } from "../../../kit/fields.ts";
import { NEW_MESSAGE, step, withTurn, type Block, type MessageState, type PiState, type TurnState } from "./state.ts";
import { announceCall, dropCalls } from "./tools.ts";
import type { Usage } from "../../../protocol/index.ts";

type Kind = Block["kind"];

export function beginMessage(state: PiState, message: Fields): Step<PiState> {
  if (message["role"] === "assistant") return step(withTurn(state, { message: NEW_MESSAGE, end: undefined }));
  return message["role"] === "user" ? handleUserMessage(state, contentText(message["content"])) : step(state);
}

/** A user message in the middle of a turn is a steer that Pi passes to its model now. */
function handleUserMessage(state: PiState, text: string): Step<PiState> {
  const turn = state.turn;
  if (turn === undefined) return step(state);
  const same = turn.steers.findIndex((steer) => steer.text === text);
  // An extension may have reworded it; then the order of sending decides.
  const index = same !== -1 || !turn.hasPrompt ? same : 0;
  const steer = index === -1 ? undefined : turn.steers[index];
  if (steer === undefined) return step(withTurn(state, { hasPrompt: true }));
  const steers = turn.steers.filter((one) => one !== steer);
  return step(withTurn(state, { steers }), [{ type: "steered", messageId: steer.messageId }]);
}

export function handleMessageUpdate(state: PiState, turn: TurnState, update: Fields): Step<PiState> {
  const message = turn.message ?? NEW_MESSAGE;
  const index = numberOf(update["contentIndex"]) ?? 0;
  const type = rawTextOf(update["type"]) ?? "";
  const [, kind] = /^(text|thinking)_(?:delta|end)$/.exec(type) ?? [];
  if (kind !== undefined) {
    const isEnd = type.endsWith("_end");
    const text = rawTextOf(update[isEnd ? "content" : "delta"]) ?? "";
    const result = isEnd ? endBlock(message, index, kind as Kind, text) : growBlock(message, index, kind as Kind, text);
    return step(withTurn(state, { message: result.message }), result.events);
  }
  if (type !== "toolcall_start" && type !== "toolcall_end") return step(state);
  const call = type === "toolcall_end" ? fieldsOf(update["toolCall"]) : update;
  const closed = closeOpen(message);
  const quiet = withTurn(state, { message: closed.message });
  return joinSteps(step(quiet, closed.events), (next) => handleToolCall(next, call));
}

/** The finished message takes precedence: an extension may have rewritten its stream. */
export function endMessage(state: PiState, turn: TurnState, message: Fields): Step<PiState> {
  if (message["role"] === "toolResult") return step(countUsage(state, turn, message["usage"]));
  if (message["role"] !== "assistant") return step(state);
  const streamed = turn.message ?? NEW_MESSAGE;
  const blocks = recordsOf(message["content"]);
  // A message that was cut off may have less than was streamed: nothing is retracted because of that.
  const isRewritten = !isBroken(message) && !isBegunBy(streamed, blocks);
  const result = isRewritten ? rewriteMessage(streamed, blocks) : completeMessage(streamed, blocks);
  const completed = step(withTurn(state, { message: result.message }), result.events);
  return joinSteps(completed, (next) => finishAnswer(next, message, blocks));
}

function isBroken(message: Fields): boolean {
  return message["stopReason"] === "error" || message["stopReason"] === "aborted";
}

/** Emits what was not streamed, closes what was. */
function completeMessage(streamed: MessageState, blocks: readonly Fields[]): MessageStep {
  let result: MessageStep = { message: streamed, events: [] };
  for (const [index, block] of blocks.entries()) {
    const kind = block["type"];
    if (kind !== "text" && kind !== "thinking") continue;
    const more = endBlock(result.message, index, kind, rawTextOf(block[kind]) ?? "");
    result = { message: more.message, events: [...result.events, ...more.events] };
  }
  const closed = closeOpen(result.message);
  return { message: closed.message, events: [...result.events, ...closed.events] };
}

/** Whether the closed text is in the finished message. Open blocks get their text with their end. */
function isBegunBy({ open, paused, done }: MessageState, blocks: readonly Fields[]): boolean {
  const textAt = (index: number): string => {
    const block = blocks[index];
    return block?.["type"] === "text" ? (rawTextOf(block["text"]) ?? "") : "";
  };
  if (open?.kind === "text" && textAt(open.index) === "") return false;
  const isText = ([, { kind }]: readonly [number, Block]): boolean => kind === "text";
  return (
    [...paused].filter(isText).every(([index, { text }]) => textAt(index).startsWith(text)) &&
    [...done].filter(isText).every(([index, { text }]) => textAt(index) === text)
  );
}

function rewriteMessage(streamed: MessageState, blocks: readonly Fields[]): MessageStep {
  const closed = closeOpen(streamed);
  const texts = blocks.flatMap(({ type, text }) =>
    type === "text" && rawTextOf(text) !== "" ? (rawTextOf(text) ?? []) : [],
  );
  return {
    message: { ...closed.message, texts: texts.length },
    events: [
      ...closed.events,
      ...retractions(streamed.texts, "the answer was rewritten"),
      ...texts.flatMap((text): DialectEvent[] => [
        { type: "text_delta", text },
        { type: "text_done", text },
      ]),
    ],
  };
}

/** Pi calls its model again: the failed answer is no part of the turn. */
export function retract(state: PiState, reason: string): Step<PiState> {
  const end = state.turn?.end;
  if (end === undefined) return step(state);
  return step(withTurn(state, { end: { ...end, texts: 0 } }), retractions(end.texts, reason));
}

/** For a retry after an error: an answer that had ended well is not the one that is requested again. */
export function retractBroken(state: PiState, reason: string): Step<PiState> {
  const { stopReason = "" } = state.turn?.end ?? {};
  return stopReason === "stop" || stopReason === "toolUse" ? step(state) : retract(state, reason);
}

function retractions(count: number, reason: string): DialectEvent[] {
  return Array.from({ length: count }, () => ({ type: "text_retracted", reason }));
}

function finishAnswer(state: PiState, message: Fields, blocks: readonly Fields[]): Step<PiState> {
  const stopReason = rawTextOf(message["stopReason"]) ?? "stop";
  const calls = blocks.filter((block) => block["type"] === "toolCall");
  const called = isBroken(message)
    ? dropCalls(state, stopReason === "error" ? "tool_retracted" : "tool_interrupted")
    : calls.reduce((sum, call) => joinSteps(sum, (next) => handleToolCall(next, call)), step(state));
  const turn = called.state.turn;
  if (turn === undefined) return called;
  const texts = turn.message?.texts ?? 0;
  const end = { stopReason, errorMessage: rawTextOf(message["errorMessage"]), texts };
  const next = countUsage(withTurn(called.state, { end, message: undefined }), turn, message["usage"]);
  const usage = next.turn?.usage ?? NO_USAGE;
  const window = state.model?.contextWindow;
  return step(next, [
    ...(called.events ?? []),
    { type: "usage", usage },
    ...contextUpdate(fieldsOf(message["usage"]), window),
  ]);
}

/** A call is announced once, and its arguments are emitted once, however often its message repeats them. */
function handleToolCall(state: PiState, call: Fields | undefined): Step<PiState> {
  const id = rawTextOf(call?.["id"]);
  const name = rawTextOf(call?.["name"]) ?? rawTextOf(call?.["toolName"]);
  if (state.turn === undefined || id === undefined || name === undefined) return step(state);
  const message = state.turn.message ?? NEW_MESSAGE;
  const tools = message.tools.includes(id) ? message.tools : [...message.tools, id];
  return announceCall(withTurn(state, { message: { ...message, tools } }), { id, name, args: call?.["arguments"] });
}

export function countUsage(state: PiState, turn: TurnState, value: unknown): PiState {
  const usage = readUsage(value);
  return usage === undefined ? state : withTurn(state, { usage: addUsage(turn.usage ?? NO_USAGE, usage) });
}

interface MessageStep {
  readonly message: MessageState;
  readonly events: DialectEvent[];
}

function growBlock(message: MessageState, index: number, kind: Kind, text: string): MessageStep {
  if (text === "" || message.done.has(index)) return { message, events: [] };
  const delta: DialectEvent = { type: `${kind}_delta`, text };
  const { open } = message;
  if (open?.index === index)
    return { message: { ...message, open: { ...open, text: open.text + text } }, events: [delta] };
  const closed = closeOpen(message);
  const texts = message.texts + (kind === "text" ? 1 : 0);
  return { message: { ...closed.message, open: { index, kind, text }, texts }, events: [...closed.events, delta] };
}

/** `text` is the whole block: text before an interruption is not emitted again. */
function endBlock(message: MessageState, index: number, kind: Kind, text: string): MessageStep {
  if (message.done.has(index)) return { message, events: [] };
  const before = message.paused.get(index)?.text ?? "";
  const rest = text.startsWith(before) ? text.slice(before.length) : "";
  const open = message.open?.index === index ? message.open : undefined;
  if (open === undefined && rest === "") return { message, events: [] };
  const grown = open === undefined ? growBlock(message, index, kind, rest) : { message, events: [] };
  const end: DialectEvent = { type: `${kind}_done`, ...(rest === "" ? {} : { text: rest }) };
  const fullText = before + (rest === "" ? (open?.text ?? "") : rest);
  const done = new Map(message.done).set(index, { kind, text: fullText });
  return { message: { ...grown.message, open: undefined, done }, events: [...grown.events, end] };
}

function closeOpen(message: MessageState): MessageStep {
  const { open, paused } = message;
  if (open === undefined) return { message, events: [] };
  const text = (paused.get(open.index)?.text ?? "") + open.text;
  const now = new Map(paused).set(open.index, { kind: open.kind, text });
  return { message: { ...message, open: undefined, paused: now }, events: [{ type: `${open.kind}_done` }] };
}

export function joinSteps(first: Step<PiState>, then: (state: PiState) => Step<PiState>): Step<PiState> {
  const second = then(first.state);
  return step(
    second.state,
    [...(first.events ?? []), ...(second.events ?? [])],
    ...(first.write ?? []),
    ...(second.write ?? []),
  );
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .flatMap((part) => rawTextOf(part["text"]) ?? [])
    .join("\n");
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/**
 * Tokens and cost per model call; a turn is the sum of its calls. Undefined when the record has no figures. Pi's
 * reasoning tokens are included in its output.
 */
function readUsage(value: unknown): Usage | undefined {
  const usage = fieldsOf(value);
  if (usage === undefined) return undefined;
  const read = (key: string): number => positive(usage[key]);
  return {
    inputTokens: read("input"),
    outputTokens: read("output"),
    cacheReadTokens: read("cacheRead"),
    cacheWriteTokens: read("cacheWrite"),
    reasoningTokens: read("reasoning"),
    costUsd: positive(fieldsOf(usage["cost"])?.["total"]),
  };
}

function addUsage(one: Usage, other: Usage): Usage {
  const sum = (key: Exclude<keyof Usage, "estimated">): number => (one[key] ?? 0) + (other[key] ?? 0);
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheWriteTokens: sum("cacheWriteTokens"),
    reasoningTokens: sum("reasoningTokens"),
    costUsd: sum("costUsd"),
  };
}

/** Context of the last call; undefined when it failed before the provider counted. */
function contextUpdate(usage: Fields | undefined, window: number | undefined): DialectEvent[] {
  if (usage === undefined || window === undefined) return [];
  const counts = ["input", "output", "cacheRead", "cacheWrite"].map((key) => positive(usage[key]));
  const used = positive(usage["totalTokens"]) || counts.reduce((sum, part) => sum + part, 0);
  return used === 0 ? [] : [{ type: "context_update", used, window, measured: true }];
}

function positive(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}
