/** The check of one session, every byte of its log: whether it is whole, folds, and what dead processes left of it. */
import { checkLog, isCompressedWhole, isOnlyCompressed, type LogCheck } from "../../log/index.ts";
import { toAnswerError } from "../../protocol/index.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { readRepaired } from "./repaired-file.ts";

/** More damage than this is counted, not listed. */
const PROBLEMS_LISTED_MAX = 20;

export interface SessionReport {
  readonly sessionId: string;
  readonly isWhole: boolean;
  readonly events: number;
  readonly seq: number;
  readonly bytes: number;
  /** A process has it open; what looks torn may be a record that is being written. */
  readonly isHeld: boolean;
  readonly isArchived: boolean;
  readonly isCompressed: boolean;
  /** The readable copy that a repair has made of a damaged one. */
  readonly repairedAs?: string;
  /** One sentence each. */
  readonly problems: readonly string[];
}

export async function checkSession(dataDir: string, sessionId: string, isHeld: boolean): Promise<SessionReport> {
  const isCompressed = isOnlyCompressed(dataDir, sessionId);
  try {
    const check = await checkLog({ dataDir, sessionId });
    const problems = describeCheck(check, { sessionId, isHeld });
    if (isCompressed && !(await isCompressedWhole({ dataDir, sessionId }))) {
      problems.push("The compressed log does not give back the bytes it was made from.");
    }
    const { head } = await readTranscript(dataDir, sessionId);
    if (head.createdTs === 0) problems.push("The log does not begin with session_created.");
    const { records: events, lastSeq: seq, bytes } = check;
    const facts = { events, seq, bytes, isHeld, isArchived: head.archived, isCompressed };
    const isWhole = problems.length === 0;
    const repairedAs = isWhole ? undefined : await readRepaired(dataDir, sessionId);
    return { sessionId, isWhole, ...facts, ...(repairedAs === undefined ? {} : { repairedAs }), problems };
  } catch (error) {
    const problems = [toAnswerError(error).message];
    const facts = { events: 0, seq: 0, bytes: 0, isHeld, isArchived: false, isCompressed };
    return { sessionId, isWhole: false, ...facts, problems };
  }
}

function describeCheck(check: LogCheck, { sessionId, isHeld }: { sessionId: string; isHeld: boolean }): string[] {
  const listed = check.damages.slice(0, PROBLEMS_LISTED_MAX);
  const problems = listed.map(({ what, offset, bytes, fromSeq, toSeq }) => {
    const missing = fromSeq <= toSeq ? `; events ${fromSeq} to ${toSeq} are missing` : "";
    return `Damage at byte ${offset}, ${bytes} bytes: ${what}${missing}.`;
  });
  if (check.damageCount > listed.length) {
    problems.push(`${check.damageCount - listed.length} more places are damaged.`);
  }
  if (check.ownerId !== undefined && check.ownerId !== sessionId) {
    problems.push(`The log is that of session ${check.ownerId}, copied or renamed by hand.`);
  }
  if (check.lacksNewline && !isHeld) {
    problems.push("The last record lacks its newline; the next open for writing adds it.");
  } else if (check.tornBytes > 0 && !isHeld) {
    problems.push(`The last ${check.tornBytes} bytes are half a record; the next open for writing saves them aside.`);
  }
  return problems;
}
