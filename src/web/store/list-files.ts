/** Names of files for completion, best first: of the session's directory, or of the one that a new session gets. */
import type { PageStore } from "./page-store.ts";

/** Rejects when the host does not say. */
export async function listFiles(store: PageStore, query: string, limit: number): Promise<readonly string[]> {
  const { sessionId } = store.getState();
  if (sessionId !== undefined) return namesIn(await store.command({ type: "list_files", query, limit }, sessionId));
  const answer = await store.ask(`/v1/files?${new URLSearchParams({ query, limit: String(limit) })}`);
  if (!answer.ok) throw new Error(`The server does not list its files (${answer.status}).`);
  return namesIn(await answer.json());
}

function namesIn(result: unknown): readonly string[] {
  const files = typeof result === "object" && result !== null && "files" in result ? result.files : [];
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}
