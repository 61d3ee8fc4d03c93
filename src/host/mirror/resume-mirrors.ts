/** After a restart: sessions beside thread trees are opened again, so that what is written there meanwhile is heard. */
import type { SessionSummary } from "../../protocol/index.ts";
import type { OpenSessions } from "../sessions/open-sessions.ts";

export interface ResumeMirrorsDeps {
  readonly open: OpenSessions;
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  readonly warn: (sentence: string) => void;
}

/** One after another, and never in anybody's way. A session that another process holds is mirrored by that process. */
export async function resumeMirrors({ open, listSessions, warn }: ResumeMirrorsDeps): Promise<void> {
  const warnAbout = (what: string) => (error: unknown) =>
    warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  const sessions = await listSessions().catch(warnAbout("no thread files are kept, the sessions cannot be listed"));
  for (const { sessionId, mirrored, archived } of sessions ?? []) {
    if (mirrored !== true || archived) continue;
    const entry = await open.enter(sessionId).catch(warnAbout(`the thread files of session ${sessionId} are not kept`));
    // The mirror holds the session from here on.
    if (entry?.kind === "here") entry.release();
  }
}
