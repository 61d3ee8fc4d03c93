/** A session as JSON lines that can be imported again: a header, every event with its blobs before it, an end. */
import { blobsIn, type ExportSource } from "../../../src/host/index.ts";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import * as sessionLines from "./format/session-lines.ts";

export async function* exportLines(source: ExportSource, onMissing: () => void): AsyncGenerator<string, void, void> {
  const { sessionId, title, messageCount: messages, seq: lastSeq } = source.head;
  const redacted = source.isRedacted ? { redacted: true } : {};
  yield sessionLines.headerLine({ sessionId, title, messages, lastSeq, ...redacted });
  const written = new Set<string>();
  let count = 0;
  for await (const events of source.events()) {
    for (const event of events) {
      yield* blobsOf(source, event, written, onMissing);
      yield sessionLines.eventLine(event);
      count += 1;
    }
  }
  yield sessionLines.endLine(count);
}

async function* blobsOf(
  source: ExportSource,
  event: SessionEvent,
  written: Set<string>,
  onMissing: () => void,
): AsyncGenerator<string, void, void> {
  for (const { sha256 } of blobsIn(event)) {
    if (written.has(sha256)) continue;
    written.add(sha256);
    const bytes = await source.blob(sha256);
    if (bytes !== undefined) yield* sessionLines.blobLines(sha256, bytes);
    else if (source.isLeftOut(sha256)) yield sessionLines.leftOutLine(sha256, "redacted");
    else {
      onMissing();
      yield sessionLines.leftOutLine(sha256, "missing");
    }
  }
}
