/** Fields of events that contain text, as opposed to ids and codes. */

/** Never changed: ids, hashes and codes of the protocol. */
export const PRESERVED_FIELDS: ReadonlySet<string> = new Set(
  (
    "type id sessionId turnId turnIds messageId messageIds rootMessageId clientMessageId segmentId " +
    "toolCallId requestId agentExchangeId subagentTurnId parentTurnId audioTurnId planId compactionId " +
    "firstKeptTurnId quoted callId replaces copiedFrom sha256 callHash hash brief mime kind cause outcome " +
    "state mode api code why scope method decision status notifyType stream limit format"
  ).split(" "),
);

/** Member names; a redacted one is replaced by another name. */
export const MEMBER_FIELDS: ReadonlySet<string> = new Set(["member", "to", "order"]);

/** Values of any shape made by agents and clients, in which field names mean nothing. */
export const FREE_FIELDS: ReadonlySet<string> = new Set(["args", "default", "opts", "answers", "extra", "kept"]);

/** Key of the text that a streamed event belongs to. */
export function deltaKey(event: { type: string; [key: string]: unknown }): string | undefined {
  const { type, turnId, segmentId, toolCallId } = event as Record<string, string>;
  if (type === "text_delta") return `text ${turnId} ${segmentId}`;
  if (type === "thinking_delta") return `thinking ${turnId} ${segmentId}`;
  if (type === "tool_output_delta") return `tool ${turnId} ${toolCallId}`;
  return undefined;
}
