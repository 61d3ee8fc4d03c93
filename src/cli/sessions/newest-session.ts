/** The most recently updated session of a directory. */
import type { SessionSummary } from "../../protocol/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";

export function newestIn(sessions: readonly SessionSummary[], cwd: string): SessionSummary | undefined {
  return sessions
    .filter((one) => one.cwd === cwd && !one.archived)
    .reduce<SessionSummary | undefined>(
      (best, one) => (best === undefined || one.updatedTs > best.updatedTs ? one : best),
      undefined,
    );
}

export function noLastSession(cwd: string): Failure {
  return new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session of ${cwd} to continue`, {
    hint: "Remove -c to start one; roundtable sessions list shows sessions of other directories",
  });
}
