/**
 * Which session a person means by a word: its id, the beginning of its id, its title, or a part of its title. Sessions
 * that were put away count only where no other fits.
 */
import type { SessionSummary } from "../protocol/index.ts";

export interface SessionMatch {
  /** One when it is clear, none when nothing fits, else all that could be meant, newest first. */
  readonly found: readonly SessionSummary[];
  readonly by: "id" | "title" | "part";
}

export function matchSessions(sessions: readonly SessionSummary[], given: string): SessionMatch {
  const wanted = given.trim();
  if (wanted === "") return { found: [], by: "part" };
  const byId = likely(sessions, ({ sessionId }) => sessionId.startsWith(wanted.toUpperCase()));
  if (byId.length === 1) return { found: byId, by: "id" };
  const lower = wanted.toLowerCase();
  const exact = likely(sessions, ({ title }) => title.trim() === wanted);
  const byTitle = exact.length > 0 ? exact : likely(sessions, ({ title }) => title.trim().toLowerCase() === lower);
  if (byTitle.length === 1 || (byTitle.length > 0 && byId.length === 0)) return { found: byTitle, by: "title" };
  if (byId.length > 0) return { found: byId, by: "id" };
  return { found: likely(sessions, ({ title }) => title.toLowerCase().includes(lower)), by: "part" };
}

function likely(sessions: readonly SessionSummary[], fits: (one: SessionSummary) => boolean): SessionSummary[] {
  const found = sessions.filter(fits).sort((a, b) => b.updatedTs - a.updatedTs);
  const active = found.filter((one) => !one.archived);
  return active.length > 0 ? active : found;
}
