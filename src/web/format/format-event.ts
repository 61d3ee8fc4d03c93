/** How an event without a view of its own is said on the page. */
import type { SessionEvent, UnknownEvent } from "../../protocol/index.ts";
import { eventLine } from "../../transcript/index.ts";
import { inOrder } from "./plain-sight.ts";

/** A map, since an event of another version may be called anything. */
const NAMED: ReadonlyMap<string, string> = new Map([["output_cancelled", "stopped by a user"]]);

export function formatEvent(event: SessionEvent | UnknownEvent): string {
  const text = inOrder(NAMED.get(event.type) ?? eventLine(event));
  return isName(text, event) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** An address, a path, a command or a member's name is written as it is. */
function isName(text: string, { member }: SessionEvent | UnknownEvent): boolean {
  const [first = ""] = text.split(/[\s,;]/, 1);
  return first === member || /[^\p{L}\p{M}'’:.!?-]|:\/\//u.test(first);
}
