/** A session that is put away keeps quiet: what would make its members speak is refused until it is brought back. */
import { RoundtableError, type CommandType } from "../protocol/index.ts";
import type { SessionState } from "./state.ts";

const SPEAKING: ReadonlySet<CommandType> = new Set([
  "send",
  "steer",
  "queue_add",
  "queue_promote",
  "retry",
  "continue",
  "round",
  "minutes",
  "compact",
]);

export function refuseWhileArchived({ ledger }: SessionState, type: CommandType): void {
  const { archived, sessionId } = ledger.transcript.head;
  if (!archived || !SPEAKING.has(type)) return;
  throw new RoundtableError("conflict", `Session ${sessionId} is archived.`, {
    hint: `/archive brings it back; in a shell: roundtable sessions unarchive ${sessionId}`,
  });
}
