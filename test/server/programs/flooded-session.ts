/**
 * A server over a host with a scripted member, told by messages of its parent what to say about its memory.
 * Usage: node --expose-gc flooded-session.ts DATA_DIR
 */
import { createHost } from "../../../src/host/index.ts";
import { startServer } from "../../../src/server/index.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../../host/scripted-agent.ts";

const dataDir = process.argv[2] ?? "";
const host = await createHost({ dataDir, agentFactory: createScriptedAgent, version: "0.0.0-test" });
const defaults = { cwd: dataDir, settings: SETTINGS, members: [ECHO] };
const { url, token } = await startServer({ host, pageFiles: [], defaults, port: 0 });
process.on("message", () => {
  const rssBytes = process.memoryUsage.rss();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ rssBytes, heldBytes: heapUsed + external });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ url, token });
