/** Names that are on disk and on wires. A red line here means: is this change deliberate, and what of old logs? */
import { expect, test } from "vitest";
import { commandSchemas } from "./commands.ts";
import { EVENT_BYTES_MAX } from "./define.ts";
import { errorCodes } from "./errors.ts";
import { eventDefinitions } from "./events.ts";
import { PROTOCOL_VERSION } from "./frames.ts";

const typesOf = (syncClass: string) =>
  eventDefinitions.filter((one) => one.syncClass === syncClass).map((one) => one.type);

test("[P1] event types and their sync classes are pinned", () => {
  expect(typesOf("sync")).toEqual([
    "session_created",
    "session_resume",
    "session_renamed",
    "session_archived",
    "settings_changed",
    "member_joined",
    "member_left",
    "member_muted",
    "member_unmuted",
    "member_session",
    "model_switched",
    "effort_switched",
    "session_clear",
    "message_pinned",
    "user_message",
    "queue_updated",
    "steering",
    "turn_start",
    "turn_end",
    "tool_call_start",
    "tool_result",
    "council_settled",
    "council_paused",
    "council_resumed",
    "minutes",
    "ui_request",
    "ui_response",
    "ui_cancelled",
    "permission_revoked",
    "agent_message",
    "agent_callback_result",
    "subagent_spawned",
    "subagent_result",
    "plan_decision",
    "compaction",
    "compaction_undone",
    "output_cancelled",
    "recovered",
    "read_only",
    "mirrored",
  ]);
  expect(typesOf("stream")).toEqual([
    "member_models",
    "member_guard",
    "message_delivery",
    "status",
    "retrying",
    "text_delta",
    "text_done",
    "text_retracted",
    "thinking_start",
    "thinking_delta",
    "thinking_done",
    "tool_call_update",
    "tool_output_delta",
    "ui_notify",
    "ui_status",
    "ui_widget",
    "ui_working",
    "ui_set_title",
    "ui_set_editor_text",
    "plan_update",
    "change_report",
    "finalize_task",
    "model_fallback",
    "context_update",
    "compaction_started",
    "compaction_failed",
    "context_entry",
    "usage",
    "warning",
    "error",
  ]);
  expect(typesOf("derived")).toEqual(["damage"]);
});

test("no event type is defined twice", () => {
  const types = eventDefinitions.map((one) => one.type);
  expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
});

test("[P3] command types are pinned", () => {
  expect(commandSchemas.map((one) => one.shape.type.value)).toEqual([
    "send",
    "steer",
    "queue_add",
    "queue_edit",
    "queue_reorder",
    "queue_remove",
    "queue_promote",
    "interrupt",
    "retry",
    "continue",
    "round",
    "mute",
    "unmute",
    "add_member",
    "remove_member",
    "answer",
    "compact",
    "compact_undo",
    "pin",
    "clear",
    "fork",
    "archive",
    "rename",
    "switch_model",
    "switch_effort",
    "set_settings",
    "plan_decision",
    "minutes",
    "list_permissions",
    "revoke_permission",
    "list_files",
  ]);
});

test("[P4] error codes, limits and the protocol version are pinned", () => {
  expect(errorCodes).toEqual([
    "bad_command",
    "unknown_session",
    "unknown_member",
    "unknown_message",
    "unknown_request",
    "unknown_turn",
    "conflict",
    "busy",
    "nobody_to_ask",
    "unsupported",
    "too_large",
    "store_unavailable",
    "locked",
    "version_mismatch",
    "closed",
    "internal",
  ]);
  expect({ EVENT_BYTES_MAX, PROTOCOL_VERSION }).toEqual({ EVENT_BYTES_MAX: 262_144, PROTOCOL_VERSION: 1 });
});
