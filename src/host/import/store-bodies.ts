/** Puts beside the log what is too large for an event, and images; the event then names them. */
import type { BlobStore } from "../../log/index.ts";
import type { Attachment, BlobRef, EventDraft } from "../../protocol/index.ts";
import type * as sessionFiles from "./builder/session-files.ts";

const TEXT = "text/plain; charset=utf-8";
const IMAGE_BYTES_MAX = 20 * 1024 * 1024;
const IMAGES_MAX = 32;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;

export async function withBodies(timed: sessionFiles.TimedDraft, blobs: BlobStore): Promise<EventDraft> {
  const { draft, whole, images = [] } = timed;
  if (draft.type === "user_message") {
    const attachments = await storeImages(images, blobs);
    const textBlob = whole === undefined ? undefined : await blobs.put(Buffer.from(whole), TEXT);
    return { ...draft, attachments, ...(textBlob === undefined ? {} : { textBlob }) };
  }
  if (draft.type !== "tool_result" || draft.truncated === undefined || whole === undefined) return draft;
  const blob = await putIfPossible(whole, blobs);
  return blob === undefined ? draft : { ...draft, truncated: { ...draft.truncated, blob } };
}

/** An output beyond what a blob may hold is shown by its ends alone, which say how long it was. */
async function putIfPossible(text: string, blobs: BlobStore): Promise<BlobRef | undefined> {
  try {
    return await blobs.put(Buffer.from(text), TEXT);
  } catch (error) {
    if ((error as { code?: unknown }).code === "too_large") return undefined;
    throw error;
  }
}

async function storeImages(images: readonly sessionFiles.ExternalImage[], blobs: BlobStore): Promise<Attachment[]> {
  const stored: Attachment[] = [];
  for (const [at, { mime, base64 }] of images.slice(0, IMAGES_MAX).entries()) {
    const bytes = Buffer.from(base64, "base64");
    if (bytes.length === 0 || bytes.length > IMAGE_BYTES_MAX) continue;
    const type = MIME.test(mime) ? mime : "application/octet-stream";
    const ending = type.startsWith("image/") ? (type.slice("image/".length).split("+")[0] ?? "image") : "bin";
    stored.push({ name: `image-${at + 1}.${ending}`, mime: type, blob: await blobs.put(bytes, type) });
  }
  return stored;
}
