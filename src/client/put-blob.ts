/** Upload of a file to a host in parts. */
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

/** Rejects before sending anything when the file is empty or too large. */
export async function putBlob(
  send: (part: BlobPart) => Promise<BlobPartAnswer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<BlobRef> {
  if (bytes.length === 0) throw new RoundtableError("bad_command", "The attachment is empty.");
  if (bytes.length > ATTACHMENT_BYTES_MAX) {
    const limit = `${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`;
    throw new RoundtableError("too_large", `The attachment is too large: ${bytes.length} bytes of at most ${limit}.`, {
      hint: "Attach part of the file, or copy it into the working directory.",
    });
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const sha256 = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const part of blobParts(bytes, sha256)) {
    const { blob } = await send(part);
    if (blob !== undefined) return blob;
  }
  throw new RoundtableError("internal", "The host received every part of the file but did not confirm the upload.");
}

export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Uploads the file and returns the attachment for a message; the host detects the type. */
export async function attachFile(
  client: Pick<Client, "putBlob">,
  sessionId: string,
  { name, bytes }: AttachedFile,
): Promise<Attachment> {
  const blob = await client.putBlob(sessionId, bytes);
  return { name, mime: blob.mime ?? "application/octet-stream", blob };
}
