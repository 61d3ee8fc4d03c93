/** How facts are said on the page. */
import type { SessionEvent, UnknownEvent } from "../protocol/index.ts";
import { eventLine, type Block, type TurnMessage } from "../transcript/index.ts";
import { requestWords } from "./request-words.ts";

export function seconds(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function eventWords(event: SessionEvent | UnknownEvent): string {
  return NAMED[event.type] ?? eventLine(event);
}

const NAMED: Readonly<Record<string, string | undefined>> = { output_cancelled: "Stopped by a user." };

export function endWords({ end }: TurnMessage): string {
  if (end === undefined || end.outcome === "completed") return "";
  const words = { interrupted: "Interrupted", timed_out: "Timed out", errored: "Failed" } as const;
  const why = end.error?.message ?? end.reason;
  const because = why === undefined || why === end.outcome ? "" : `: ${why}`;
  return [words[end.outcome] + because, end.error?.hint ?? ""].filter((one) => one !== "").join(" ");
}

/** A line for every block that is neither text nor a tool. */
export function blockWords(block: Exclude<Block, { kind: "text" | "thinking" | "tool" }>): string {
  switch (block.kind) {
    case "steering":
      return "A message of yours went into this turn.";
    case "request":
      return requestWords(block);
    case "exchange":
      return `→ @${block.to}: ${block.text}${block.answer === undefined ? "" : `\n← ${block.answer.text}`}`;
    case "subagent":
      return `Subagent ${block.name}: ${block.task}${block.outcome === undefined ? "" : ` · ${block.outcome}`}`;
    case "plan":
      return block.items.map((item) => `${PLAN_MARKS[item.status]} ${item.text}`).join("\n");
    case "changes":
      return [
        ...block.files.map((file) => `${file.status} ${file.path}`),
        ...(block.truncatedCount > 0 ? [`and ${block.truncatedCount} more files`] : []),
      ].join("\n");
    case "finished":
      return `Finished: ${block.summary}`;
    default:
      return eventWords(block.event);
  }
}

const PLAN_MARKS = { completed: "☑", in_progress: "◐", pending: "☐" } as const;
