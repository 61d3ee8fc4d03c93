/** Events and blobs of a session for an export, unchanged or redacted. Can be read repeatedly. */
import type { LogReader } from "../../log/index.ts";
import type { SeenAs, SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, type Head } from "../../transcript/index.ts";

export interface ExportSource {
  /** Head at the end of the session. */
  readonly head: Head;
  events(): AsyncGenerator<SessionEvent[], void, void>;
  blob(sha256: string): Promise<Uint8Array | undefined>;
  /** True for an existing blob that is left out of the export. */
  isLeftOut(sha256: string): boolean;
  /** Report of the redaction so far, in sentences; empty without redaction. */
  report(): readonly string[];
  readonly isRedacted: boolean;
  /** Perspective of the reader, on a team's server. */
  readonly seenAs?: SeenAs;
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
