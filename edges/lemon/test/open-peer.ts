/** The server end of wire 003 in this process, with its own host and a scripted member. */
import { join } from "node:path";
import { RpcPeer, type PeerOptions } from "../peer.ts";
import { createHost } from "../../../src/host/index.ts";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import { connect } from "../../../test/host/open-host.ts";
import { createScriptedMembers } from "../../../test/wires/scripted-member.ts";
import { wireSession } from "../../../test/wires/wire-session.ts";
import { LineHearer } from "./line-hearer.ts";

export interface PeerSetup {
  readonly cwd: string;
  /** Of new sessions; `cwd` unless given. */
  readonly project?: string;
  readonly clock?: Clock;
  readonly room?: () => Promise<void> | undefined;
}

export async function startPeer(
  options: Pick<PeerOptions, "client" | "dataDir" | "template" | "room">,
  sessionFile?: string,
): Promise<{ hearer: LineHearer; peer: RpcPeer }> {
  const { template: table } = options;
  const hearer = new LineHearer();
  const peer = new RpcPeer({
    ...options,
    cwd: table.cwd,
    createTemplate: async () => table,
    hasUi: true,
    isDebugging: false,
    argv: [],
    write: (line) => hearer.hear(`${JSON.stringify(line)}\n`),
  });
  await peer.start(sessionFile);
  return { hearer, peer };
}

export async function openPeer({ cwd, project = cwd, clock = systemClock, room = () => undefined }: PeerSetup) {
  const dataDir = join(cwd, "data");
  const host = await createHost({ dataDir, agentFactory: createScriptedMembers, version: "0", clock });
  const client = await connect(host);
  const { hearer, peer } = await startPeer({ client, dataDir, template: wireSession(project, ["ling"]), room });
  return {
    hearer,
    say: (line: object) => peer.handleLine(JSON.stringify(line)),
    async close() {
      peer.end("quit");
      await peer.over;
      client.close();
      await host.close();
    },
  };
}
