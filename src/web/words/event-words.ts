/** How an event without a view of its own is said on the page. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import { eventLine } from "../../transcript/index.ts";

const NAMED: Readonly<Record<string, string | undefined>> = { output_cancelled: "stopped by a user" };

export function eventWords(event: SessionEvent | UnknownEvent): string {
  const words = NAMED[event.type] ?? eventLine(event);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
