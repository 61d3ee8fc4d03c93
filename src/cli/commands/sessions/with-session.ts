/** Opens a host in this process for a command; a session held by another process is reached through that process. */
import type { Client } from "../../../client/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { dataDirectory } from "../../config/paths.ts";
import { existingDataDirectory } from "../../config/data-directory.ts";
import { exitCodes } from "../../../kit/exit-codes.ts";
import { Failure } from "../../../kit/failure.ts";
import { findSession } from "../../sessions/find-session.ts";
import { openInProcessHost } from "../../connect/in-process-host.ts";

export interface HostContext {
  readonly client: Client;
  readonly dataDir: string;
}

/** Undefined without a data directory: reading must not create one. */
export async function withHost<T>(flags: CommonFlags, use: (at: HostContext) => Promise<T>): Promise<T | undefined> {
  const dataDir = existingDataDirectory(dataDirectory(process.env, flags.dataDir, process.cwd()));
  if (dataDir === undefined) return undefined;
  const host = await openInProcessHost(dataDir);
  try {
    return await use({ client: host.client, dataDir });
  } finally {
    await host.close();
  }
}

export async function withSession<T>(
  given: string,
  flags: CommonFlags,
  use: (at: HostContext & { sessionId: string }) => Promise<T>,
): Promise<T> {
  const done = await withHost(flags, async (at) => ({
    result: await use({ ...at, sessionId: await findSession(at.client, given) }),
  }));
  if (done !== undefined) return done.result;
  throw new Failure(exitCodes.noSuchSession, "unknown_session", `there is no session "${given}"`, {
    hint: "See roundtable sessions list",
  });
}
