/**
 * Upload of a file over a Connection, in parts, so that commands and heartbeats get through between them. Parts are
 * sent in order, each after the answer to the previous one. Offset 0 starts a file; one file at a time per connection.
 */

import * as z from "zod";
import { BlobRef, SHA256 } from "./values.ts";

/** Per attachment, however it is uploaded. */
export const ATTACHMENT_BYTES_MAX = 20 * 1024 * 1024;
/** Per message. */
export const ATTACHMENTS_MAX = 32;

const PART_BYTES_MAX = 512 * 1024;

export const BlobPart = z.object({
  /** Of the whole file; verified when the last part has arrived. */
  sha256: z.string().regex(SHA256),
  /** Of the whole file. */
  bytes: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  /** In base64. */
  data: z.string().max(Math.ceil(PART_BYTES_MAX / 3) * 4),
});
export type BlobPart = z.infer<typeof BlobPart>;

/** `blob` is set once the file is complete and stored; messages refer to it in their attachments. */
export const BlobPartAnswer = z.object({ received: z.int().nonnegative(), blob: BlobRef.optional() });
export type BlobPartAnswer = z.infer<typeof BlobPartAnswer>;

export function* blobParts(bytes: Uint8Array, sha256: string): Generator<BlobPart> {
  for (let offset = 0; offset === 0 || offset < bytes.length; offset += PART_BYTES_MAX) {
    const data = toBase64(bytes.subarray(offset, offset + PART_BYTES_MAX));
    yield { sha256, bytes: bytes.length, offset, data };
  }
}

/** Arguments per call: spreading all bytes at once would overflow the stack. `Buffer` does not exist in a browser. */
const STEP = 8_192;

function toBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += STEP) characters += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(characters);
}
