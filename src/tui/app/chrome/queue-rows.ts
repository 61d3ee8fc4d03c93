/**
 * What waits to be said, between the log and the input: visible, so nobody wonders whether it was lost. After a stop it
 * is held, and says which keys send it or give it back.
 */
import { isHeld, type Head } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { rowText } from "./row-text.ts";

const ROWS_MAX = 3;

export function queueRows(head: Head | undefined, theme: Theme): string[] {
  if (head === undefined || head.queue.length === 0) return [];
  const { queue } = head;
  const held = queue.map((item) => isHeld(head, item));
  const rows = queue.slice(0, ROWS_MAX).map((item, index) => {
    const address = ` ${index + 1}. ${held[index] === true ? "‖ held" : "queued"} → ${rowText(item.to.join(", "))}: `;
    return theme.paint(held[index] === true ? "warn" : "dim", address) + rowText(item.text);
  });
  const more = queue.length > ROWS_MAX ? ` · ${queue.length - ROWS_MAX} more` : "";
  const send = held.includes(true) ? "Enter sends it · " : "";
  const last = queue.length === 1 ? "it" : "the last one";
  return [...rows, theme.paint("dim", ` ${send}Alt+Up puts ${last} back into the box · /queue edits${more}`)];
}
