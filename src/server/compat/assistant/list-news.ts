/** What becomes of the sessions, told to every connection: new ones, changed ones, those that are gone. */
import type { Host } from "../../../host/index.ts";
import type { SessionNews, SessionSummary } from "../../../protocol/index.ts";
import { assistant } from "../../../wires/index.ts";
import type { MarkStore } from "./session-marks.ts";
import { theirId } from "./session-names.ts";

export interface ListNews {
  /** Ends the following. */
  stop(): void;
}

/** `tell` gets a frame and the session it is about; a connection that is subscribed there has heard it already. */
export function followList(
  host: Pick<Host, "followSessions">,
  marks: MarkStore,
  tell: (frame: assistant.ServerFrame, session: string, isForSubscribers: boolean) => void,
): ListNews {
  const known = new Map<string, SessionSummary>();

  async function take({ isWhole, changed, gone }: SessionNews): Promise<void> {
    const kept = await marks.read();
    for (const summary of changed) {
      const before = known.get(summary.sessionId);
      known.set(summary.sessionId, summary);
      if (!isWhole) say(theirId(kept, summary.sessionId), before, summary);
    }
    for (const sessionId of gone) {
      const name = theirId(kept, sessionId);
      if (known.delete(sessionId)) tell({ type: "session_deleted", sessionId: name }, name, true);
    }
  }

  function say(name: string, before: SessionSummary | undefined, now: SessionSummary): void {
    const wasThere = before !== undefined && !before.archived;
    if (now.archived) {
      if (wasThere) tell({ type: "session_deleted", sessionId: name }, name, false);
    } else if (!wasThere) {
      const agentId = assistant.agentOf(now.members);
      const createdAt = assistant.isoTime(now.createdTs);
      tell({ type: "session_created", sessionId: name, agentId, createdAt }, name, true);
    } else if (before.updatedTs !== now.updatedTs || before.title !== now.title) {
      const updatedAt = assistant.isoTime(now.updatedTs);
      const title = now.title === "" ? {} : { name: now.title };
      tell({ type: "session_updated", sessionId: name, updatedAt, ...title }, name, false);
    }
  }

  let tail: Promise<void> = Promise.resolve();
  const stop = host.followSessions((news) => {
    // A list that could not be told is told again by the next change of the session.
    tail = tail.then(() => take(news)).catch(() => {});
  });
  return { stop };
}
