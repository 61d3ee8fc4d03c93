/** Exports of sessions on a team's server, which makes them: the machine of a session may be gone. */
import type { SessionExport } from "../../host/index.ts";
import { RoundtableError } from "../../protocol/index.ts";
import type { ServerDevice } from "../../team/index.ts";

export interface ExportRequest {
  readonly sessionId: string;
  readonly format: string;
  readonly redact?: { readonly terms: readonly string[] };
}

export async function exportThere(
  device: ServerDevice,
  { sessionId, format, redact }: ExportRequest,
): Promise<Pick<SessionExport, "fileName" | "chunks" | "report">> {
  const query = new URLSearchParams({ format, ...(redact === undefined ? {} : { redact: "1" }) });
  for (const word of redact?.terms ?? []) query.append("word", word);
  const answer = await device.download(`/v1/sessions/${sessionId}/export?${query.toString()}`);
  // A name without a path, whatever the server says.
  const named = /filename="([\w-][\w.-]*)"/.exec(answer.headers.get("content-disposition") ?? "");
  return { fileName: named?.[1] ?? sessionId, chunks: textOf(answer), report: () => [] };
}

async function* textOf({ body }: Response): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) yield decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new RoundtableError("closed", "The server stopped sending, so the export is incomplete.", {
      hint: "Try again. Your role in the session may have been removed.",
      cause: error,
    });
  }
}
