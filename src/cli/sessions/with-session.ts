/** Host and session of a command that works in this process: the given session, else the last of this directory. */
import type { Client } from "../../client/index.ts";
import type { SeenAs } from "../../protocol/index.ts";
import type { CommonFlags } from "../flags.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { existingDataDirectory } from "../config/data-directory.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { findSession, newestIn, noSuchSession } from "./find-session.ts";
import type { LocalHostOptions } from "../connect/local-host.ts";
import { openHost } from "../connect/team-server.ts";

export interface HostContext {
  readonly client: Client;
  readonly dataDir: string;
  /** As whom a session is read; absent on this machine. */
  readonly seenAs?: ((sessionId: string) => Promise<SeenAs>) | undefined;
}

/** Undefined without a data directory: reading must not create one. */
export async function withHost<T>(
  flags: CommonFlags,
  use: (at: HostContext) => Promise<T>,
  options: LocalHostOptions = {},
): Promise<T | undefined> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  if (flags.server === undefined && existingDataDirectory(dataDir) === undefined) return undefined;
  const host = await openHost(dataDir, flags, [], options);
  try {
    return await use({ client: host.client, dataDir, seenAs: host.seenAs });
  } finally {
    await host.close();
  }
}

/** A session held by another process is reached through that process. */
export async function withSession<T>(
  given: string | undefined,
  flags: CommonFlags,
  use: (at: HostContext & { readonly sessionId: string }) => Promise<T>,
  options: LocalHostOptions = {},
): Promise<T> {
  const work = async (at: HostContext) => ({
    result: await use({ ...at, sessionId: await sessionOf(at.client, given, flags) }),
  });
  const done = await withHost(flags, work, options);
  if (done === undefined) throw noSession(given, flags);
  return done.result;
}

export async function sessionOf(client: Client, given: string | undefined, flags: CommonFlags): Promise<string> {
  if (given !== undefined) return await findSession(client, given);
  const newest = newestIn(await client.list(), workingDirectory(flags.directory));
  if (newest === undefined) throw noSession(given, flags);
  return newest.sessionId;
}

export function noSession(given: string | undefined, flags: CommonFlags): Failure {
  if (given !== undefined) return noSuchSession(given);
  const what = `there is no session in ${workingDirectory(flags.directory)}`;
  const hint =
    'Start one: roundtable council ask "…"; roundtable council list --all shows sessions of other directories';
  return new Failure(exitCodes.noSuchSession, "unknown_session", what, { hint });
}
