/** Files of a message on their way to the server; the message names them when they are there. */
import type { Attachment, BlobRef } from "../../protocol/index.ts";

export type Ask = (
  path: string,
  init: { method: string; headers: Record<string, string>; body: File },
) => Promise<Response>;

/** A file of this machine, or one that the session has already. */
export type Enclosed = File | Attachment;

/** Rejects with a sentence when one of them was not taken. */
export function uploadAll(ask: Ask, sessionId: string, files: readonly Enclosed[]): Promise<Attachment[]> {
  return Promise.all(
    files.map((file) => {
      return file instanceof File ? upload(ask, sessionId, file) : Promise.resolve(file);
    }),
  );
}

async function upload(ask: Ask, sessionId: string, file: File): Promise<Attachment> {
  const headers = { "content-type": "application/octet-stream" };
  const answer = await ask(`/v1/sessions/${sessionId}/blobs`, { method: "POST", headers, body: file }).catch(() => {
    throw new Error(`${file.name} could not be uploaded: the server cannot be reached.`);
  });
  if (!answer.ok) throw new Error(`${file.name} was not taken: ${await whyOf(answer)}`);
  const blob = (await answer.json()) as BlobRef;
  return { name: file.name, mime: blob.mime ?? "application/octet-stream", blob };
}

async function whyOf(answer: Response): Promise<string> {
  try {
    const { error } = (await answer.json()) as { error: { message: string; hint?: string } };
    return [error.message, error.hint].filter(Boolean).join(" ");
  } catch {
    return `the server answered ${answer.status}.`;
  }
}
