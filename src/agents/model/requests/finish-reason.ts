/** Why a server says that a reply is over, in the four ways that matter to whoever reads it. */
export type Finish = "length" | "content_filter" | "broken" | (string & {});

const MEANINGS: Readonly<Record<string, Finish>> = {
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  sensitive: "content_filter",
  safety: "content_filter",
  prohibited_content: "content_filter",
  error: "broken",
  network_error: "broken",
  abort: "broken",
  aborted: "broken",
  insufficient_system_resource: "broken",
};

/** Null for what says nothing: some servers write an empty reason into every piece of a reply that goes on. */
export function finishOf(reason: unknown): Finish | null {
  if (typeof reason !== "string" || reason.trim() === "") return null;
  const word = reason.trim().toLowerCase();
  return Object.hasOwn(MEANINGS, word) ? (MEANINGS[word] ?? word) : word;
}
