/** A host with scripted members, behind the ordinary server and the port for other programs' clients. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whyNotUsers } from "../../../src/agents/index.ts";
import { loadWires } from "../../../src/cli/edges.ts";
import { createHost, type Host } from "../../../src/host/index.ts";
import { systemClock, type Clock } from "../../../src/kit/clock.ts";
import type { MemberSpec, Settings } from "../../../src/protocol/index.ts";
import { startCompatPort, startServer, type CompatPort, type RunningServer } from "../../../src/server/index.ts";
import { createScriptedMembers } from "../../../test/wires/scripted-member.ts";
import { patient } from "../../../test/patience.ts";

const usual: MemberSpec[] = [
  { name: "ling", kind: "embedded", model: "small" },
  { name: "coder", kind: "embedded" },
];

const settings: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: patient(60),
  request_timeout: patient(60),
  order: ["ling", "coder"],
  limits: { turns: 40, minutes: 30, tokens: 1_000_000, usd: 5 },
  writable: false,
  preamble: "Answer.",
};

export interface OpenWire {
  host: Host;
  server: RunningServer;
  compat: CompatPort;
  dataDir: string;
  /** The project of the defaults. */
  cwd: string;
  close(): Promise<void>;
}

export interface OpenWireOptions {
  clock?: Clock;
  /** Of the compat port alone. */
  compatClock?: Clock;
  sessions?: readonly string[];
  origins?: readonly string[];
  page?: string;
  directory?: string;
  members?: MemberSpec[];
}

export async function openWire(options: OpenWireOptions = {}): Promise<OpenWire> {
  const { clock = systemClock, sessions = [], origins = [], members = usual } = options;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "rt-linggen-"));
  const dataDir = join(directory, "data");
  const version = "0.0.0-test";
  const host = await createHost({ dataDir, agentFactory: createScriptedMembers, version, clock });
  const defaults = { cwd: directory, settings, members };
  const server = await startServer({ host, pageFiles: [], defaults, port: 0, clock, wires: await loadWires() });
  const wires = await loadWires(["001"]);
  const compat = await startCompatPort({
    host,
    dataDir,
    defaults,
    wires,
    port: 0,
    sessions,
    origins,
    version,
    checkPeer: whyNotUsers,
    ...(options.page === undefined ? {} : { page: options.page }),
    clock: options.compatClock ?? clock,
  });
  return {
    host,
    server,
    compat,
    dataDir,
    cwd: directory,
    async close() {
      compat.stop();
      server.stop();
      await host.close();
      await compat.cut();
      await server.cut();
    },
  };
}
