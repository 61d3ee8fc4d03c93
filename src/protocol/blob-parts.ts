/**
 * A file on its way to a host over a Connection: in parts, so that commands and signs of life find room between them.
 * The parts of one file come in order, each after the answer to the one before. A part at 0 begins; on one connection
 * there is one file at a time.
 */
import * as z from "zod";
import { toBase64 } from "../kit/base64.ts";
import { BlobRef, SHA256 } from "./values.ts";

/** Of one attachment, however it comes. */
export const ATTACHMENT_BYTES_MAX = 20 * 1024 * 1024;
/** Of one message. */
export const ATTACHMENTS_MAX = 32;

const PART_BYTES_MAX = 512 * 1024;

export const BlobPart = z.object({
  /** Of the whole file; what has arrived is compared with it. */
  sha256: z.string().regex(SHA256),
  /** Of the whole file. */
  bytes: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  /** In base64. */
  data: z.string().max(Math.ceil(PART_BYTES_MAX / 3) * 4),
});
export type BlobPart = z.infer<typeof BlobPart>;

/** `blob` is there when the file is whole and stored; a message names it in its attachments. */
export const BlobPartAnswer = z.object({ received: z.int().nonnegative(), blob: BlobRef.optional() });
export type BlobPartAnswer = z.infer<typeof BlobPartAnswer>;

export function* blobParts(bytes: Uint8Array, sha256: string): Generator<BlobPart> {
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += PART_BYTES_MAX) {
    const data = toBase64(bytes.subarray(offset, offset + PART_BYTES_MAX));
    yield { sha256, bytes: bytes.length, offset, data };
  }
}
