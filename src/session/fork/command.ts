/** The fork command; creating the new session is injected. */
import type { LogReader } from "../../log/index.ts";
import { RoundtableError, type CommandOf, type ResultOf } from "../../protocol/index.ts";
import type { SessionState } from "../state.ts";

export interface ForkRequest {
  readonly source: LogReader;
  readonly seq: number;
  readonly title: string | undefined;
  /** Current title, wherever the copy ends. */
  readonly originalTitle: string;
}

/** Resolves with the id of the new session once it is durable. */
export type Fork = (request: ForkRequest) => Promise<string>;

export async function forkSession(
  state: SessionState,
  { seq, title }: CommandOf<"fork">,
  fork: Fork | undefined,
): Promise<ResultOf<"fork">> {
  if (fork === undefined) throw new RoundtableError("unsupported", "Sessions cannot be forked here.");
  const { ledger } = state;
  const until = seq ?? ledger.seq;
  if (until > ledger.seq) {
    throw new RoundtableError("bad_command", `There is no event ${until}: the session has ${ledger.seq}.`, {
      hint: "Omit the seq to copy the whole session.",
    });
  }
  const originalTitle = ledger.transcript.head.title;
  // Copy durable events only.
  await ledger.committed();
  return { sessionId: await fork({ source: ledger.log, seq: until, title, originalTitle }) };
}
