/**
 * Information that assistant has no type for: a labelled system message. Requests are sent this way too, and again as
 * interactions for later clients; other clients' users answer on another screen.
 */
import { isKnownEvent, type EventOf, type SessionEvent, type UiRequestBody } from "../../../src/protocol/index.ts";
import { eventLine, namedTitle, type Transcript } from "../../../src/transcript/index.ts";
import { interactionRequest, interactionResponse } from "./interaction.ts";
import type { FrameWriter } from "./frame-writer.ts";

export function mapNotice(writer: FrameWriter, event: SessionEvent, { head }: Transcript): void {
  const ids = { turnId: event.turnId };
  const note = (text: string, label: string) => writer.chat("custom_message", { text, label }, ids);
  // An event of a newer version arrives here too, whatever the compiler says.
  if (!isKnownEvent(event)) return note(eventLine(event), "event");
  switch (event.type) {
    case "error":
      return writer.chat("error", { code: event.code, message: event.message }, ids);
    case "damage":
    case "read_only":
      return writer.chat("error", { code: event.type, message: eventLine(event) }, ids);
    case "compaction":
      return writer.chat("summary_message", { text: event.summary, summaryType: "compaction" }, ids);
    case "minutes":
      return writer.chat("summary_message", { text: event.text }, ids);
    case "warning":
    case "council_paused":
    case "model_fallback":
      return note(eventLine(event), "warning");
    case "ui_notify":
      return note(event.message, event.notifyType);
    case "finalize_task":
      return note(event.summary, "finished");
    case "ui_request":
      note(requestText(event), event.request.method);
      return writer.chat("interaction_request", interactionRequest(event), ids);
    case "ui_response":
    case "ui_cancelled": {
      note(answerText(event), "answer");
      const openRequest = head.requests.find(({ requestId }) => requestId === event.requestId);
      return writer.chat("interaction_response", interactionResponse(event, openRequest?.request), ids);
    }
    default:
      return;
  }
}

function answerText(event: EventOf<"ui_response" | "ui_cancelled">): string {
  if (event.type === "ui_cancelled") return `no longer asked: ${event.reason.replaceAll("_", " ")}`;
  return event.error ?? `answered: ${JSON.stringify(event.result)}`;
}

/** Early clients of this wire cannot answer; they show the request and where to answer it. */
function requestText({ member, request, sessionId }: EventOf<"ui_request">): string {
  const lines = [namedTitle(member, request.title), ...detailsOf(request)];
  const where = `Waiting for an answer. Answer it in Roundtable: run "roundtable chat ${sessionId}", or open the page with "roundtable web".`;
  return [...lines, where].join("\n");
}

function detailsOf(request: UiRequestBody): string[] {
  switch (request.method) {
    case "select":
      return request.options.map(({ label }) => `- ${label}`);
    case "confirm":
      return [request.message];
    case "approval":
      return [`${request.tool}: ${request.call}`];
    case "question":
      return request.questions.flatMap(({ text, options }) => [text, ...options.map(({ label }) => `- ${label}`)]);
    default:
      return [];
  }
}
