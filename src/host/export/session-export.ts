/** Exports for those who ask the host: with everything of the session that is on its way to disk. */
import type { OpenSessions } from "../sessions/open-sessions.ts";
import type { SessionQueries } from "../sessions/queries.ts";
import { exportSession } from "./export-session.ts";

export function createSessionExport(deps: {
  readonly dataDir: string;
  readonly open: OpenSessions;
}): Pick<SessionQueries, "exportSession"> {
  const { dataDir, open } = deps;
  return {
    async exportSession(sessionId, options) {
      // A store that takes nothing more: what it has taken is what there is to export.
      await open
        .get(sessionId)
        ?.log.flush()
        .catch(() => {});
      return await exportSession({ dataDir, sessionId, ...options });
    },
  };
}
