/** What one turn comes to. */
import { withEllipsis } from "../../kit/text/format.ts";
import { joinSegments } from "./joined-segments.ts";
import { OUTPUT_SHOWN_MAX, type RequestOutcome, type ToolBlock, type TurnMessage } from "../model.ts";

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

/** Says only that something goes on; never counts as activity. */
export function isTransient(detail: string): boolean {
  return TRANSIENT.test(detail.trim());
}

/** All the turn said, its segments as paragraphs. */
export function turnText(turn: TurnMessage): string {
  return joinSegments(turn.blocks.map((block) => (block.kind === "text" ? block.text : "")));
}

/** The newest OUTPUT_SHOWN_MAX characters of what the tool has put out, and how many came before them. */
export function shownOutput(tool: ToolBlock): { text: string; dropped: number } {
  const cut = Math.max(0, tool.output.length - OUTPUT_SHOWN_MAX);
  return { text: tool.output.slice(cut), dropped: tool.outputDropped + cut };
}

/** Lines of a failure's detail that screens show; the event holds the rest. */
const DETAIL_LINES_MAX = 8;
const DETAIL_LINE_CHARS_MAX = 400;

const STACK_LINE = /^\s+at\s/;

/** The last lines that a failed program printed, without the stack of an error; none where they only repeat the error, or are a server's raw answer. */
export function failureDetail({ end }: TurnMessage): string[] {
  const detail = end?.error?.detail?.trim() ?? "";
  if (detail === "" || /^[{[]/.test(detail) || end?.error?.message.includes(detail) === true) return [];
  const printed = detail.split("\n").filter((line) => !STACK_LINE.test(line));
  const lines = printed.map((line) => withEllipsis(line.trimEnd(), DETAIL_LINE_CHARS_MAX));
  const hidden = Math.max(0, lines.length - DETAIL_LINES_MAX);
  const shown = lines.slice(hidden);
  return hidden === 0 ? shown : [`… ${hidden} more ${hidden === 1 ? "line" : "lines"}`, ...shown];
}

/** Not allowed, by the user or by a rule: nothing has failed, whatever its agent reports. */
export function isDenied({ state, error, approval }: ToolBlock): boolean {
  return state !== "pending" && (error?.code === "tool_denied" || approval?.kind === "denied");
}

/** Whether a call was allowed, for its row: "allowed once", "denied: use pnpm". Undefined where nobody was asked. */
export function toolApproval(tool: ToolBlock): RequestOutcome | undefined {
  const { approval, error } = tool;
  if (!isDenied(tool) || approval?.kind === "denied") return approval;
  // What follows the first sentence is advice for the model.
  const message = error?.message ?? "";
  const why = /^.*?(?=[.!?](?:\s|$))/s.exec(message)?.[0] ?? message;
  return { kind: "denied", text: why === "" ? "denied" : `denied: ${why}` };
}

export interface ToolSummary {
  /** Calls by kind, in the order the kinds first came up; calls that name no kind are "other". */
  readonly counts: readonly { readonly kind: NonNullable<ToolBlock["toolKind"]>; readonly count: number }[];
  readonly total: number;
  readonly failed: number;
  /** Time in which at least one call ran; parallel calls count once. */
  readonly durationMs: number;
}

export function toolSummary(turn: TurnMessage): ToolSummary {
  const tools = turn.blocks.filter((block) => block.kind === "tool");
  const counts = new Map<NonNullable<ToolBlock["toolKind"]>, number>();
  for (const { toolKind = "other" } of tools) counts.set(toolKind, (counts.get(toolKind) ?? 0) + 1);
  return {
    counts: [...counts].map(([kind, count]) => ({ kind, count })),
    total: tools.length,
    failed: tools.filter((tool) => tool.state === "error" && !isDenied(tool)).length,
    durationMs: coveredMs(tools),
  };
}

function coveredMs(tools: readonly ToolBlock[]): number {
  let covered = 0;
  let coveredTo = -Infinity;
  for (const tool of tools.toSorted((a, b) => a.startTs - b.startTs)) {
    const end = tool.startTs + (tool.durationMs ?? 0);
    covered += Math.max(0, end - Math.max(tool.startTs, coveredTo));
    coveredTo = Math.max(coveredTo, end);
  }
  return covered;
}
