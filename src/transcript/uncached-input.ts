/**
 * `inputTokens` is what the agent itself counts, and they do not count alike: some count what a cache has answered as
 * input and tell how much that was, others tell it beside.
 */
import type { AgentKind, Usage } from "../protocol/index.ts";

/** Those that count like the servers of OpenAI's API. */
const COUNTING_CACHED: ReadonlySet<AgentKind | undefined> = new Set<AgentKind>(["codex", "openai"]);

/** The input that no cache has answered, whoever has counted. */
export function uncachedInput(usage: Usage | undefined, kind: AgentKind | undefined): number {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return COUNTING_CACHED.has(kind) ? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) : inputTokens;
}
