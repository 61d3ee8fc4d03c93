/**
 * A host with a scripted member behind both of its doors, the local socket and the server. It says `{loaded}`, waits for
 * a line on stdin, opens the doors and says where they are; the end of stdin ends it in order.
 * Usage: served-session.ts DATA_DIR
 */
import { once } from "node:events";
import { createHost } from "../../../src/host/index.ts";
import { toJsonLine } from "../../../src/kit/io/json-lines.ts";
import { startServer } from "../../../src/server/index.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../../host/scripted-agent.ts";

const dataDir = process.argv[2] ?? "";

function send(value: unknown): void {
  process.stdout.write(toJsonLine(value));
}

send({ loaded: true });
await once(process.stdin, "data");
const host = await createHost({ dataDir, agentFactory: createScriptedAgent, version: "0.0.0-test" });
const defaults = { cwd: dataDir, settings: SETTINGS, members: [ECHO] };
const server = await startServer({ host, pageFiles: [], defaults, port: 0 });
process.stdin.once("end", () => {
  server.stop();
  void host.close().then(() => server.cut());
});
send({ socketPath: host.socketPath, url: server.url, token: server.token });
