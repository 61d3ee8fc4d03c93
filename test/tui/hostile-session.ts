/** A session in which one text stands in every field that a panel could draw. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import { ended, joined, said, started } from "../generate/drafts.ts";
import { sessionLog } from "./draw-panels.ts";

const BLOB = { sha256: "0".repeat(64), bytes: 5 };

/** `text` in whole values; `pieces` arrive one by one where fields stream. */
export function hostileSession(text: string, pieces: readonly string[] = [text]): SessionEvent[] {
  const before = [...openingDrafts(text, pieces), ...turnDrafts(text), ...otherDrafts(text)];
  return sessionLog([...before, ...requests(text), ...withdrawn, ...lateDrafts(text)]);
}

const turn = { turnId: "t1", member: "claude" };

function openingDrafts(text: string, pieces: readonly string[]): EventDraft[] {
  const streamed = (make: (piece: string) => EventDraft) => pieces.map(make);
  return [
    joined("pi", { spec: { name: "pi", kind: "embedded", color: text } }),
    said("m1", ["claude", text], {
      text,
      origin: text,
      attachments: [{ name: text, mime: text, blob: BLOB }],
      textBlob: BLOB,
    }),
    { type: "message_delivery", messageId: "m1", member: text, state: "dropped", reason: text },
    started("t1", "claude", { messageIds: ["m1"], model: text }),
    { type: "status", ...turn, state: "working", detail: text },
    ...streamed((piece) => ({ type: "thinking_delta", ...turn, segmentId: "k", text: piece })),
    ...streamed((piece) => ({ type: "text_delta", ...turn, segmentId: "s", text: piece })),
    { type: "tool_call_start", ...turn, toolCallId: "c1", name: text, args: { [text]: text, list: [text] } },
    { type: "tool_call_update", ...turn, toolCallId: "c1", detail: text },
    ...streamed((piece) => ({ type: "tool_output_delta", ...turn, toolCallId: "c1", text: piece })),
    { type: "tool_call_start", ...turn, toolCallId: "c2", name: "x", title: text, args: text },
    {
      type: "tool_result",
      ...turn,
      toolCallId: "c2",
      ok: false,
      result: text,
      error: { code: "tool_error", message: text },
      diff: `+${text}\n-${text}\n@@${text}`,
    },
  ];
}

function turnDrafts(text: string): EventDraft[] {
  return [
    { type: "agent_message", ...turn, agentExchangeId: "x1", to: text, text, wait: true },
    { type: "agent_callback_result", agentExchangeId: "x1", member: "codex", ok: false, text },
    { type: "subagent_spawned", ...turn, subagentTurnId: "t9", name: text, task: text, depth: 1 },
    { type: "subagent_result", ...turn, subagentTurnId: "t9", outcome: "errored", text },
    {
      type: "plan_update",
      ...turn,
      planId: "p",
      items: [{ text, status: "pending" }],
      explanation: text,
      needsDecision: true,
    },
    { type: "change_report", ...turn, files: [{ path: text, status: "added", diff: text }], truncatedCount: 0 },
  ];
}

function lateDrafts(text: string): EventDraft[] {
  return [
    { type: "warning", ...turn, code: text, message: text, detail: text },
    { type: "model_fallback", ...turn, preferred: text, actual: text, reason: text },
    { type: text, ...turn } as unknown as EventDraft,
    { type: "finalize_task", ...turn, summary: text },
    { type: "steering", ...turn, messageId: "m1" },
    ended("t1", "claude", { outcome: "errored", error: { code: text, message: text, hint: text } }),
    started("t2", text, { depth: 1, parentTurnId: "t1" }),
    started("t3", "codex", { cause: "exchange", depth: 1, parentTurnId: "t2", agentExchangeId: "x2" }),
    { type: "retrying", turnId: "t2", member: text, attempt: 1, of: 2, delayMs: 10, reason: text },
    { type: "minutes", text, by: text },
    { type: "compaction", member: text, summary: text, before: 2, after: 1, firstKeptSeq: 1 },
    { type: "council_paused", why: "limit", limit: text, scope: "message", message: text },
    started("t4", "codex", { cause: "imported", origin: text }),
    ended("t4", "codex", { reason: text, outcome: "interrupted" }),
    { type: "error", code: text, message: text, detail: text },
    { type: "model_switched", member: text, model: text },
    { type: "member_left", member: text, reason: text },
    { type: "session_renamed", title: text },
    { type: "ui_notify", member: text, message: text, notifyType: "info" },
    { type: text } as unknown as EventDraft,
  ];
}

/** What stands around the log: above and below the input, in the last row, in the edge of the window. */
function otherDrafts(text: string): EventDraft[] {
  const member = "claude";
  return [
    { type: "ui_status", member, key: text, text },
    { type: "ui_widget", member, key: "above", content: [text, text], opts: {} },
    { type: "ui_widget", member, key: "below", content: text, opts: { placement: "belowEditor" } },
    { type: "ui_working", member, message: text },
    { type: "ui_set_title", member, title: text },
    { type: "queue_updated", items: [{ messageId: "q", text, to: ["all"], attachments: [], ts: 0 }] },
    { type: "ui_set_editor_text", member, text },
  ];
}

/** The log gets back the room that those took. */
const withdrawn: readonly EventDraft[] = [
  { type: "ui_widget", member: "claude", key: "above", content: null, opts: {} },
  { type: "ui_widget", member: "claude", key: "below", content: null, opts: {} },
  { type: "queue_updated", items: [] },
  { type: "ui_set_editor_text", member: "claude", text: "" },
];

function requests(text: string): EventDraft[] {
  const options = [{ label: text, value: "v", description: text }];
  const bodies = [
    { method: "approval", title: text, tool: text, call: text, callHash: "h", diff: text, options },
    { method: "select", title: text, options },
    { method: "confirm", title: text, message: text },
    { method: "input", title: text, placeholder: text },
    { method: "editor", title: text, prefill: text },
    { method: "question", title: text, questions: [{ id: "q", text, options, multiple: false, freeText: true }] },
  ] as const;
  return bodies.flatMap((request, index): EventDraft[] => [
    { type: "ui_request", requestId: `r${index}`, ...turn, request: request as never, timeoutMs: 1, default: null },
    {
      type: "ui_response",
      requestId: `r${index}`,
      result: index % 2 === 0 ? text : { answer: text },
      error: index === 5 ? text : null,
      by: text,
    },
  ]);
}
