/**
 * Truncates without the escape codes that the library puts around the ellipsis, which would later be taken for text.
 */
import { truncateToWidth } from "@earendil-works/pi-tui";

/** `text` is one terminal-safe line without styling. */
export function cutToWidth(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), "…").replaceAll("\u001b[0m", "");
}
