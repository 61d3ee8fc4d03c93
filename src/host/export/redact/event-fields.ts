/** Which fields of an event are words of people, members and programs, and which only hold the log together. */

/** Never changed: ids, hashes and words of the protocol. */
export const PRESERVED_FIELDS: ReadonlySet<string> = new Set(
  (
    "type id sessionId turnId turnIds messageId messageIds rootMessageId clientMessageId segmentId " +
    "toolCallId requestId agentExchangeId subagentTurnId parentTurnId audioTurnId planId compactionId " +
    "firstKeptTurnId quoted callId replaces copiedFrom sha256 callHash hash brief mime kind cause outcome " +
    "state mode api code why scope method decision status notifyType stream limit format"
  ).split(" "),
);

/** Names of members: one that must go is replaced by another name. */
export const MEMBER_FIELDS: ReadonlySet<string> = new Set(["member", "to", "order"]);

/** Values of any shape that agents and clients made up, in which no name of a field means anything to us. */
export const FREE_FIELDS: ReadonlySet<string> = new Set(["args", "default", "opts", "answers", "extra", "kept"]);

/** Where in an event a text grows by pieces, and which text that is. */
export function deltaKey(event: { type: string; [key: string]: unknown }): string | undefined {
  const { type, turnId, segmentId, toolCallId } = event as Record<string, string>;
  if (type === "text_delta") return `text ${turnId} ${segmentId}`;
  if (type === "thinking_delta") return `thinking ${turnId} ${segmentId}`;
  if (type === "tool_output_delta") return `tool ${turnId} ${toolCallId}`;
  return undefined;
}
