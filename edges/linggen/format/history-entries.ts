/**
 * A turn in linggen's history: one message per text closed by a tool, a request or the end, and other notable events.
 * Live frames and history are both built here, because clients match them by text.
 */
import { turnText, type Block, type TurnMessage } from "../../../src/transcript/index.ts";
import { changeReportOf } from "./change-reports.ts";
import { toLinggenPlan, type PlanStatus } from "./plans.ts";

export interface HistoryEntry {
  /** Stable id of the entry. */
  readonly key: string;
  readonly text: string;
  readonly tsMs: number;
  /** Undefined for the user or whoever started the turn. */
  readonly to?: string;
  /** JSON that clients draw as a card; live sessions use other frames. */
  readonly isCard: boolean;
  /** Text of the turn itself, not about it. */
  readonly isSpeech: boolean;
}

const NO_RESPONSE = "No response — the run was interrupted";

type NewestPlan = PlanStatus & { readonly planId: string };

export function historyEntries(turn: TurnMessage, newest?: NewestPlan): HistoryEntry[] {
  const entries = turn.blocks.flatMap((block, at) => entriesOfBlock(turn, block, { at, newest }));
  const ending = endingOf(turn);
  return ending === undefined ? entries : [...entries, ending];
}

function entriesOfBlock(
  turn: TurnMessage,
  block: Block,
  { at, newest }: { at: number; newest: NewestPlan | undefined },
): HistoryEntry[] {
  const plain = { tsMs: closedTs(turn, at), isCard: false, isSpeech: false };
  const card = { ...plain, isCard: true };
  switch (block.kind) {
    case "text": {
      const isClosed = block.done || turn.end !== undefined;
      return isClosed && block.text.trim() !== ""
        ? [{ ...plain, key: `text-${block.segmentId}`, text: block.text, isSpeech: true }]
        : [];
    }
    case "exchange":
      return [{ ...plain, key: `asks-${block.agentExchangeId}`, text: block.text, to: block.to }];
    case "finished":
      return [{ ...plain, key: `finished-${at}`, text: block.summary }];
    case "changes": {
      const report = changeReportOf(block.files, block.truncatedCount);
      return [{ ...card, key: `changes-${at}`, text: JSON.stringify({ type: "change_report", ...report }) }];
    }
    case "plan": {
      const { planId, decision } = block;
      const decided = { isPending: false, isApproved: decision === "approve", isRejected: decision === "reject" };
      const plan = toLinggenPlan(block, decision === undefined && newest?.planId === planId ? newest : decided);
      return [{ ...card, key: `plan-${at}`, text: JSON.stringify({ type: "plan", plan }) }];
    }
    default:
      return [];
  }
}

/** A text has no timestamp: it takes that of the next call or of the end. */
function closedTs(turn: TurnMessage, at: number): number {
  const next = turn.blocks.slice(at + 1).find((block) => block.kind === "tool");
  return next?.kind === "tool" ? next.startTs : (turn.end?.ts ?? turn.ts);
}

function endingOf(turn: TurnMessage): HistoryEntry | undefined {
  const text = endText(turn);
  if (text === undefined) return undefined;
  return { key: "end", text, tsMs: turn.end?.ts ?? turn.ts, isCard: false, isSpeech: false };
}

function endText(turn: TurnMessage): string | undefined {
  const { end } = turn;
  if (end === undefined || end.outcome === "completed") return undefined;
  if (end.outcome === "timed_out") return `Error: Timeout after ${Math.round(end.durationMs / 1_000)}s`;
  if (end.outcome === "errored") return `Error: ${end.error?.message ?? end.reason ?? "unknown"}`;
  // Whoever stopped it knows; a lost run needs an explanation.
  return end.reason === "interrupted" || turnText(turn) !== "" ? undefined : NO_RESPONSE;
}
