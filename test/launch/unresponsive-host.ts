/**
 * The server of `roundtable serve`, with seats for programs that heed no signal: a member named `deaf-…` is one of them,
 * every other one is embedded. Everything but the factory is the product's own.
 */
import { createAgentFactory, type AgentFactory } from "../../src/agents/index.ts";
import { processLimits } from "../../src/agents/process/limits.ts";
import { createHost } from "../../src/host/index.ts";
import { embedded } from "../../src/cli/edges.ts";
import { listenForStop, serveHost } from "../../src/cli/commands/serve/serve-host.ts";
import { createFake } from "../agents/process/start-fake.ts";
import { SETTINGS } from "../host/scripted-agent.ts";

const [dataDir = "", cwd = ""] = process.argv.slice(2);

const createAgent = createAgentFactory(embedded);
const agentFactory: AgentFactory = (spec, seat) =>
  spec.name.startsWith("deaf-")
    ? createFake({ fake: "ignores-signals", member: spec.name, dataDir, limits: processLimits, isDeafToProtocol: true })
    : createAgent(spec, seat);

const stops = listenForStop();
await serveHost(stops, {
  host: await createHost({ dataDir, agentFactory, version: "0" }),
  dataDir,
  version: "0",
  defaults: { cwd, settings: SETTINGS, members: [] },
  pageFiles: [],
  port: 0,
  idleMs: undefined,
  onReady: (server) => process.stdout.write(`${server.newLink()}\n`),
});
process.exit(0);
