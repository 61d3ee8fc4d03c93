/**
 * `inputTokens` is what the agent itself counts, and they do not count alike: some count what a cache has answered as
 * input and tell how much that was, others tell it beside.
 */
import type { AgentKind, EventOf, Usage } from "../../protocol/index.ts";
import type { Head } from "../model.ts";
import { own } from "../record.ts";

/** Those that count like the servers of OpenAI's API. */
const COUNTING_CACHED: ReadonlySet<AgentKind | undefined> = new Set<AgentKind>(["codex", "openai"]);

/** The same event with its input counted as everybody's is: without what a cache has answered. */
export function normalizeUsage<Event extends EventOf<"usage" | "turn_end" | "compaction">>(
  head: Head,
  event: Event,
): Event {
  const { usage, member } = event;
  if (usage === undefined) return event;
  const inputTokens = uncachedInput(usage, own(head.members, member)?.spec.kind);
  return inputTokens === usage.inputTokens ? event : { ...event, usage: { ...usage, inputTokens } };
}

/** The input that no cache has answered, whoever has counted. */
export function uncachedInput(usage: Usage | undefined, kind: AgentKind | undefined): number {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return COUNTING_CACHED.has(kind) ? Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens) : inputTokens;
}
