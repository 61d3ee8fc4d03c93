/** Storage of message texts: inline when short, otherwise a preview and a blob; and loading of attachments. */

import type { BlobStore } from "../../log/index.ts";
import { RoundtableError, type BlobRef, type Attachment } from "../../protocol/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { beginningOf } from "../../kit/text/encoded-size.ts";
import {
  BLOB_WAIT_MS,
  TEXT_BEGINNING_BYTES,
  TEXT_BYTES_MAX,
  ATTACHED_BYTES_MAX,
  ATTACHED_IMAGE_BYTES_MAX,
  ATTACHED_TEXT_BYTES_MAX,
} from "../limits.ts";
import type { Attached } from "../../agents/index.ts";

export interface StoredText {
  readonly text: string;
  readonly textBlob?: BlobRef;
}

export function checkTextSize(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= TEXT_BYTES_MAX) return;
  throw new RoundtableError("too_large", `The message has ${bytes} bytes; the limit is ${TEXT_BYTES_MAX}.`, {
    hint: "Put it in a file and name the file in the message.",
  });
}

/** Durable when it resolves. Throws `store_unavailable` when the blob cannot be stored in time. */
export async function storeText(text: string, blobs: BlobStore, clock: Clock): Promise<StoredText> {
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(BLOB_WAIT_MS, () => reject(new Error(`it took longer than ${BLOB_WAIT_MS} ms`)));
  try {
    const textBlob = await Promise.race([blobs.put(Buffer.from(text), "text/plain; charset=utf-8"), promise]);
    return { text: beginningOf(text, TEXT_BEGINNING_BYTES), textBlob };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RoundtableError("store_unavailable", `The long text of the message could not be stored: ${why}.`, {
      cause,
    });
  } finally {
    cancel();
  }
}

/** Throws when the blob is missing. */
export async function loadText(
  blobs: BlobStore,
  message: { readonly text: string; readonly textBlob?: BlobRef | undefined },
): Promise<string> {
  if (message.textBlob === undefined) return message.text;
  const bytes = await blobs.get(message.textBlob.sha256);
  if (bytes !== undefined) return Buffer.from(bytes).toString("utf8");
  throw new RoundtableError("internal", `The text of the message is no longer stored (${message.textBlob.sha256}).`);
}

/**
 * Attachments of a turn's messages: images and texts within the size limits. Others are listed by name, so that the
 * member knows of them.
 */
export async function loadAttached(blobs: BlobStore, attachments: readonly Attachment[]): Promise<Attached[]> {
  const attached: Attached[] = [];
  let room = ATTACHED_BYTES_MAX;
  for (const { name, mime, blob } of attachments) {
    const isWanted = blob.bytes <= Math.min(room, sizeMax(mime));
    const data = isWanted ? await blobs.get(blob.sha256) : undefined;
    room -= data?.length ?? 0;
    attached.push({ name, mime, bytes: blob.bytes, ...(data === undefined ? {} : { data }) });
  }
  return attached;
}

function sizeMax(mime: string): number {
  if (mime.startsWith("image/")) return ATTACHED_IMAGE_BYTES_MAX;
  return mime.startsWith("text/") || mime === "application/json" ? ATTACHED_TEXT_BYTES_MAX : 0;
}
