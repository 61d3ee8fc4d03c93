/**
 * Requests of agents to the user: the open ones in the head, oldest first, each also as a block of its turn, with its
 * outcome.
 */

import type { EventOf } from "../../protocol/index.ts";
import { type OpenRequest, type Transcript, UI_KEYS_MAX, type UiState } from "../model.ts";
import type { Block, RequestState } from "../messages.ts";
import { addNotice } from "./notices.ts";
import { addBlock, changeBlock, openTurn, withOpenTurn } from "./open-turns.ts";
import { freezePages, patchHead } from "../pages.ts";
import { plain, present, omit } from "../record.ts";
import { requestOutcome } from "../requests/outcome.ts";

/** Outside an open turn, and for an id that is already open, the request also becomes a notice. */
export function openRequest(transcript: Transcript, event: EventOf<"ui_request">): Transcript {
  const { requests } = transcript.head;
  const { requestId, turnId, toolCallId } = event;
  if (requests.some((one) => one.requestId === requestId)) return addNotice(transcript, event);
  const request: OpenRequest = {
    requestId,
    member: event.member,
    ...present({ turnId, toolCallId }),
    seq: event.seq,
    ts: event.ts,
    request: plain(event.request),
    timeoutMs: event.timeoutMs,
    default: plain(event.default),
  };
  const opened = patchHead(transcript, { requests: [...requests, request] });
  const turn = openTurn(opened, turnId);
  if (turn === undefined) return addNotice(opened, event);
  const { member } = request;
  const details = { requestId, member, ...present({ toolCallId }), request: request.request };
  const shown = withOpenTurn(opened, addBlock(turn, { kind: "request", ...details, state: "open" }));
  return markCall(shown, request, { state: "open" }, event.ts);
}

export function answerRequest(transcript: Transcript, event: EventOf<"ui_response">): Transcript {
  const { reason, clientId, by } = event;
  const answer = { result: plain(event.result), error: event.error, ...present({ reason, clientId, by }) };
  return closeRequest(transcript, event, { state: "answered", answer });
}

export function cancelRequest(transcript: Transcript, event: EventOf<"ui_cancelled">): Transcript {
  return closeRequest(transcript, event, { state: event.reason });
}

type Closing = { state: RequestState } & Pick<Extract<Block, { kind: "request" }>, "answer">;

/** The first answer wins; answers to a closed request are ignored. */
function closeRequest(
  transcript: Transcript,
  { requestId, ts }: EventOf<"ui_response"> | EventOf<"ui_cancelled">,
  closing: Closing,
): Transcript {
  const request = transcript.head.requests.find((one) => one.requestId === requestId);
  if (request === undefined) return transcript;
  const requests = transcript.head.requests.filter((one) => one !== request);
  const closed = patchHead(transcript, { requests });
  const marked = changeBlock(
    closed,
    "request",
    (block) => block.requestId === requestId && block.state === "open",
    (block) => ({ ...block, ...closing }),
  );
  return freezePages(markCall(marked ?? closed, request, closing, ts));
}

/** The outcome of an approval is shown on its tool call, which runs from then on: your time is not the call's. */
function markCall(
  transcript: Transcript,
  { request, toolCallId }: OpenRequest,
  closing: Closing,
  ts: number,
): Transcript {
  if (toolCallId === undefined || request.method !== "approval") return transcript;
  const approval = requestOutcome(request, closing.state, closing.answer);
  const marked = changeBlock(
    transcript,
    "tool",
    (block) => block.toolCallId === toolCallId,
    (block) => ({
      ...block,
      approval,
      ...(block.state === "pending" && approval.kind === "allowed" && { startTs: ts }),
    }),
  );
  return marked ?? transcript;
}

/** What agents show beside the conversation: status lines, widgets, a working message, a title, text for the editor. */
export function setUiStatus(transcript: Transcript, event: EventOf<"ui_status">): Transcript {
  const { status } = transcript.head.ui;
  if (event.text === null) return patchUi(transcript, { status: omit(status, event.key) });
  if (isFull(status, event.key)) return addNotice(transcript, event);
  return patchUi(transcript, { status: { ...status, [event.key]: event.text } });
}

export function setUiWidget(transcript: Transcript, event: EventOf<"ui_widget">): Transcript {
  const { widgets } = transcript.head.ui;
  if (event.content === null) return patchUi(transcript, { widgets: omit(widgets, event.key) });
  if (isFull(widgets, event.key)) return addNotice(transcript, event);
  const widget = { content: event.content, opts: plain(event.opts) };
  return patchUi(transcript, { widgets: { ...widgets, [event.key]: widget } });
}

export function setUiWorking(transcript: Transcript, event: EventOf<"ui_working">): Transcript {
  if (event.message !== null) return patchUi(transcript, { working: event.message });
  return patchHead(transcript, { ui: omit(transcript.head.ui, "working") });
}

export function setUiTitle(transcript: Transcript, event: EventOf<"ui_set_title">): Transcript {
  return patchUi(transcript, { title: event.title });
}

/** With its seq, so that a view applies the same text only once. */
export function setUiEditorText(transcript: Transcript, event: EventOf<"ui_set_editor_text">): Transcript {
  return patchUi(transcript, { editorText: { seq: event.seq, text: event.text } });
}

function patchUi(transcript: Transcript, patch: Partial<UiState>): Transcript {
  return patchHead(transcript, { ui: { ...transcript.head.ui, ...patch } });
}

function isFull(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return !Object.hasOwn(record, key) && Object.keys(record).length >= UI_KEYS_MAX;
}
