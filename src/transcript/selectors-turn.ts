/** What one turn comes to. */
import { joinSegments } from "./joined-segments.ts";
import { OUTPUT_SHOWN_MAX, type ToolBlock, type TurnMessage } from "./model.ts";

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
    failed: tools.filter((tool) => tool.state === "error").length,
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
