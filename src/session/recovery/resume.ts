/**
 * Records that a reopened session continues: once per opening, right before the first message or turn. Opening, reading
 * and listing record nothing.
 */
import type { Transcript } from "../../transcript/index.ts";
import type { Reopened, SessionState } from "../state.ts";

/** Call before recovery. Undefined when the session has no messages yet. */
export function reopenedFrom({ head }: Transcript): Reopened | undefined {
  if (head.userCount === 0 && head.turnCount === 0) return undefined;
  return { afterSeq: head.seq, afterTs: head.updatedTs };
}

export function noteResume(state: SessionState): void {
  const { reopened } = state;
  if (reopened === undefined) return;
  state.reopened = undefined;
  state.ledger.append([{ type: "session_resume", ...reopened }]);
}
