/** The command that copies this session up to some place; where the copy is made is handed in. */
import type { LogReader } from "../../log/index.ts";
import { RoundtableError, type CommandOf } from "../../protocol/index.ts";
import type { SessionState } from "../state.ts";

export interface ForkRequest {
  readonly source: LogReader;
  readonly seq: number;
  readonly title: string | undefined;
  /** What the session is called now, wherever the copy ends. */
  readonly originalTitle: string;
}

/** Resolves with the id of the new session when all of it is on disk. */
export type Fork = (request: ForkRequest) => Promise<string>;

export async function forkSession(
  state: SessionState,
  { seq, title }: CommandOf<"fork">,
  fork: Fork | undefined,
): Promise<{ sessionId: string }> {
  if (fork === undefined) throw new RoundtableError("unsupported", "A session cannot be copied here.");
  const { ledger } = state;
  const until = seq ?? ledger.seq;
  if (until > ledger.seq) {
    throw new RoundtableError("bad_command", `There is no event ${until}: the session has ${ledger.seq}.`, {
      hint: "Leave the seq out to copy all of it.",
    });
  }
  const originalTitle = ledger.transcript.head.title;
  // Only what nothing can take back is copied.
  await ledger.committed();
  return { sessionId: await fork({ source: ledger.log, seq: until, title, originalTitle }) };
}
