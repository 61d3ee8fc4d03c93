/** Stored texts of a session without secrets; binary content cannot be scanned and is left out. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { BlobRef, SessionEvent } from "../../../protocol/index.ts";
import { redactExcerpt } from "./excerpts.ts";
import { applyRanges, type Range } from "./ranges.ts";
import { createRangeStream } from "./range-stream.ts";
import { blobsIn, type RedactedBlob } from "./redact-event.ts";
import type { Redactor } from "./redactor.ts";

const CHUNK_CHARS = 64 * 1024;

export interface BlobRedactor {
  /** By hash: the replacements of all that the event refers to. */
  redactAll(event: SessionEvent): Promise<ReadonlyMap<string, RedactedBlob>>;
  /** Of the original or of the redacted hash; undefined for one that was left out. */
  read(sha256: string): Promise<Uint8Array | undefined>;
  readonly leftOut: ReadonlySet<string>;
}

export function createBlobRedactor(
  redactor: Redactor,
  readOriginal: (sha256: string) => Promise<Uint8Array | undefined>,
): BlobRedactor {
  const leftOut = new Set<string>();
  /** Original hash by the hash of the redacted text. */
  const originals = new Map<string, string>();

  async function redactBlob(ref: BlobRef): Promise<RedactedBlob> {
    const text = textOf(await readOriginal(ref.sha256));
    if (text === undefined) {
      leftOut.add(ref.sha256);
      return { ref: { ...ref, ...excerpts(ref, (part) => redactor.redact(part)) } };
    }
    const ranges = rangesIn(text, redactor);
    const whole = { text, ranges };
    if (ranges.length === 0) return { ref, whole };
    const bytes = Buffer.from(applyRanges(text, ranges));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    originals.set(sha256, ref.sha256);
    const cut = excerpts(ref, (part) => redactExcerpt(part, whole, (middle) => redactor.redact(middle)));
    return { ref: { ...ref, sha256, bytes: bytes.length, ...cut }, whole };
  }

  return {
    async redactAll(event) {
      const blobs = new Map<string, RedactedBlob>();
      for (const ref of blobsIn(event)) blobs.set(ref.sha256, await redactBlob(ref));
      return blobs;
    },
    async read(sha256) {
      if (leftOut.has(sha256)) return undefined;
      const bytes = await readOriginal(originals.get(sha256) ?? sha256);
      const text = originals.has(sha256) ? textOf(bytes) : undefined;
      return text === undefined ? bytes : Buffer.from(applyRanges(text, rangesIn(text, redactor)));
    },
    leftOut,
  };
}

/** Undefined for binary content. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) ? Buffer.from(bytes).toString("utf8") : undefined;
}

function excerpts(ref: BlobRef, redact: (part: string) => string): Pick<BlobRef, "head" | "tail"> {
  return {
    ...(ref.head === undefined ? {} : { head: redact(ref.head) }),
    ...(ref.tail === undefined ? {} : { tail: redact(ref.tail) }),
  };
}

function rangesIn(text: string, redactor: Redactor): Range[] {
  const stream = createRangeStream((part) => redactor.find(part));
  for (let at = 0; at < text.length; at += CHUNK_CHARS) stream.push(text.slice(at, at + CHUNK_CHARS));
  return stream.end();
}
