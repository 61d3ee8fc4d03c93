/** An event in one line of plain text. An unknown type is shown by its name, never dropped. */
import { plural, withEllipsis } from "../../kit/text/format.ts";
import {
  coverRule,
  isKnownEvent,
  type EventOf,
  type LimitName,
  type SessionEvent,
  type UnknownEvent,
} from "../../protocol/index.ts";

export function eventLine(event: SessionEvent | UnknownEvent): string {
  if (!isKnownEvent(event)) return `event ${event.type}`;
  switch (event.type) {
    case "session_created":
      return createdLine(event);
    case "warning":
    case "error":
    case "council_paused":
      return event.message;
    case "ui_notify":
      return `${event.member ?? "a member"}: ${event.message}`;
    case "ui_request":
      return `${event.member ?? "a member"} asks: ${event.request.title}`;
    case "damage":
      return event.fromSeq > event.toSeq
        ? `${event.bytes} unreadable bytes in the log at byte ${event.offset}`
        : `events ${event.fromSeq} to ${event.toSeq} cannot be read (byte ${event.offset} of the log)`;
    case "read_only":
      return `the store could not be written: ${event.reason} (${event.dropped} stream events were lost)`;
    case "recovered":
      return `the session was recovered; turns interrupted: ${event.turnIds.length}, bytes cut: ${event.tornBytes}`;
    case "session_resume":
      return `the session was resumed${event.afterTs === undefined ? "" : ` after ${pause(event.ts - event.afterTs)}`}`;
    case "council_settled":
      return `the discussion ended after round ${event.round}: ${SETTLED_WHY[event.why]}`;
    case "council_resumed":
      return resumedLine(event);
    case "minutes":
      return `minutes: ${event.text}`;
    case "session_renamed":
      return `renamed to ${event.title}`;
    case "session_clear":
      return "cleared; members no longer see what came before";
    case "permission_revoked":
      return revokedLine(event);
    case "model_switched":
      return `${event.member} now uses ${event.model}`;
    case "effort_switched":
      return `${event.member} now uses ${event.effort === undefined ? "its default effort" : `${event.effort} effort`}`;
    case "model_fallback":
      return `${event.preferred} was not available; ${event.actual} answers (${event.reason})`;
    case "member_left":
      return leftLine(event);
    case "member_joined":
    case "member_muted":
    case "member_unmuted":
      return `${event.member} ${event.type.slice("member_".length)}`;
    case "compaction":
      return compactionLine(event);
    case "compaction_undone":
      return `the compaction of ${event.member} was undone; its full context is back`;
    case "compaction_started":
      return `the context of ${event.member} is being compacted`;
    case "compaction_failed":
      if (/^nothing to compact\b/i.test(event.reason)) return event.reason;
      return `the context of ${event.member} was not compacted: ${event.reason}`;
    default:
      return event.type.replaceAll("_", " ");
  }
}

function createdLine({ imported, forkedFrom }: EventOf<"session_created">): string {
  if (imported !== undefined) return `imported from ${imported.source}: ${imported.from}`;
  if (forkedFrom !== undefined) return `forked from session ${forkedFrom.sessionId} at event ${forkedFrom.seq}`;
  return "session created";
}

function leftLine({ member, reason }: EventOf<"member_left">): string {
  if (reason === "removed") return `${member} was removed`;
  return `${member} left${reason === undefined ? "" : `: ${reason}`}`;
}

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

/** In the largest unit that is at least 1. */
function pause(ms: number): string {
  const [unitMs, unit] = UNITS.find(([one]) => ms >= one) ?? UNITS[3];
  const count = Math.max(1, Math.floor(ms / unitMs));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function compactionLine({ member, before, after, native, folded }: EventOf<"compaction">): string {
  const who = native === true ? `${member} compacted its context` : `the context of ${member} was compacted`;
  const figures = before > 0 && after > 0 ? ` from ${before} to ${after} tokens` : "";
  return `${who}${figures}${folded === undefined ? "" : `; ${plural(folded, "turn")} summarised`}`;
}

const SETTLED_WHY: Readonly<Record<EventOf<"council_settled">["why"], string>> = {
  cap: "all rounds are done",
  agreed: "nobody had anything to add",
  interrupted: "it was stopped",
  nobody_left: "no member is left to speak",
  superseded: "another message was sent to all",
  all_failed: "every member failed; /retry asks them again",
};

function resumedLine({ rounds, raised = [] }: EventOf<"council_resumed">): string {
  const now = raised.map(({ scope, limit, to }) => `${formatLimit(limit, to)} for ${SCOPE_LABELS[scope]}`);
  const allowed = now.length === 0 ? "" : `; allowed now: ${now.join(", ")}`;
  return `the discussion continues${rounds === undefined ? "" : `, up to round ${rounds}`}${allowed}`;
}

/** A command may be a whole script. */
const RULE_CHARS_MAX = 200;
const REACH_LABELS: Readonly<Record<EventOf<"permission_revoked">["reach"], string>> = {
  session: "for this session",
  edits: "for this session",
  always: "always in this folder",
};

function revokedLine({ reach, cover }: EventOf<"permission_revoked">): string {
  const what = cover === undefined ? "changes to every file here" : withEllipsis(coverRule(cover), RULE_CHARS_MAX);
  return `no longer allowed: ${what} (was allowed ${REACH_LABELS[reach]})`;
}

const SCOPE_LABELS = { message: "this message", session: "the session" } as const;

function formatLimit(limit: LimitName, to: number): string {
  return limit === "usd" ? `$${to}` : `${to} ${limit}`;
}
