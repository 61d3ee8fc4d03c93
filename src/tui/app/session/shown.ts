/** The session on the screen, or the new one that starts with its first message. */
import type { PlannedSession } from "../../../client/index.ts";
import type { SeenAs } from "../../../protocol/index.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { SessionFeed } from "./session-feed.ts";

export interface Shown {
  sessionId: string | undefined;
  transcript: Transcript | undefined;
  /** Aborted when the session is left, even while it is still opening. */
  readonly left: AbortController;
  /** Absent until it is followed. */
  feed?: SessionFeed;
  /** Pending until the session is followed. */
  opening?: Promise<void> | undefined;
  /** Pending while the first message creates it. */
  creating?: Promise<string> | undefined;
  /** Seq of the session when this screen last set members to work. */
  startedSeq?: number;
  seenAs?: SeenAs;
  /** What was changed about a session that does not exist yet. */
  planned?: PlannedSession;
}

export function newShown(sessionId?: string): Shown {
  return { sessionId, transcript: undefined, left: new AbortController() };
}
