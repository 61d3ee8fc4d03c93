/** Pieces of text in a row as one: how many come of a text depends on how many wait in the pipe when it is read. */
import type { AgentEvent } from "../../src/agents/index.ts";

export function asSaid(events: readonly AgentEvent[]): AgentEvent[] {
  const said: AgentEvent[] = [];
  for (const event of events) {
    const last = said.at(-1);
    const isMore = event.type === "text_delta" && last?.type === "text_delta";
    if (isMore) said[said.length - 1] = { ...last, text: last.text + event.text };
    else said.push(event);
  }
  return said;
}
