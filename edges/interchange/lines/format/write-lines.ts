/** The lines of an exported session. */
import type { SessionEvent } from "../../../../src/protocol/index.ts";

export const FORMAT = 1;
/** Before base64; keeps lines far below the limits of readers. */
const BLOB_CHUNK_BYTES = 512 * 1024;

export interface Header {
  readonly sessionId: string;
  readonly title: string;
  /** Messages of the user, turns and notices. */
  readonly messages: number;
  /** The last seq of the log when it was exported. */
  readonly lastSeq: number;
  /** True when something was redacted, so that it is no longer the same session. */
  readonly redacted?: boolean;
}

export function headerLine({ sessionId, title, messages, lastSeq, redacted }: Header): string {
  const header = { roundtable: "session", format: FORMAT, sessionId, title, messages, lastSeq };
  return line(redacted === true ? { ...header, redacted } : header);
}

export function eventLine(event: SessionEvent): string {
  return line(event);
}

export function* blobLines(sha256: string, bytes: Uint8Array): Generator<string, void, void> {
  for (let at = 0; at < Math.max(1, bytes.length); at += BLOB_CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + BLOB_CHUNK_BYTES);
    const base64 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("base64");
    yield line({ blob: { sha256, bytes: bytes.length, at, base64 } });
  }
}

/** A blob that an event names and the file lacks. */
export function leftOutLine(sha256: string, why: "missing" | "redacted"): string {
  return line({ blob: { sha256, leftOut: why } });
}

/** A file without it is truncated. */
export function endLine(events: number): string {
  return line({ end: { events } });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
