/** Broadcasts changes of the session list: new, changed and removed sessions. */
import type { Host } from "../../../src/host/index.ts";
import type { SessionNews, SessionSummary } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import type { MarkStore } from "./session-marks.ts";
import { theirId } from "./session-names.ts";

export interface ListNews {
  /** Stops following. */
  stop(): void;
}

interface Listed {
  /** The clients' id of the session. */
  readonly name: string;
  readonly hiddenName: string | undefined;
}

/** `broadcast` gets a frame and its session; connections subscribed to it have it already. */
export function followList(
  host: Pick<Host, "followSessions">,
  marks: MarkStore,
  broadcast: (frame: assistant.ServerFrame, session: string, isForSubscribers: boolean) => void,
): ListNews {
  const known = new Map<string, SessionSummary>();

  async function handleNews({ isWhole, changed, gone }: SessionNews): Promise<void> {
    const state = await marks.read();
    for (const summary of changed) {
      const { sessionId } = summary;
      const before = known.get(sessionId);
      known.set(sessionId, summary);
      const hiddenName = state.sessions[sessionId]?.hiddenName;
      if (!isWhole) broadcastChange({ name: theirId(state, sessionId), hiddenName }, before, summary);
    }
    for (const sessionId of gone) {
      const name = theirId(state, sessionId);
      if (known.delete(sessionId)) broadcast({ type: "session_deleted", sessionId: name }, name, true);
    }
  }

  function broadcastChange(
    { name, hiddenName }: Listed,
    before: SessionSummary | undefined,
    now: SessionSummary,
  ): void {
    const wasThere = before !== undefined && !before.archived;
    if (now.archived) {
      if (wasThere) broadcast({ type: "session_deleted", sessionId: name }, name, false);
      return;
    }
    const updatedAt = assistant.isoTime(now.updatedTs);
    const updated = { type: "session_updated", sessionId: name, updatedAt } as const;
    // An unchanged title may be one that a client has cleared.
    const isRetitled = !wasThere || before.title !== now.title;
    const title = isRetitled && now.title !== "" && now.title !== hiddenName ? { name: now.title } : undefined;
    if (!wasThere) {
      const agentId = assistant.agentOf(now.members);
      const createdAt = assistant.isoTime(now.createdTs);
      broadcast({ type: "session_created", sessionId: name, agentId, createdAt }, name, true);
      // That frame has no field for a name.
      if (title !== undefined) broadcast({ ...updated, ...title }, name, true);
    } else if (before.updatedTs !== now.updatedTs || isRetitled) broadcast({ ...updated, ...title }, name, false);
  }

  let tail: Promise<void> = Promise.resolve();
  const stop = host.followSessions((news) => {
    // A failed list update is sent again with the session's next change.
    tail = tail.then(() => handleNews(news)).catch(() => {});
  });
  return { stop };
}
