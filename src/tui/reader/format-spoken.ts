/** Times and lists as they are spoken. */
import { withEllipsis } from "../../kit/text/ellipsis.ts";

export function spokenTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function spokenList(items: readonly string[], last = "and"): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
}

/** A title may be a whole command; more than this is no longer a line to listen to. */
const LINE_CHARS_MAX = 200;

export function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return withEllipsis(line, LINE_CHARS_MAX);
}

/** With a full stop at its end, whatever it ended with. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
