/**
 * What assistant has no word for but a person should see: as a message of the system with a label. Requests are shown,
 * and can be answered on another screen only.
 */
import { isKnownEvent, type EventOf, type SessionEvent, type UiRequestBody } from "../../protocol/index.ts";
import { eventLine } from "../../transcript/index.ts";
import type { Scribe } from "./scribe.ts";

export function mapNotice(scribe: Scribe, event: SessionEvent): void {
  const place = { turnId: event.turnId };
  const note = (text: string, label: string) => scribe.chat("custom_message", { text, label }, place);
  // An event of a newer version arrives here too, whatever the compiler says.
  if (!isKnownEvent(event)) return note(eventLine(event), "event");
  switch (event.type) {
    case "error":
      return scribe.chat("error", { code: event.code, message: event.message }, place);
    case "damage":
    case "read_only":
      return scribe.chat("error", { code: event.type, message: eventLine(event) }, place);
    case "compaction":
      return scribe.chat("summary_message", { text: event.summary, summaryType: "compaction" }, place);
    case "minutes":
      return scribe.chat("summary_message", { text: event.text }, place);
    case "warning":
    case "council_paused":
    case "model_fallback":
      return note(eventLine(event), "warning");
    case "ui_notify":
      return note(event.message, event.notifyType);
    case "finalize_task":
      return note(event.summary, "finished");
    case "ui_request":
      return note(requestText(event), event.request.method);
    case "ui_response":
      return note(event.error ?? `answered: ${JSON.stringify(event.result)}`, "answer");
    case "ui_cancelled":
      return note(`no longer asked: ${event.reason.replaceAll("_", " ")}`, "answer");
    default:
      return;
  }
}

function requestText({ member, request }: EventOf<"ui_request">): string {
  const asked = [`${member} asks: ${request.title}`, ...detailsOf(request)];
  return [...asked, "It can be answered in Roundtable's own screens."].join("\n");
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
