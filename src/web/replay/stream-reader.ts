/** Server-sent events, cut anywhere, back into events of the log; what has no id is no part of it. */
import type { SessionEvent } from "../../protocol/index.ts";

export interface StreamReader {
  /** The events that are whole now. */
  push(text: string): SessionEvent[];
}

export function createStreamReader(): StreamReader {
  let rest = "";
  return {
    push(text) {
      const parts = (rest + text).split("\n\n");
      rest = parts.pop() ?? "";
      return parts.flatMap(eventOf);
    },
  };
}

function eventOf(part: string): SessionEvent[] {
  const lines = part.split("\n");
  const data = lines.find((line) => line.startsWith("data: "));
  if (data === undefined || !lines.some((line) => line.startsWith("id: "))) return [];
  return [JSON.parse(data.slice("data: ".length)) as SessionEvent];
}
