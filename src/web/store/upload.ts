/** Uploads the files of a message, which refers to them afterwards. */
import type { Attachment, BlobRef } from "../../protocol/index.ts";

/** A request to the server with the token. */
export type AskServer = (
  path: string,
  init?: { method: string; headers: Record<string, string>; body: string },
) => Promise<Response>;

export type Ask = (
  path: string,
  init: { method: string; headers: Record<string, string>; body: File },
) => Promise<Response>;

/** A local file, or an attachment the session already has. */
export type Enclosed = File | Attachment;

/** Rejects with a message when one was rejected. */
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
  if (!answer.ok) throw new Error(`${file.name} was not accepted: ${await whyOf(answer)}`);
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
