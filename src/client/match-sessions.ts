/**
 * Finds the session that a user names by id, start or end of the id, title, part of the title, or any part of the id.
 * Archived sessions count only when no other matches.
 */
import type { SessionSummary } from "../protocol/index.ts";

export interface SessionMatch {
  /** The unique match, none, or all candidates, newest first. */
  readonly sessions: readonly SessionSummary[];
  readonly by: "id" | "title" | "part";
}

export function matchSessions(sessions: readonly SessionSummary[], given: string): SessionMatch {
  const wanted = given.trim();
  if (wanted === "") return { sessions: [], by: "part" };
  const id = wanted.toUpperCase();
  const byId = likely(sessions, ({ sessionId }) => sessionId.startsWith(id) || sessionId.endsWith(id));
  if (byId.length === 1) return { sessions: byId, by: "id" };
  const lower = wanted.toLowerCase();
  const exact = likely(sessions, ({ title }) => title.trim() === wanted);
  const byTitle = exact.length > 0 ? exact : likely(sessions, ({ title }) => title.trim().toLowerCase() === lower);
  if (byTitle.length === 1 || (byTitle.length > 0 && byId.length === 0)) return { sessions: byTitle, by: "title" };
  if (byId.length > 0) return { sessions: byId, by: "id" };
  const byPart = likely(sessions, ({ title }) => title.toLowerCase().includes(lower));
  if (byPart.length > 0) return { sessions: byPart, by: "part" };
  const inside = likely(sessions, ({ sessionId }) => sessionId.includes(id));
  return { sessions: inside, by: inside.length === 0 ? "part" : "id" };
}

function likely(sessions: readonly SessionSummary[], fits: (one: SessionSummary) => boolean): SessionSummary[] {
  const matches = sessions.filter(fits).sort((a, b) => b.updatedTs - a.updatedTs);
  const active = matches.filter((one) => !one.archived);
  return active.length > 0 ? active : matches;
}
