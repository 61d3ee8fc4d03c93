/** The session somebody was last at in a directory. */
import type { SessionSummary } from "../protocol/index.ts";

export function newestIn(sessions: readonly SessionSummary[], cwd: string): SessionSummary | undefined {
  return sessions
    .filter((one) => one.cwd === cwd && !one.archived)
    .reduce<SessionSummary | undefined>(
      (best, one) => (best === undefined || one.updatedTs > best.updatedTs ? one : best),
      undefined,
    );
}
