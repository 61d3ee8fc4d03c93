/** The wire's six signals, and other transient session information. */
import { terminalSafeLine } from "../../../src/kit/text/terminal-safe.ts";
import { isKnownEvent, type EventOf, type SessionEvent, type UnknownEvent } from "../../../src/protocol/index.ts";
import type { Head } from "../../../src/transcript/index.ts";
import { beginningOf, fittingPrefix, MESSAGE_TEXT_BYTES_MAX } from "./line-limits.ts";
import type { Line } from "./wire-event.ts";

const NOTIFY_TYPES = { info: "info", warn: "warning", error: "error", success: "success" } as const;
const PLAN_KEY = "plan";
const PLAN_MARKS = { pending: "[ ]", in_progress: "[~]", completed: "[x]" } as const;
const FILES_NAMED_MAX = 5;

export function signalLines(event: SessionEvent | UnknownEvent): Line[] {
  if (!isKnownEvent(event)) return [];
  const signal = signalOf(event);
  return signal === undefined ? [] : [{ ...signal, session_id: event.sessionId }];
}

/** Current state for a client that connects later. Of notices only why the session is paused; no editor texts. */
export function currentSignals(sessionId: string, { ui, council }: Pick<Head, "ui" | "council">): Line[] {
  const sessionSignal = (type: string, params: Params): Line => ({ ...signal(type, params), session_id: sessionId });
  return [
    ...Object.entries(ui.status).map(([key, text]) => sessionSignal("ui_status", { key, text })),
    ...Object.entries(ui.widgets).map(([key, { content, opts }]) => sessionSignal("ui_widget", { key, content, opts })),
    ...(ui.working === undefined ? [] : [sessionSignal("ui_working", { message: ui.working })]),
    ...(ui.title === undefined ? [] : [{ ...titleSignal(ui.title), session_id: sessionId }]),
    ...(council.state === "paused" && council.message !== undefined
      ? [{ ...notify("warning", council.message), session_id: sessionId }]
      : []),
  ];
}

function signalOf(event: SessionEvent): Line | undefined {
  switch (event.type) {
    case "ui_notify":
      return notify(NOTIFY_TYPES[event.notifyType], event.message);
    case "ui_status":
      return signal("ui_status", { key: event.key, text: event.text });
    case "ui_widget":
      return signal("ui_widget", { key: event.key, content: event.content, opts: event.opts });
    case "ui_working":
      return signal("ui_working", { message: event.message });
    case "ui_set_title":
      return titleSignal(event.title);
    case "ui_set_editor_text":
      return signal("ui_set_editor_text", { text: event.text });
    case "plan_update":
      return planWidget(event);
    default:
      return noticeOf(event);
  }
}

function noticeOf(event: SessionEvent): Line | undefined {
  switch (event.type) {
    case "warning":
    case "council_paused":
      return notify("warning", event.message);
    case "error":
      return notify("error", event.message);
    case "turn_end":
      return failureNotice(event);
    case "retrying":
      return notify("warning", `${event.member} tries again (${event.attempt} of ${event.of}): ${event.reason}`);
    case "model_fallback":
      return notify("warning", `${event.actual} answers instead of ${event.preferred}: ${event.reason}`);
    case "change_report":
      return notify("info", formatChanges(event));
    case "finalize_task":
      return notify("success", event.summary);
    case "minutes":
      return notify("info", event.text);
    case "compaction":
      return notify("info", `${event.member}: context compacted${freed(event)}`);
    case "compaction_undone":
      return notify("info", `${event.member}: compaction undone`);
    case "compaction_failed":
      return notify("warning", `${event.member}: context not compacted: ${event.reason}`);
    default:
      return undefined;
  }
}

/** Some programs compact without reporting token counts. */
function freed({ before, after }: EventOf<"compaction">): string {
  return before > 0 && after > 0 ? ` from ${Math.round(before)} to ${Math.round(after)} tokens` : "";
}

/** Screens mark a failed answer but need this to show the reason. */
function failureNotice({ member, outcome, error, reason }: EventOf<"turn_end">): Line | undefined {
  if (outcome !== "errored" && outcome !== "timed_out") return undefined;
  const why =
    error === undefined ? (reason ?? outcome.replace("_", " ")) : [error.message, error.hint].join(" ").trim();
  return notify("error", `${member}: ${why}`);
}

/** Screens write titles into a terminal sequence, which the title must not terminate. */
function titleSignal(title: string): Line {
  return signal("ui_set_title", { title: terminalSafeLine(title) });
}

function planWidget({ items, explanation }: EventOf<"plan_update">): Line {
  const lines = items.map((item) => `${PLAN_MARKS[item.status]} ${item.text}`);
  const content = explanation === undefined ? lines : [explanation, ...lines];
  return signal("ui_widget", { key: PLAN_KEY, content: content.length === 0 ? null : content, opts: {} });
}

function formatChanges({ files, truncatedCount }: EventOf<"change_report">): string {
  const named = files.slice(0, FILES_NAMED_MAX).map((file) => `${file.path} (${file.status})`);
  const more = files.length + truncatedCount - named.length;
  return `Changed: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function notify(notifyType: (typeof NOTIFY_TYPES)[keyof typeof NOTIFY_TYPES], message: string): Line {
  return signal("ui_notify", { message: beginningOf(message), notify_type: notifyType });
}

/** A text that is not a session event. */
export function noticeLine(sessionId: string, message: string): Line {
  return { ...notify("info", message), session_id: sessionId };
}

/** The whole text, in as many notices as it needs. */
export function noticeLines(sessionId: string, text: string): Line[] {
  const lines: Line[] = [];
  for (let rest = text; rest !== "";) {
    const part = fittingPrefix(rest, MESSAGE_TEXT_BYTES_MAX);
    lines.push(noticeLine(sessionId, part));
    rest = rest.slice(part.length);
  }
  return lines;
}

type Params = Readonly<Record<string, unknown>>;

function signal(type: string, params: Params): Line {
  return { type, params };
}
