/** Writes a session into a data directory, with the snapshot that a host would save. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { rooms } from "./product.ts";
import { SESSION } from "./session-drafts.ts";

/** Resolves with its summary. */
export async function saveSession(
  dataDir: string,
  batches: Iterable<EventDraft[]>,
): Promise<{ seq: number; messages: number }> {
  const { openFileLog, empty, fold, toSnapshot } = await rooms();
  const log = await openFileLog({ dataDir, sessionId: SESSION });
  let transcript = empty(SESSION);
  for (const drafts of batches) {
    const { events, committed } = log.append(drafts);
    transcript = fold(transcript, events);
    await committed;
  }
  const { pages, ...snapshot } = toSnapshot(transcript);
  await log.snapshots.save(snapshot, pages);
  await log.close();
  return { seq: transcript.head.seq, messages: transcript.head.messageCount };
}
