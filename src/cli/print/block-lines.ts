/** Lines for every block of a turn that is not text. Unsafe text; the writer escapes it. */
import {
  argumentFields,
  describeRequest,
  eventLine,
  failureDetail,
  isDenied,
  toolApproval,
  type Block,
  type TurnMessage,
} from "../../transcript/index.ts";
import type { Json, SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import { plural, withEllipsis } from "../../kit/text/format.ts";

type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

/** Limit of one line: a tool title may be a whole command. */
const TITLE_CHARS_MAX = 160;

export interface BlockLine {
  text: string;
  tone: "quiet" | "bad";
}

/** Lines printed when the block appears. */
export function openingLines(block: Block): BlockLine[] {
  switch (block.kind) {
    case "tool":
      return [quiet(toolTitle(block))];
    case "request":
      return [quiet(`◆ asks: ${shorten(describeRequest(block).what)}`)];
    case "exchange":
      return [quiet(`→ @${block.to}: ${shorten(block.text)}`)];
    case "subagent":
      return [quiet(`· subagent ${block.name}: ${shorten(block.task)}`)];
    case "steering":
      return [quiet("· user message delivered during this turn")];
    case "changes":
      return changeLines(block);
    case "finished":
      return [quiet(`· finished: ${shorten(block.summary)}`)];
    case "event":
      return [quiet(`· ${eventLine(block.event)}`)];
    default:
      return [];
  }
}

/** True when the closing lines of the block are final. */
export function isClosed(block: Block): boolean {
  switch (block.kind) {
    case "text":
    case "thinking":
      return block.done;
    case "tool":
      return block.state !== "pending";
    case "request":
      return block.state !== "open";
    case "exchange":
      return block.answer !== undefined;
    case "subagent":
      return block.outcome !== undefined;
    default:
      return true;
  }
}

/** Lines printed when the block is closed. The end of a turn closes all its blocks. */
export function closingLines(block: Block): BlockLine[] {
  switch (block.kind) {
    case "tool":
      return toolEnd(block);
    case "request":
      return requestEnd(block).map((text) => quiet(`  ${text}`));
    case "exchange":
      return block.answer === undefined ? [] : [answerLine(block.answer)];
    case "subagent":
      return block.outcome === undefined || block.outcome === "completed" ? [] : [bad(`  ✗ subagent ${block.outcome}`)];
    default:
      return [];
  }
}

/** The final plan, at the end of the turn: streamed output cannot redraw it in place. */
export function planLines(blocks: readonly Block[]): BlockLine[] {
  const plan = blocks.findLast((block) => block.kind === "plan");
  const marks = { completed: "x", in_progress: "~", pending: " " } as const;
  return (plan?.items ?? []).map((item) => quiet(`[${marks[item.status]}] ${shorten(item.text)}`));
}

export function endLines(turn: TurnMessage, hasSpoken: boolean): BlockLine[] {
  const { end } = turn;
  if (end === undefined) return [];
  const why = end.error?.message ?? end.reason;
  const because = why === undefined || why === end.outcome ? "" : `: ${why}`;
  const hint = end.error?.hint === undefined ? [] : [quiet(end.error.hint)];
  switch (end.outcome) {
    case "completed":
      return hasSpoken ? [] : [quiet("(no answer)")];
    case "interrupted":
      return [bad(`[interrupted${because}]`)];
    case "timed_out":
      return [bad(`[timed out${because}]`), ...hint];
    default:
      return [bad(`[failed${because}]`), ...failureDetail(turn).map((line) => quiet(`  ${line}`)), ...hint];
  }
}

export function shorten(text: string, max: number = TITLE_CHARS_MAX): string {
  return withEllipsis(text.trim().replaceAll(/\s+/g, " "), max);
}

function toolTitle(tool: Of<"tool">): string {
  if (tool.title !== undefined) return `· ${shorten(tool.title)}`;
  return `· ${shorten(`${tool.name} ${shortArguments(tool.args)}`)}`;
}

function shortArguments(args: Json): string {
  return argumentFields(args)
    .map(({ name, text }) => (name === "" ? text : `${name}=${text}`))
    .join(" ");
}

function toolEnd(tool: Of<"tool">): BlockLine[] {
  const approval = toolApproval(tool);
  if (isDenied(tool)) return [quiet(`  ⊘ ${shorten(approval?.text ?? "denied")}`)];
  return [...(approval?.kind === "allowed" ? [quiet(`  ✓ ${shorten(approval.text)}`)] : []), ...failure(tool)];
}

function failure(tool: Of<"tool">): BlockLine[] {
  if (tool.state === "error") return [bad(`  ✗ ${shorten(tool.error?.message ?? "failed")}`)];
  if (tool.state === "interrupted") return [bad("  ✗ interrupted")];
  return [];
}

function requestEnd(block: Of<"request">): string[] {
  const { kind, text } = describeRequest(block).outcome;
  return [kind === "open" ? "not answered" : shorten(text)];
}

function answerLine(answer: { ok: boolean; text: string }): BlockLine {
  return answer.ok ? quiet(`  ← ${shorten(answer.text)}`) : bad(`  ✗ ${shorten(answer.text)}`);
}

function changeLines(block: Of<"changes">): BlockLine[] {
  const lines = block.files.map((file) => quiet(`· ${file.status} ${file.path}`));
  return block.truncatedCount > 0 ? [...lines, quiet(`· and ${plural(block.truncatedCount, "more file")}`)] : lines;
}

function quiet(text: string): BlockLine {
  return { text, tone: "quiet" };
}

function bad(text: string): BlockLine {
  return { text, tone: "bad" };
}

/** One-line notices for events outside the answers. */
interface NoticeLine {
  text: string;
  /** True for notices shown even when only answers are printed. */
  isImportant: boolean;
}

export function noticeLine(event: SessionEvent | UnknownEvent): NoticeLine {
  return { text: eventLine(event), isImportant: IMPORTANT.has(event.type) };
}

const IMPORTANT = new Set(["warning", "error", "damage", "read_only", "recovered", "council_paused", "ui_notify"]);
