/** Labels of turns, tool groups, origins, reasons and events. */
import type { SessionEvent, UnknownEvent, Usage } from "../../protocol/index.ts";
import {
  describeTurn,
  formatWork,
  eventLine,
  messageAt,
  type ToolBlock,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../../transcript/index.ts";
import { inOrder } from "./plain-sight.ts";
import { formatCost, formatDuration, formatTokens } from "./units.ts";

/** A map, since events of other versions can have any name. */
const NAMED: ReadonlyMap<string, string> = new Map([["output_cancelled", "you stopped the turn"]]);

/** By the kind of a member, which is also the program that an imported message comes from. */
export const KIND_NAMES: ReadonlyMap<string, string> = new Map([
  ["claude", "Claude Code"],
  ["codex", "Codex"],
  ["pi", "Pi"],
  ["cursor", "Cursor"],
  ["opencode", "OpenCode"],
  ["acp", "Agent Client Protocol"],
  ["openai", "OpenAI-compatible model"],
]);

/** Messages searched backwards for the previous user message. */
const LOOKBACK_MAX = 64;

interface Cost extends Pick<TurnMessage, "model"> {
  readonly end?: { readonly durationMs: number };
  readonly usage?: Pick<Usage, "inputTokens" | "outputTokens" | "costUsd">;
}

/** Usage of an ended turn, or of several together. */
export function costLabels({ end, usage, model }: Cost): string[] {
  return [
    ...(end === undefined ? [] : [formatDuration(end.durationMs)]),
    ...(model === undefined ? [] : [model]),
    ...(usage === undefined || usage.inputTokens + usage.outputTokens === 0
      ? []
      : [`${formatTokens(usage.inputTokens + usage.outputTokens)} tokens`]),
    ...(usage?.costUsd === undefined || usage.costUsd === 0 ? [] : [formatCost(usage.costUsd)]),
  ];
}

/** Current activity of an open turn. */
export function formatActivity(turn: TurnMessage): string {
  if (turn.retrying !== undefined) {
    const { attempt, of, delayMs, reason } = turn.retrying;
    return `retrying, attempt ${attempt} of ${of}, after ${formatDuration(delayMs)}: ${reason}`;
  }
  return describeTurn(turn).activity?.text ?? "";
}

const STOPPED = "This answer was stopped";

/** Empty for a successful turn. */
export function formatTurnEnd(turn: TurnMessage): string {
  const { end } = turn;
  const described = describeTurn(turn).end;
  if (end === undefined || described === undefined) return "";
  const { label, why } = described;
  const because = why === "" ? "" : `: ${why}`;
  const aloud =
    end.audioTruncatedAtMs === undefined ? "" : ` · read aloud for ${formatDuration(end.audioTruncatedAtMs)}`;
  const isStop = end.outcome === "interrupted" && why === "";
  const ending = isStop ? STOPPED : label.charAt(0).toUpperCase() + label.slice(1);
  const text = ending + because + aloud;
  const { hint = "" } = end.error ?? {};
  return hint === "" ? text : `${text.replace(/[.!?]?$/, ".")} ${hint}`;
}

/** "Read 3 files, ran 2 commands (1 failed) · 4 s". */
export function formatToolGroup(tools: readonly ToolBlock[]): string {
  const text = formatWork(tools);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Origin of an imported message, `PROGRAM:SESSION` or a file of the program; empty when the previous message has the same. */
export function formatOrigin(transcript: Transcript, { origin, position }: UserMessage): string {
  if (origin === undefined || origin === originBefore(transcript, position)) return "";
  const [, program = "", session = ""] = /^([a-z]+):([^/]+)$/.exec(origin) ?? [];
  if (session === "") return origin;
  return `imported from ${KIND_NAMES.get(program) ?? program.charAt(0).toUpperCase() + program.slice(1)}`;
}

function originBefore(transcript: Transcript, position: number): string | undefined {
  for (let at = position - 1; at >= Math.max(0, position - LOOKBACK_MAX); at -= 1) {
    const message = messageAt(transcript, at);
    if (message?.kind === "user") return message.origin;
  }
  return undefined;
}

/** Label of an event without its own view. */
export function formatEvent(event: SessionEvent | UnknownEvent): string {
  const text = inOrder(NAMED.get(event.type) ?? eventLine(event));
  return isName(text, event) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** URLs, paths, commands and member names keep their case. */
function isName(text: string, { member }: SessionEvent | UnknownEvent): boolean {
  const [first = ""] = text.split(/[\s,;]/, 1);
  return first === member || /[^\p{L}\p{M}'’:.!?-]|:\/\//u.test(first);
}
