/** A file to a host, part by part. */
import {
  ATTACHMENT_BYTES_MAX,
  blobParts,
  RoundtableError,
  type Attachment,
  type BlobPart,
  type BlobPartAnswer,
  type BlobRef,
} from "../protocol/index.ts";
import type { Client } from "./client-port.ts";

/** Rejects before anything is sent when the host would not take it. */
export async function putBlob(
  send: (part: BlobPart) => Promise<BlobPartAnswer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<BlobRef> {
  if (bytes.length === 0) throw new RoundtableError("bad_command", "The attachment is empty.");
  if (bytes.length > ATTACHMENT_BYTES_MAX) {
    const limit = `${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`;
    throw new RoundtableError("too_large", `An attachment has at most ${limit}; this one has ${bytes.length} bytes.`, {
      hint: "Attach a part of it, or put it where the members can read it.",
    });
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const part of blobParts(bytes, sha256)) {
    const { blob } = await send(part);
    if (blob !== undefined) return blob;
  }
  throw new RoundtableError("internal", "The host took every part of the file and did not say that it is whole.");
}

export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What a message names: the file is stored, and its type was found by looking at it. */
export async function attachFile(
  client: Pick<Client, "putBlob">,
  sessionId: string,
  { name, bytes }: AttachedFile,
): Promise<Attachment> {
  const blob = await client.putBlob(sessionId, bytes);
  return { name, mime: blob.mime ?? "application/octet-stream", blob };
}
