/** The session as a file that the browser saves. */
import type { PageStore } from "../store/page-store.ts";

export const EXPORT_FORMATS = ["html", "markdown", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface DownloadOptions {
  readonly sessionId: string;
  readonly format: ExportFormat;
  readonly isRedacted?: boolean;
}

/** Rejects with a sentence for the person. */
export async function downloadSession(
  store: Pick<PageStore, "ask">,
  { sessionId, format, isRedacted = false }: DownloadOptions,
): Promise<void> {
  const answer = await store.ask(`/v1/sessions/${sessionId}/export?format=${format}${isRedacted ? "&redact=1" : ""}`);
  if (!answer.ok) throw new Error(`The session could not be exported (${answer.status}).`);
  const [, name] = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "") ?? [];
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name ?? `${sessionId}.${format}`;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
