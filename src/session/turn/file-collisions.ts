/**
 * Warns when two members of a writable session change the same file within a minute: once a pair, file and minute. Only a
 * change that was made counts, not one that was announced.
 */
import type { EventDraft } from "../../protocol/index.ts";
import { announcedPaths, fileName, pathsIn } from "./file-touches.ts";
import { fitEvent } from "../fit-event.ts";
import { settingsOf, type SessionState } from "../state.ts";

export function noteTouches(state: SessionState, drafts: readonly EventDraft[]): void {
  for (const draft of drafts) {
    const { member, turnId } = draft;
    if (member === undefined || turnId === undefined) continue;
    const paths = [...pathsIn(draft), ...madeByCall(state, draft)];
    if (paths.length === 0 || !settingsOf(state).writable) continue;
    const { cwd } = state.ledger.transcript.head;
    for (const file of new Set(paths.map((path) => fileName(cwd, path)))) {
      for (const other of state.touches.touch(file, member, state.clock.monotonic())) {
        const message = `${other} and ${member} both changed ${file} within a minute. One may have overwritten the other.`;
        state.ledger.append([
          fitEvent({ type: "warning", member, turnId, code: "file_collision", message, detail: file }),
        ]);
      }
    }
  }
}

/** The files that an edit was announced with, when it has ended well. */
function madeByCall({ touches }: SessionState, draft: EventDraft): readonly string[] {
  if (draft.type === "tool_call_start") {
    if (draft.kind === "edit") touches.announce(draft.toolCallId, announcedPaths(draft), true);
  } else if (draft.type === "tool_call_update") touches.announce(draft.toolCallId, announcedPaths(draft), false);
  else if (draft.type === "tool_result") {
    const paths = touches.settle(draft.toolCallId);
    return draft.ok ? paths : [];
  }
  return [];
}
