/** A text that fits, without the looks that the library puts around the ellipsis: they would be taken for text later. */
import { truncateToWidth } from "@earendil-works/pi-tui";

/** `text` is one line, safe for a terminal and without any look of its own. */
export function cutToWidth(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…").replaceAll("\u001b[0m", "");
}
