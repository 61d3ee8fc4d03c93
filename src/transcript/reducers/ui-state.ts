/** What agents show beside the talk: status lines, widgets, a working message, a title, text for the editor. */
import type { EventOf } from "../../protocol/index.ts";
import { UI_KEYS_MAX, type Transcript, type UiState } from "../model.ts";
import { addNotice } from "./notices.ts";
import { patchHead } from "../pages.ts";
import { omit, plain } from "../record.ts";

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

/** With its seq, so that a view puts the same text into the editor only once. */
export function setUiEditorText(transcript: Transcript, event: EventOf<"ui_set_editor_text">): Transcript {
  return patchUi(transcript, { editorText: { seq: event.seq, text: event.text } });
}

function patchUi(transcript: Transcript, patch: Partial<UiState>): Transcript {
  return patchHead(transcript, { ui: { ...transcript.head.ui, ...patch } });
}

function isFull(record: Readonly<Record<string, unknown>>, key: string): boolean {
  return !Object.hasOwn(record, key) && Object.keys(record).length >= UI_KEYS_MAX;
}
