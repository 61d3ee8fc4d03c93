/** The session of a council command: the given one, else the last of this directory. */
import type { Client } from "../../../client/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { dataDirectory, workingDirectory } from "../../config/paths.ts";
import { existingDataDirectory } from "../../config/data-directory.ts";
import { exitCodes } from "../../../kit/exit-codes.ts";
import { Failure } from "../../../kit/failure.ts";
import { findSession, newestIn } from "../../sessions/find-session.ts";
import { openInProcessHost } from "../../connect/in-process-host.ts";

export interface SessionContext {
  readonly client: Client;
  readonly sessionId: string;
  readonly dataDir: string;
}

/** Opens a host in this process; a session held by another process is reached through that process. */
export async function withSession<T>(
  given: string | undefined,
  flags: CommonFlags,
  use: (at: SessionContext) => Promise<T>,
): Promise<T> {
  const dataDir = existingDataDirectory(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (dataDir === undefined) throw noSession(given, flags);
  const host = await openInProcessHost(dataDir);
  try {
    const sessionId = await sessionOf(host.client, given, flags);
    return await use({ client: host.client, sessionId, dataDir });
  } finally {
    await host.close();
  }
}

export async function sessionOf(client: Client, given: string | undefined, flags: CommonFlags): Promise<string> {
  if (given !== undefined) return await findSession(client, given);
  const newest = newestIn(await client.list(), workingDirectory(flags.directory));
  if (newest === undefined) throw noSession(given, flags);
  return newest.sessionId;
}

export function noSession(given: string | undefined, flags: CommonFlags): Failure {
  const what =
    given === undefined
      ? `there is no session of ${workingDirectory(flags.directory)}`
      : `there is no session "${given}"`;
  const hint =
    'Start one: roundtable council ask "…"; roundtable council list --all shows sessions of other directories';
  return new Failure(exitCodes.noSuchSession, "unknown_session", what, { hint });
}
