/** Sessions in the groups of the list: what waits for the user, what works, what is ready, and the rest by day. */
import type { SessionSummary } from "../../protocol/index.ts";

export type SessionState = "needs" | "working" | "ready" | "stopped" | "damaged" | "older";

export interface SessionGroup {
  readonly title: string;
  /** Only groups by state have a number beside their title. */
  readonly isByState: boolean;
  readonly sessions: readonly SessionSummary[];
}

export interface GroupOptions {
  readonly nowTs: number;
  /** The newest seq of each session that this browser has shown. */
  readonly seen: ReadonlyMap<string, number>;
  /** False while disconnected: what works or waits now is unknown. */
  readonly isLive: boolean;
  /** On the server of a team; by state without it. */
  readonly by?: GroupKey;
}

export type GroupKey = "state" | "person" | "machine";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

const monthName = new Intl.DateTimeFormat([], { month: "long", year: "numeric" });

export function groupSessions(sessions: readonly SessionSummary[], options: GroupOptions): SessionGroup[] {
  const groups = new Map<string, { isByState: boolean; sessions: SessionSummary[] }>(
    ["Needs you", "Working", "Ready"].map((title) => [title, { isByState: true, sessions: [] }]),
  );
  for (const summary of sessions.toSorted((a, b) => b.updatedTs - a.updatedTs)) {
    const title = titleOf(summary, options);
    const group = groups.get(title) ?? { isByState: false, sessions: [] };
    group.sessions.push(summary);
    groups.set(title, group);
  }
  const archived = groups.get("Archived");
  // Whatever their age, they come last.
  if (groups.delete("Archived") && archived !== undefined) groups.set("Archived", archived);
  return [...groups].flatMap(([title, group]) => (group.sessions.length === 0 ? [] : [{ title, ...group }]));
}

export function stateOf(summary: SessionSummary, { isLive }: Pick<GroupOptions, "isLive">): SessionState {
  if (summary.problem !== undefined) return "damaged";
  if (isLive && (summary.waiting ?? 0) > 0) return "needs";
  if (isLive && summary.status === "running") return "working";
  return summary.status === "interrupted" ? "stopped" : summary.turns > 0 ? "ready" : "older";
}

export function machineOf({ runner, isConnected }: NonNullable<SessionSummary["at"]>): string {
  return isConnected ? runner : `${runner} (away)`;
}

/** Ready: something is there to read, from today or not read yet. */
function titleOf(summary: SessionSummary, options: GroupOptions): string {
  const { at } = summary;
  if (options.by === "person" && at !== undefined) return at.person;
  if (options.by === "machine" && at !== undefined) return `${at.person} · ${machineOf(at)}`;
  const state = stateOf(summary, options);
  if (state === "needs") return "Needs you";
  if (state === "working") return "Working";
  if (summary.archived) return "Archived";
  const days = daysAgo(summary.updatedTs, options.nowTs);
  if (state === "ready" && (days === 0 || isUnread(summary, options.seen))) return "Ready";
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return days < WEEK_DAYS ? "Last 7 days" : monthName.format(summary.updatedTs);
}

/** Sessions that this browser never showed are not news. */
export function isUnread({ sessionId, seq }: SessionSummary, seen: ReadonlyMap<string, number>): boolean {
  return seq > (seen.get(sessionId) ?? Infinity);
}

/** By calendar days of the browser's time zone. */
function daysAgo(ts: number, nowTs: number): number {
  const midnight = new Date(nowTs).setHours(0, 0, 0, 0);
  // A day of a clock change is an hour shorter or longer.
  return Math.max(0, Math.round((midnight - new Date(ts).setHours(0, 0, 0, 0)) / DAY_MS));
}

const weekday = new Intl.DateTimeFormat([], { weekday: "short" });
const clock = new Intl.DateTimeFormat([], { hour: "numeric", minute: "2-digit" });
const date = new Intl.DateTimeFormat([], { day: "numeric", month: "short" });

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How long it waits or works, the time of today, the weekday of this week, the date before. */
export function formatRowTime(summary: SessionSummary, state: SessionState, nowTs: number): string {
  const { updatedTs: ts } = summary;
  const agoMs = nowTs - ts;
  if ((state === "needs" || state === "working") && agoMs < HOUR_MS) {
    return agoMs < MINUTE_MS ? "now" : `${Math.floor(agoMs / MINUTE_MS)} min`;
  }
  const days = daysAgo(ts, nowTs);
  if (days === 0) return clock.format(ts);
  return days < WEEK_DAYS ? weekday.format(ts) : date.format(ts);
}
