/** Facts of one turn. */

import { withEllipsis } from "../../kit/text/format.ts";
import { OUTPUT_SHOWN_MAX, type Transcript } from "../model.ts";
import type { RequestOutcome, ToolBlock, TurnMessage, Block } from "../messages.ts";
import { messageAt } from "./messages.ts";

export type Phase = "thinking" | "working" | "streaming" | "done";

export function phaseOf(turn: TurnMessage): Phase {
  if (turn.end !== undefined) return "done";
  if (turn.isThinking) return "thinking";
  return hasActivity(turn) ? "working" : "streaming";
}

function hasActivity(turn: TurnMessage): boolean {
  if (turn.blocks.at(-1)?.kind === "tool") return true;
  if (turn.blocks.some((block) => block.kind === "tool" && block.state === "pending")) return true;
  const { state, detail } = turn.status ?? {};
  return (state === "calling_tool" || state === "working") && detail !== undefined && !isTransient(detail);
}

const TRANSIENT = /^(?:thinking|model loading|running)?(?:…|\.\.\.)?$/i;

/** Says only that something runs; does not count as activity. */
export function isTransient(detail: string): boolean {
  return TRANSIENT.test(detail.trim());
}

/** The whole text of the turn, its segments as paragraphs. */
export function turnText(turn: TurnMessage): string {
  return joinSegments(turn.blocks.map((block) => (block.kind === "text" ? block.text : "")));
}

/** The newest OUTPUT_SHOWN_MAX characters of a tool's output, and the number of characters before them. */
export function shownOutput(tool: ToolBlock): { text: string; dropped: number } {
  const cut = Math.max(0, tool.output.length - OUTPUT_SHOWN_MAX);
  return { text: tool.output.slice(cut), dropped: tool.outputDropped + cut };
}

/** Lines of a failure's detail that are shown; the event has all of them. */
const DETAIL_LINES_MAX = 8;
const DETAIL_LINE_CHARS_MAX = 400;

const STACK_LINE = /^\s+at\s/;

/**
 * The last lines printed by a failed program, without stack traces; empty when they only repeat the error or are a
 * server's raw answer.
 */
export function failureDetail({ end }: TurnMessage): string[] {
  const detail = end?.error?.detail?.trim() ?? "";
  if (detail === "" || /^[{[]/.test(detail) || end?.error?.message.includes(detail) === true) return [];
  const printed = detail.split("\n").filter((line) => !STACK_LINE.test(line));
  const lines = printed.map((line) => withEllipsis(line.trimEnd(), DETAIL_LINE_CHARS_MAX));
  const hidden = Math.max(0, lines.length - DETAIL_LINES_MAX);
  const shown = lines.slice(hidden);
  return hidden === 0 ? shown : [`… ${hidden} more ${hidden === 1 ? "line" : "lines"}`, ...shown];
}

/** Denied by the user or a rule: not a failure, whatever the agent reports. */
export function isDenied({ state, error, approval }: ToolBlock): boolean {
  return state !== "pending" && (error?.code === "tool_denied" || approval?.kind === "denied");
}

/** Approval of a call for its row: "allowed once", "denied: use pnpm". Undefined when nothing was asked. */
export function toolApproval(tool: ToolBlock): RequestOutcome | undefined {
  const { approval, error } = tool;
  if (!isDenied(tool) || approval?.kind === "denied") return approval;
  // Only the first sentence: the rest is advice for the model.
  const message = error?.message ?? "";
  const why = /^.*?(?=[.!?](?:\s|$))/s.exec(message)?.[0] ?? message;
  return { kind: "denied", text: why === "" ? "denied" : `denied: ${why}` };
}

/** Time in which at least one call ran. */
export function coveredMs(tools: readonly ToolBlock[]): number {
  let covered = 0;
  let coveredTo = -Infinity;
  for (const tool of tools.toSorted((a, b) => a.startTs - b.startTs)) {
    const end = tool.startTs + (tool.durationMs ?? 0);
    covered += Math.max(0, end - Math.max(tool.startTs, coveredTo));
    coveredTo = Math.max(coveredTo, end);
  }
  return covered;
}

/** Counted as JSON. A longer text continues in the next segment. */
export const SEGMENT_BYTES_MAX = 128 * 1024;
const BETWEEN = "\n\n";
/** Maximum size of one character. A segment without room for one more is full. */
const CHARACTER_BYTES_MAX = 6;

/** Joins segments as paragraphs, except after a full one, whose text continues in the next. */
export function joinSegments(texts: readonly string[]): string {
  const nonEmpty = texts.filter((text) => text !== "");
  const last = nonEmpty.length - 1;
  return nonEmpty.map((text, at) => (at === last || isFull(text) ? text : `${text}${BETWEEN}`)).join("");
}

function isFull(text: string): boolean {
  if (text.length * CHARACTER_BYTES_MAX <= SEGMENT_BYTES_MAX - CHARACTER_BYTES_MAX) return false;
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length - 2;
  return bytes > SEGMENT_BYTES_MAX - CHARACTER_BYTES_MAX;
}

/** A block with a key for views that draw growing turns. */
export interface KeyedBlock {
  readonly key: string;
  readonly block: Block;
}

/**
 * Keys stay the same while the turn grows; a segment that is interrupted by a tool call has several blocks. A call that
 * became a question to another member or to the user is left out, since the exchange or the request stands for it, and
 * so is an approval whose call is shown.
 */
export function keyedBlocks(blocks: readonly Block[]): KeyedBlock[] {
  const counts = new Map<string, number>();
  const exchangeCalls = new Set(blocks.flatMap((block) => (block.kind === "exchange" ? [block.toolCallId] : [])));
  const questions = blocks.filter((block) => block.kind === "request" && block.request.method !== "approval");
  const hasQuestion = questions.length > 0;
  const questionCalls = new Set(questions.map((block) => (block.kind === "request" ? block.toolCallId : undefined)));
  const isReplaced = (tool: ToolBlock) =>
    exchangeCalls.has(tool.toolCallId) ||
    (tool.state !== "error" && questionCalls.has(tool.toolCallId)) ||
    (hasQuestion && isQuestion(tool));
  const shown =
    exchangeCalls.size === 0 && !hasQuestion
      ? blocks
      : blocks.filter((block) => block.kind !== "tool" || !isReplaced(block));
  const calls = new Set(shown.flatMap((block) => (block.kind === "tool" ? [block.toolCallId] : [])));
  return shown
    .filter((block) => !isOnItsCall(block, calls))
    .map((block) => {
      const id = blockId(block);
      const count = counts.get(id) ?? 0;
      counts.set(id, count + 1);
      return { key: `${id}/${count}`, block };
    });
}

/** The outcome of an approval is shown on its call. */
function isOnItsCall(block: Block, calls: ReadonlySet<string>): boolean {
  if (block.kind !== "request" || block.request.method !== "approval" || block.toolCallId === undefined) return false;
  return calls.has(block.toolCallId);
}

/** Tools by which members ask the user, also with a server name as prefix. */
const QUESTIONS = /(?:^|_)(?:user_question|AskUserQuestion|ui_(?:select|confirm|input|editor))$/;

/** A failed call has asked nothing. */
function isQuestion({ name, state }: ToolBlock): boolean {
  return state !== "error" && QUESTIONS.test(name);
}

function blockId(block: Block): string {
  switch (block.kind) {
    case "text":
    case "thinking":
      return `${block.kind} ${block.segmentId}`;
    case "tool":
      return `tool ${block.toolCallId}`;
    case "request":
      return `request ${block.requestId}`;
    case "exchange":
      return `exchange ${block.agentExchangeId}`;
    case "subagent":
      return `subagent ${block.subagentTurnId}`;
    case "plan":
      return `plan ${block.planId}`;
    case "event":
      return `event ${block.event.id}`;
    default:
      return block.kind;
  }
}

const codeCounts = new WeakMap<TurnMessage, number>();
const FENCES = /^[ \t]*(?:[-*+>] |\d+[.)] )?[ \t]*(?:`{3,}|~{3,})/gm;

/** Fenced code blocks of a text; one without an end counts. */
export function countCodeBlocks(text: string): number {
  if (!text.includes("```") && !text.includes("~~~")) return 0;
  return Math.ceil((text.match(FENCES)?.length ?? 0) / 2);
}

function countCodes(turn: TurnMessage): number {
  let count = codeCounts.get(turn);
  if (count === undefined) {
    count = 0;
    for (const block of turn.blocks) if (block.kind === "text") count += countCodeBlocks(block.text);
    codeCounts.set(turn, count);
  }
  return count;
}

/** Turns before this one that are looked at for code. */
const TURNS_BEFORE_MAX = 16;

/**
 * Code blocks in the answers to the same message that stand before this one: blocks are numbered over all of them, so
 * that a number names one block.
 */
export function codesBefore(transcript: Transcript, turn: TurnMessage): number {
  let count = 0;
  const from = Math.max(0, turn.position - TURNS_BEFORE_MAX);
  for (let position = turn.position - 1; position >= from; position -= 1) {
    const message = messageAt(transcript, position);
    if (message?.kind !== "turn") break;
    if (message.depth === 0 && message.rootMessageId === turn.rootMessageId) count += countCodes(message);
  }
  return count;
}

/** Complete, but its last text ended at the model's output limit. */
export function isCutOff({ blocks, end }: TurnMessage): boolean {
  if (end?.outcome !== "completed") return false;
  const last = blocks.findLast((block) => block.kind !== "event" || isLengthWarning(block));
  return end.reason === "length" || (last !== undefined && isLengthWarning(last));
}

function isLengthWarning(block: Block): boolean {
  return block.kind === "event" && block.event.type === "warning" && block.event["code"] === "length";
}
