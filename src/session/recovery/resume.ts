/**
 * A session that was opened again goes on: said once for each opening, right before the first thing that is said or
 * asked in it. Opening alone, reading and listing say nothing.
 */
import type { Transcript } from "../../transcript/index.ts";
import type { Reopened, SessionState } from "../state.ts";

/** Must be called before anything is recovered. Undefined when nothing was said in the session yet: it only begins. */
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
