/** Exports for those who ask the host: with everything of the session that is on its way to disk. */
import type { OpenSessions } from "../sessions/open-sessions.ts";
import type { SessionQueries } from "../sessions/queries.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { exportSession, type Exporter } from "./export-session.ts";

export function createSessionExport(deps: {
  readonly dataDir: string;
  readonly open: OpenSessions;
  readonly exporters: readonly Exporter[];
}): Pick<SessionQueries, "exportSession"> {
  const { dataDir, open, exporters } = deps;
  return {
    async exportSession(sessionId, { format, redact }) {
      const exporter = exporters.find(({ name }) => name === format);
      if (exporter === undefined)
        throw new RoundtableError("unsupported", `Sessions cannot be exported as ${format} here.`);
      // A store that takes nothing more: what it has taken is what there is to export.
      await open
        .get(sessionId)
        ?.log.flush()
        .catch(() => {});
      return await exportSession({ dataDir, sessionId, exporter, ...(redact === undefined ? {} : { redact }) });
    },
  };
}
