/**
 * Text and calls of the member: streamed blocks, and the final record of each.
 * Guarantee: a block's final record takes precedence over its stream, and a streamed block that never gets one is
 * retracted. Text of a subagent is not the member's.
 */
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { fieldsOf, numberOf, recordsOf, rawTextOf, textsOf, type Fields } from "../../../kit/fields.ts";
import {
  currentTurn,
  step,
  withDenied,
  withTurn,
  type ClaudeState,
  type OpenBlock,
  type TurnState,
  type RetractableRecord,
} from "./state.ts";
import { endTool, SHELL_TOOLS, startTool, subagentNews } from "./tool-blocks.ts";
import { addUsage, readUsage } from "./usage.ts";

/** Model name of messages that the program writes itself, about errors for instance. */
const NOT_A_MODEL = "<synthetic>";

export function handleStreamEvent(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  const event = fieldsOf(record["event"]);
  if (turn === undefined || event === undefined || isSubagents(record)) return step(state);
  switch (event["type"]) {
    case "content_block_delta":
      return handleDelta(state, turn, fieldsOf(event["delta"]) ?? {});
    case "content_block_start":
      return startBlock(state, turn, event);
    case "message_start":
      return startAnswer(state, turn, fieldsOf(event["message"]) ?? {});
    case "message_delta":
      return reportUsage(state, turn, event["usage"]);
    case "message_stop":
      return endAnswer(state, turn, fieldsOf(record["abandoned_blocks"]));
    default:
      return step(state);
  }
}

export function handleAssistant(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  const message = fieldsOf(record["message"]) ?? {};
  const blocks = recordsOf(message["content"]);
  if (turn === undefined) return step(state);
  const parent = rawTextOf(record["parent_tool_use_id"]);
  if (parent !== undefined) return step(state, subagentNews(turn, parent, blocks));
  const back = retractMessages(turn, textsOf(record["supersedes"]));
  let now = back.turn;
  const events: DialectEvent[] = [...back.events];
  // A message of the program itself is reported with the turn's result; the stream before it stays incomplete.
  if (message["model"] === NOT_A_MODEL) {
    const broken = breakOff(now === turn ? state : withTurn(state, now), now, "the answer broke off");
    return step(broken.state, [...events, ...(broken.events ?? [])]);
  }
  for (const block of blocks) {
    const handled = handleBlock(now, block, record);
    now = handled.turn;
    events.push(...handled.events);
  }
  const denied = state.hasShell ? [] : blocks.filter(isShellUse).map((block) => rawTextOf(block["id"]));
  return step(denied.reduce(withDenied, withTurn(state, now)), events);
}

function isShellUse({ type, name }: Fields): boolean {
  return type === "tool_use" && SHELL_TOOLS.includes(rawTextOf(name) ?? "");
}

/** User records carry tool results; the user's own messages are known already. */
export function handleUser(state: ClaudeState, record: Fields): Step<ClaudeState> {
  const turn = currentTurn(state);
  if (turn === undefined || isSubagents(record) || record["isReplay"] === true) return step(state);
  const back = retractMessages(turn, textsOf(record["retracted_message_uuids"]));
  let now = back.turn;
  const events: DialectEvent[] = [...back.events];
  for (const block of recordsOf(fieldsOf(record["message"])?.["content"])) {
    if (block["type"] !== "tool_result") continue;
    const ended = endTool(now, block, record);
    now = ended.turn;
    events.push(...ended.events);
  }
  return events.length === 0 ? step(state) : step(withTurn(state, now), events);
}

/** Retracts the stream of an answer that will not be completed. An interrupted one keeps its text. */
export function breakOff(state: ClaudeState, turn: TurnState, reason: string): Step<ClaudeState> {
  if (turn.open === undefined) return step(state);
  const next = withTurn(state, { ...turn, open: undefined });
  if (!turn.open.isShown) return step(next);
  if (turn.open.kind === "thinking") return step(next, [{ type: "thinking_done" }]);
  return step(next, [turn.isInterruptRequested ? { type: "text_done" } : { type: "text_retracted", reason }]);
}

function isSubagents(record: Fields): boolean {
  return typeof record["parent_tool_use_id"] === "string";
}

function handleDelta(state: ClaudeState, turn: TurnState, delta: Fields): Step<ClaudeState> {
  const kind = delta["type"] === "text_delta" ? "text" : delta["type"] === "thinking_delta" ? "thinking" : undefined;
  const text = kind === undefined ? undefined : rawTextOf(delta[kind]);
  if (kind === undefined || text === undefined || text === "") return step(state);
  const events: DialectEvent[] = [{ type: `${kind}_delta`, text }];
  const isOpen = turn.open?.kind === kind && turn.open.isShown;
  if (isOpen && turn.open.hasVisibleText) return step(state, events);
  const open: OpenBlock = { kind, index: turn.open?.index ?? 0, isShown: true, hasVisibleText: text.trim() !== "" };
  if (isOpen && !open.hasVisibleText) return step(state, events);
  return step(withTurn(state, { ...turn, open, hasText: turn.hasText || kind === "text" }), events);
}

function startBlock(state: ClaudeState, turn: TurnState, event: Fields): Step<ClaudeState> {
  const block = fieldsOf(event["content_block"]) ?? {};
  const index = numberOf(event["index"]) ?? 0;
  const kind = block["type"];
  if (kind === "text" || kind === "thinking") {
    return step(withTurn(state, { ...turn, open: { kind, index, isShown: false, hasVisibleText: false } }));
  }
  const name = rawTextOf(block["name"]);
  if (kind !== "tool_use" || name === undefined) return step(state);
  return step(state, [{ type: "status", state: "calling_tool", detail: name }]);
}

function startAnswer(state: ClaudeState, turn: TurnState, message: Fields): Step<ClaudeState> {
  const broken = breakOff(state, turn, "the answer was restarted");
  const answer = { model: rawTextOf(message["model"]), usage: readUsage(message["usage"]) };
  const behind = turn.answer === undefined ? turn.behind : addUsage(turn.behind, turn.answer.usage);
  return step(withTurn(broken.state, { ...turn, open: undefined, behind, answer }), broken.events);
}

/** Running total: finished answers, and the current one as far as it is known. */
function reportUsage(state: ClaudeState, turn: TurnState, value: unknown): Step<ClaudeState> {
  const answer = { model: turn.answer?.model, usage: readUsage(value) };
  const usage = addUsage(addUsage(turn.ended, turn.behind), answer.usage);
  return step(withTurn(state, { ...turn, answer }), [{ type: "usage", usage }]);
}

function endAnswer(state: ClaudeState, turn: TurnState, abandoned: Fields | undefined): Step<ClaudeState> {
  const from = numberOf(abandoned?.["from_block_index"]);
  if (from === undefined || turn.open === undefined || turn.open.index < from) return step(state);
  return breakOff(state, turn, "the answer broke off");
}

function handleBlock(turn: TurnState, block: Fields, record: Fields): { turn: TurnState; events: DialectEvent[] } {
  const type = rawTextOf(block["type"]) ?? "";
  const uuid = rawTextOf(record["uuid"]) ?? "";
  if (type === "text" || type === "thinking") {
    const text = rawTextOf(block[type]) ?? "";
    const done = finishBlock(turn, type, text);
    return type === "text" && text !== "" ? { ...done, turn: remember(done.turn, { uuid, text }) } : done;
  }
  if (type.endsWith("tool_use")) {
    const begun = startTool(turn, block);
    const toolId = rawTextOf(block["id"]) ?? "";
    return begun.turn === turn ? begun : { ...begun, turn: remember(begun.turn, { uuid, toolId }) };
  }
  if (type.endsWith("_tool_result")) return endTool(turn, block, record);
  return { turn, events: [] };
}

function finishBlock(
  turn: TurnState,
  kind: "text" | "thinking",
  text: string,
): { turn: TurnState; events: DialectEvent[] } {
  const wasShown = turn.open?.kind === kind && turn.open.isShown;
  const next = { ...turn, open: undefined, hasText: turn.hasText || (kind === "text" && text !== "") };
  if (text === "" && !wasShown) return { turn: next, events: [] };
  const done: DialectEvent = { type: `${kind}_done`, text };
  // Without a stream the whole text is one delta.
  return { turn: next, events: wasShown ? [done] : [{ type: `${kind}_delta`, text }, done] };
}

/** Only recent answers are retracted. */
const RETRACTABLE_MAX = 100;
const REASON = "the answer was retracted";

function remember(turn: TurnState, record: RetractableRecord): TurnState {
  return { ...turn, retractable: [...turn.retractable.slice(1 - RETRACTABLE_MAX), record] };
}

/**
 * Retracts completed messages: an answer that safeguards stopped and another model gives again, or one whose tool call
 * was malformed. Texts are retracted, and calls that will never run are ended. Unknown records are ignored.
 */
export function retractMessages(
  turn: TurnState,
  uuids: readonly string[],
): { turn: TurnState; events: DialectEvent[] } {
  const gone = new Set(uuids);
  const first = turn.retractable.findIndex(({ uuid }) => gone.has(uuid));
  if (first < 0) return { turn, events: [] };
  const since = turn.retractable.slice(first);
  const remaining = since.filter(({ uuid }) => !gone.has(uuid));
  const texts = since.flatMap(({ text }) => text ?? []);
  const isGone = texts.length > remaining.flatMap(({ text }) => text ?? []).length;
  const { open } = turn;
  // The newest text goes first, so text after a retracted one is emitted again.
  const isOpenGone = isGone && open?.kind === "text" && open.isShown;
  const events: DialectEvent[] = isGone ? retractions(texts.length + (isOpenGone ? 1 : 0)) : [];
  if (isGone) {
    for (const text of remaining.flatMap((one) => one.text ?? [])) {
      events.push({ type: "text_delta", text }, { type: "text_done", text });
    }
  }
  const tools = new Set(turn.tools);
  for (const { uuid, toolId } of since) {
    if (toolId === undefined || !gone.has(uuid) || !tools.delete(toolId)) continue;
    const error = { code: "tool_interrupted", message: REASON } as const;
    events.push({ type: "tool_result", nativeId: toolId, ok: false, error });
  }
  const retractable = [...turn.retractable.slice(0, first), ...remaining];
  return { turn: { ...turn, retractable, tools, open: isOpenGone ? { ...open, isShown: false } : open }, events };
}

function retractions(count: number): DialectEvent[] {
  return Array.from({ length: count }, () => ({ type: "text_retracted", reason: REASON }));
}
