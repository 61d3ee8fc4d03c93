/** The conversation as a client of the wire sees it, with recipients and tool outcomes. */
import type { Frame } from "./frame-schemas.ts";

export interface Folded {
  /** `from > to: text`, in order of arrival. */
  messages: string[];
  /** Block id to its end. */
  tools: Record<string, string>;
  /** What is streaming, by agent. */
  streaming: Record<string, string>;
  statuses: Record<string, string>;
}

export function foldFrames(frames: readonly Frame[]): Folded {
  // Without a prototype: a member may be called anything.
  const record = () => Object.create(null) as Record<string, string>;
  const folded: Folded = { messages: [], tools: record(), streaming: record(), statuses: record() };
  for (const frame of frames) take(folded, frame, frame.agent_id ?? "", frame.data ?? {});
  return folded;
}

function take(folded: Folded, frame: Frame, agent: string, data: Record<string, unknown>): void {
  const { kind, phase, text = "" } = frame;
  if (kind === "message") {
    folded.messages.push(`${String(data["from"])} > ${String(data["to"])}: ${text}`);
    delete folded.streaming[agent];
  }
  if (kind === "token" && phase === undefined && data["thinking"] !== true) {
    folded.streaming[agent] = (folded.streaming[agent] ?? "") + text;
  }
  if (kind === "content_block")
    folded.tools[String(data["block_id"])] = typeof data["status"] === "string" ? data["status"] : "running";
  if (kind === "activity" && (phase === "doing" || data["status"] === "idle")) {
    folded.statuses[agent] = String(data["status"]);
  }
  if (kind === "turn_complete") delete folded.streaming[agent];
}
