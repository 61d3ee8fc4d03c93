/** Result of a message or an interrupt as text; empty when the screen shows it: sent, queued, or said into a turn. */
import { formatList } from "../../../kit/text/format.ts";
import { RoundtableError, type Ack, type Json, type OtherTurn } from "../../../protocol/index.ts";

export function formatSendResult(ack: Ack): string {
  if (!ack.ok) return [ack.error.message, ack.error.hint].filter(Boolean).join(" ");
  const result = (ack.result ?? {}) as Record<string, Json>;
  const waiting = names(result["waiting"]);
  const muted = names(result["muted"]);
  return [
    waiting.length === 0
      ? ""
      : `${formatList(waiting)} will see it when ${waiting.length === 1 ? "its turn ends" : "their turns end"}.`,
    muted.length === 0
      ? ""
      : `${formatList(muted)} ${muted.length === 1 ? "is muted and was" : "are muted and were"} not asked.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** The same for plain lines, where no screen shows that it was queued or said into a turn. */
export function formatDelivery(ack: Ack): string {
  const result = ack.ok ? ((ack.result ?? {}) as Record<string, Json>) : {};
  const steering = names(result["steering"]);
  return [
    result["placed"] === "queued" ? "Queued. Sent when they are done." : "",
    steering.length === 0
      ? ""
      : `Sent to ${formatList(steering)} while ${steering.length === 1 ? "it works" : "they work"}.`,
    formatSendResult(ack),
  ]
    .filter(Boolean)
    .join(" ");
}

interface Interrupted {
  readonly stopped: number;
  readonly members: readonly string[];
  readonly others: readonly OtherTurn[];
}

/** Parses the result of an interrupt. */
export function interruptResult(result: Json | undefined): Interrupted {
  return { stopped: 0, members: [], others: [], ...(result as Partial<Interrupted> | undefined) };
}

export function formatStopped({ stopped, members }: Omit<Interrupted, "others">): string {
  if (members.length > 0) return `Stopped ${formatList(members)}.`;
  return stopped > 0 ? "Stopped." : "";
}

/** The error with its hint. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof RoundtableError ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

function names(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
