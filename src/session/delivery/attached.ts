/** What is attached to the messages of a turn, read for the member that is asked: images and texts of a size it can be given. */
import type { Attached } from "../../agents/index.ts";
import type { BlobStore } from "../../log/index.ts";
import type { Attachment } from "../../protocol/index.ts";
import { ATTACHED_BYTES_MAX, ATTACHED_IMAGE_BYTES_MAX, ATTACHED_TEXT_BYTES_MAX } from "../limits.ts";

/** What does not fit, or is not there any more, is named all the same: whoever is asked has to know of it. */
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
