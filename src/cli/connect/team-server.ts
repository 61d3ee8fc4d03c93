/** A team's server for commands with `--server`: reached with the key of this machine, which signed in with a link. */
import { hostname } from "node:os";
import { connectWebSocket, createClient, createLastingClient, newClientId, type Client } from "../../client/index.ts";
import { usageFailure } from "../../kit/failure.ts";
import { RoundtableError, type SeenAs, type TeamPerson } from "../../protocol/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import type { ServerDevice } from "../../team/index.ts";
import { existingDataDirectory, prepareDataDirectory } from "../config/data-directory.ts";
import type { Setting } from "../config/environment.ts";
import { dataDirectory } from "../config/paths.ts";
import type { CommonFlags } from "../flags.ts";
import { acquireScreenId, type OpenHostConnection } from "./connect-to-host.ts";
import type { InProcessHost } from "./in-process-host.ts";
import type { LocalHostOptions } from "./local-host.ts";

type ServerFlags = Pick<CommonFlags, "dataDir" | "server" | "on">;

/** The given server, or the only one that this machine is signed in to. A link with a code signs it in. */
export async function openDevice(flags: ServerFlags): Promise<ServerDevice> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const { knownServers, openServerDevice } = await import("../../team/index.ts");
  const known = existingDataDirectory(dataDir) === undefined ? [] : knownServers(dataDir);
  const [only] = known;
  const link = flags.server ?? (known.length === 1 ? only : undefined);
  if (link === undefined) {
    throw usageFailure(
      known.length === 0 ? "this machine is not signed in to a team's server" : "which server? Give --server",
      known.length === 0 ? "Join one with roundtable join LINK" : `It is signed in to ${known.join(" and ")}`,
    );
  }
  if (link.includes("#")) prepareDataDirectory(dataDir);
  return await openServerDevice(link, { dataDir, name: hostname() });
}

/** For a screen: lasts until it is closed, on whichever node answers. */
export async function connectToTeam(flags: ServerFlags, device: ServerDevice): Promise<OpenHostConnection> {
  const clientId = acquireScreenId(dataDirectory(process.env, flags.dataDir, process.cwd()));
  const client = await createLastingClient(() => connectTo(device), { clientId });
  return {
    client,
    label: `attached to ${device.origin}`,
    outlivesScreen: true,
    seenAs: (sessionId) => readSeenAs(device, client, sessionId),
    close: async () => client.close(),
  };
}

async function connectTo(device: ServerDevice) {
  const token = await device.token();
  return await connectWebSocket(device.origin, token).catch((error: Error) => {
    // Where the token was the reason, the next attempt signs in, or says why it cannot.
    device.dropToken();
    const hint = "A proxy in front of it must pass WebSockets.";
    throw new RoundtableError("closed", error.message, { hint, cause: error });
  });
}

/** For a command: the host of this process, or the server. */
export async function openHost(
  dataDir: string,
  flags: ServerFlags,
  overrides: readonly Setting[] = [],
  options: LocalHostOptions = {},
): Promise<InProcessHost> {
  if (flags.server === undefined) {
    const { openInProcessHost } = await import("./in-process-host.ts");
    return await openInProcessHost(dataDir, overrides, options);
  }
  const device = await openDevice(flags);
  const client = await createClient(() => connectTo(device), {
    clientId: newClientId("command"),
  });
  const close = async (): Promise<void> => client.close();
  return { client, close, abandon: close, seenAs: (sessionId) => readSeenAs(device, client, sessionId) };
}

/** Of one's own devices there is no team. */
async function readSeenAs(device: ServerDevice, client: Pick<Client, "list">, sessionId: string): Promise<SeenAs> {
  const team = device.ask<{ me: { id: string }; people: TeamPerson[] }>("/v1/team").catch(() => undefined);
  const [known, sessions] = await Promise.all([team, client.list()]);
  const at = sessions.find((one) => one.sessionId === sessionId)?.at;
  return { me: known?.me.id, owner: at && { id: at.personId, name: at.person }, people: known?.people };
}

/** Where a new session works by default, or on the machine of `--on`; with the members that can be had there. */
export async function readTarget(device: ServerDevice, { on }: ServerFlags): Promise<SessionDefaults> {
  const query = on === undefined ? "" : `?cwd=${encodeURIComponent(on)}`;
  return await device.ask<SessionDefaults>(`/v1/defaults${query}`);
}
