/** Pieces of text in a row as one: how many come of a text depends on how many wait in the pipe when it is read. */
import type { AgentEvent } from "../../src/agents/index.ts";

export function joinText(events: readonly AgentEvent[]): AgentEvent[] {
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const isMore = event.type === "text_delta" && last?.type === "text_delta";
    if (isMore) joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}
