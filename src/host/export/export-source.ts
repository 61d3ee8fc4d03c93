/** A session's events and blobs as they leave: as they are, or without what must not be seen. Read as often as needed. */
import type { LogReader } from "../../log/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, type Head } from "../../transcript/index.ts";

export interface ExportSource {
  /** As the session is at its end. */
  readonly head: Head;
  events(): AsyncGenerator<SessionEvent[], void, void>;
  blob(sha256: string): Promise<Uint8Array | undefined>;
  /** True for a blob that is not given away although it is there. */
  isLeftOut(sha256: string): boolean;
  /** What was taken out so far, in sentences; empty when nothing was to be. */
  report(): readonly string[];
  readonly isRedacted: boolean;
}

export async function plainSource(reader: LogReader): Promise<ExportSource> {
  return {
    head: await foldHead(reader.sessionId, reader.read(0)),
    events: () => reader.read(0),
    blob: (sha256) => reader.blobs.get(sha256),
    isLeftOut: () => false,
    report: () => [],
    isRedacted: false,
  };
}

export async function foldHead(sessionId: string, batches: AsyncIterable<SessionEvent[]>): Promise<Head> {
  let transcript = empty(sessionId);
  for await (const events of batches) transcript = dropFrozenPages(fold(transcript, events), 0);
  return transcript.head;
}
