/**
 * Folds one event. Pure: never mutates, never reads a clock or a frozen page. Events that were folded before (seq ≤
 * head.seq) are ignored; a gap in the seqs is a bug of the caller and throws.
 */
import type { SessionEvent } from "../protocol/index.ts";
import { pauseCouncil, resumeCouncil, settleCouncil, stopFirstAnswers } from "./reducers/council.ts";
import { answerMember, askMember, endSubagent, spawnSubagent } from "./reducers/exchanges.ts";
import {
  joinMember,
  leaveMember,
  muteMember,
  setContext,
  setGuard,
  setModels,
  setNativeSession,
  switchEffort,
  switchModel,
  compactMember,
  failCompaction,
  startCompaction,
  undoCompaction,
} from "./reducers/members.ts";
import type { Head, Transcript } from "./model.ts";
import { changeTurnOrNotice, addToTurn, addNotice } from "./reducers/notices.ts";
import { changeTurn } from "./reducers/open-turns.ts";
import { patchHead } from "./pages.ts";
import {
  answerRequest,
  cancelRequest,
  openRequest,
  setUiEditorText,
  setUiStatus,
  setUiTitle,
  setUiWidget,
  setUiWorking,
} from "./reducers/requests.ts";
import {
  archiveSession,
  changeSettings,
  clearSession,
  createSession,
  pinMessage,
  renameSession,
} from "./reducers/session.ts";
import { appendText, appendThinking, closeText, closeThinking, retractText, startThinking } from "./reducers/text.ts";
import {
  appendOutput,
  settleTool,
  startTool,
  updateTool,
  decidePlan,
  fallBack,
  finishTask,
  reportChanges,
  updatePlan,
} from "./reducers/tools.ts";
import { endTurn, setRetrying, setStatus, setUsage, startTurn, markReadAloud } from "./reducers/turns.ts";
import { normalizeUsage } from "./reducers/usage.ts";
import { addUserMessage, setDelivery, setQueue, steerTurn } from "./reducers/user-messages.ts";

export function reduce(transcript: Transcript, event: SessionEvent): Transcript {
  if (event.seq <= transcript.head.seq) return transcript;
  if (event.seq !== transcript.head.seq + 1) assertNoGap(transcript.head, event);
  const next = apply(transcript, event);
  return next.head.seq === event.seq ? next : stamp(next, event);
}

/**
 * `changeTurn` stamps the event itself and drops what belongs to no open turn: the complete text or the result repeats
 * such deltas. All other cases are stamped by `reduce`.
 */
// oxlint-disable-next-line max-lines-per-function -- every event type has its line in this one switch
function apply(transcript: Transcript, event: SessionEvent): Transcript {
  switch (event.type) {
    case "text_delta":
      return changeTurn(transcript, event, appendText);
    case "text_done":
      return changeTurnOrNotice(transcript, event, closeText);
    case "text_retracted":
      return changeTurn(transcript, event, retractText);
    case "thinking_start":
      return changeTurn(transcript, event, startThinking);
    case "thinking_delta":
      return changeTurn(transcript, event, appendThinking);
    case "thinking_done":
      return changeTurnOrNotice(transcript, event, closeThinking);

    case "tool_call_start":
      return changeTurnOrNotice(transcript, event, startTool);
    case "tool_call_update":
      return changeTurn(transcript, event, updateTool);
    case "tool_output_delta":
      return changeTurn(transcript, event, appendOutput);
    case "tool_result":
      return changeTurnOrNotice(transcript, event, settleTool);

    case "turn_start":
      return startTurn(transcript, event);
    case "status":
      return changeTurn(transcript, event, setStatus);
    case "retrying":
      return changeTurn(transcript, event, setRetrying);
    case "usage":
      return changeTurn(transcript, normalizeUsage(transcript.head, event), setUsage);
    case "turn_end":
      return endTurn(transcript, normalizeUsage(transcript.head, event));

    case "user_message":
      return addUserMessage(transcript, event);
    case "queue_updated":
      return setQueue(transcript, event);
    case "message_delivery":
      return setDelivery(transcript, event);
    case "steering":
      return steerTurn(transcript, event);

    case "session_created":
      return createSession(transcript, event);
    case "session_renamed":
      return renameSession(transcript, event);
    case "session_archived":
      return archiveSession(transcript, event);
    case "settings_changed":
      return changeSettings(transcript, event);
    case "session_clear":
      return clearSession(transcript, event);
    case "message_pinned":
      return pinMessage(transcript, event);

    case "member_joined":
      return joinMember(transcript, event);
    case "member_left":
      return leaveMember(transcript, event);
    case "member_muted":
    case "member_unmuted":
      return muteMember(transcript, event);
    case "member_session":
      return setNativeSession(transcript, event);
    case "member_models":
      return setModels(transcript, event);
    case "member_guard":
      return setGuard(transcript, event);
    case "model_switched":
      return switchModel(transcript, event);
    case "effort_switched":
      return switchEffort(transcript, event);
    case "context_update":
      return setContext(transcript, event);

    case "compaction":
      return compactMember(transcript, normalizeUsage(transcript.head, event));
    case "compaction_undone":
      return undoCompaction(transcript, event);
    case "compaction_started":
      return startCompaction(transcript, event);
    case "compaction_failed":
      return failCompaction(transcript, event);

    case "council_settled":
      return settleCouncil(transcript, event);
    case "council_paused":
      return pauseCouncil(transcript, event);
    case "council_resumed":
      return resumeCouncil(transcript, event);

    case "ui_request":
      return openRequest(transcript, event);
    case "ui_response":
      return answerRequest(transcript, event);
    case "ui_cancelled":
      return cancelRequest(transcript, event);
    case "ui_status":
      return setUiStatus(transcript, event);
    case "ui_widget":
      return setUiWidget(transcript, event);
    case "ui_working":
      return setUiWorking(transcript, event);
    case "ui_set_title":
      return setUiTitle(transcript, event);
    case "ui_set_editor_text":
      return setUiEditorText(transcript, event);

    case "agent_message":
      return askMember(transcript, event);
    case "agent_callback_result":
      return answerMember(transcript, event);
    case "subagent_spawned":
      return changeTurnOrNotice(transcript, event, spawnSubagent);
    case "subagent_result":
      return endSubagent(transcript, event);

    case "plan_update":
      return updatePlan(transcript, event);
    case "plan_decision":
      return decidePlan(transcript, event);
    case "change_report":
      return changeTurnOrNotice(transcript, event, reportChanges);
    case "finalize_task":
      return changeTurnOrNotice(transcript, event, finishTask);
    case "model_fallback":
      return changeTurnOrNotice(transcript, event, fallBack);

    case "ui_notify":
    case "warning":
    case "error":
      return addToTurn(transcript, event);

    case "session_resume":
    case "minutes":
    case "permission_revoked":
    case "recovered":
    case "read_only":
    case "damage":
      return addNotice(transcript, event);

    case "output_cancelled":
      return addNotice(stopFirstAnswers(markReadAloud(transcript, event)), event);

    case "mirrored":
    case "context_entry":
      return transcript;

    default:
      event satisfies never;
      return addToTurn(transcript, event);
  }
}

/** `damage` covers all seqs that it lost; the fold may have some of them from a snapshot. */
function assertNoGap(head: Head, event: SessionEvent): void {
  const first = event.type === "damage" ? Math.min(event.fromSeq, event.seq) : event.seq;
  if (first <= head.seq + 1) return;
  throw new Error(
    `Session ${head.sessionId}: event ${event.seq} (${event.type}) cannot follow ${head.seq}: ` +
      `${first - head.seq - 1} events are missing. Fold every event of the log in order.`,
  );
}

/** `damage` has no time of its own: it is made by the reader of the log. */
function stamp(transcript: Transcript, event: SessionEvent): Transcript {
  const { seq, epoch, ts } = event;
  return patchHead(transcript, event.type === "damage" ? { seq } : { seq, epoch, updatedTs: ts });
}
