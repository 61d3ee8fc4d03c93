/** One session on a real host, and a client of every wire at it, each of which knows only its own format. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { Client, CommandBody } from "../../../src/client/index.ts";
import { whyNotUsers } from "../../../src/agents/index.ts";
import { writeSprout } from "../../../edges/sprout/write-sprout.ts";
import { loadWires, mirror } from "../../../src/cli/edges.ts";
import { createHost, type Host } from "../../../src/host/index.ts";
import type { EventOf, EventType } from "../../../src/protocol/index.ts";
import { startCompatPort, startServer } from "../../../src/server/index.ts";
import { empty, fold, type Transcript } from "../../../src/transcript/index.ts";
import { connect, listen, until } from "../../host/open-host.ts";
import { EditorScreen } from "../../../edges/acp-agent/test/editor-screen.ts";
import { startAgent } from "../../../edges/acp-agent/test/open-agent.ts";
import { SmallClient, type Door } from "../../../edges/assistant/test/small-client.ts";
import type { LineHearer } from "../../../edges/lemon/test/line-hearer.ts";
import { startPeer } from "../../../edges/lemon/test/open-peer.ts";
import { openLinggenClient, type LinggenClient } from "../../../edges/linggen/test/linggen-client.ts";
import { createScriptedMembers } from "../scripted-member.ts";
import { wireSession } from "../wire-session.ts";

const VERSION = "0.0.0-test";
const NAMES = ["ling", "coder"];

export interface EveryWire {
  readonly sessionId: string;
  readonly cwd: string;
  /** Our own client: what its events come to. */
  transcript(): Transcript;
  command(command: CommandBody): Promise<void>;
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  /** Wire 000: the directory of the thread. */
  thread(): Promise<string>;
  /** Wire 001, over the port without a token. */
  readonly linggen: LinggenClient;
  /** Wire 002: a directory into which the session was exported now. */
  exported(): Promise<string>;
  /** Wire 003, as `roundtable rpc` talks, with everything a screen writes. */
  readonly rpc: LineHearer;
  write(line: object): void;
  /** Wire 004, over the ordinary port. */
  readonly assistant: SmallClient;
  readonly door: Door;
  /** ACP, as `roundtable acp` talks. The editor knows no forms and never answers a permission. */
  readonly editor: EditorScreen;
  close(): Promise<void>;
}

export async function openEveryWire(): Promise<EveryWire> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "rt-at-once-")));
  mkdirSync(join(cwd, ".git"));
  const dataDir = join(cwd, "data");
  const loadMirror = mirror === undefined ? {} : { loadMirror: mirror.load };
  const host = await createHost({ dataDir, agentFactory: createScriptedMembers, version: VERSION, ...loadMirror });
  const table = wireSession(cwd, NAMES, { mirror: {} });
  const own = await connect(host);
  const { sessionId } = await own.create(table);
  const ours = await openOurs(own, sessionId);
  const place = { cwd, dataDir, host, table, sessionId };
  const [ports, stdio] = [await openPorts(place), await openStdio(place)];
  return {
    sessionId,
    cwd,
    ...ours,
    ...ports.clients,
    ...stdio.clients,
    async exported() {
      const directory = mkdtempSync(join(cwd, "out-"));
      await writeSprout({ dataDir, sessionId, directory });
      return directory;
    },
    async close() {
      await stdio.close();
      ports.stop();
      own.close();
      await host.close();
      await ports.cut();
    },
  };
}

interface Place {
  readonly cwd: string;
  readonly dataDir: string;
  readonly host: Host;
  readonly table: ReturnType<typeof wireSession>;
  readonly sessionId: string;
}

async function openOurs(client: Client, sessionId: string) {
  const { events } = await listen(client, sessionId);
  const of = <Type extends EventType>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  return {
    of,
    transcript: () => fold(empty(sessionId), events),
    async command(command: CommandBody) {
      const ack = await client.command(sessionId, command);
      if (!ack.ok) throw new Error(ack.error.message);
    },
    async thread() {
      const found = () => of("settings_changed").findLast((event) => event.settings.mirror?.thread !== undefined);
      await until("the thread", () => found() !== undefined);
      const { kd = "", branch = "", thread = "" } = found()?.settings.mirror ?? {};
      return join(kd, "branches", branch, "threads", thread);
    },
  };
}

async function openPorts({ cwd, dataDir, host, table, sessionId }: Place) {
  const server = await startServer({ host, pageFiles: [], defaults: table, port: 0, wires: await loadWires() });
  const named = { wires: await loadWires(), port: 0, sessions: [sessionId], origins: [] };
  const compat = await startCompatPort({
    host,
    dataDir,
    defaults: table,
    version: VERSION,
    checkPeer: whyNotUsers,
    ...named,
  });
  const linggen = await openLinggenClient(compat.url, cwd, { query: `?session_id=${sessionId}` });
  // As its page does when it opens a session.
  await linggen.get("/api/agent-runs", { session_id: sessionId });
  const door: Door = { url: server.url, headers: { authorization: `Bearer ${server.token}` } };
  const assistant = await SmallClient.open(door, [sessionId]);
  return {
    clients: { linggen, assistant, door },
    stop() {
      linggen.close();
      assistant.close();
      server.stop();
      compat.stop();
    },
    cut: () => Promise.all([server.cut(), compat.cut()]),
  };
}

async function openStdio({ cwd, dataDir, host, table, sessionId }: Place) {
  const [forRpc, forEditor] = [await connect(host), await connect(host)];
  const { hearer, peer } = await startPeer({ client: forRpc, dataDir, template: table }, `${sessionId}.jsonl`);
  const { input, output, leave } = startAgent(forEditor, table);
  const never = new Promise<never>(() => {});
  const editor = new EditorScreen(ndJsonStream(input, output), { onPermission: () => never });
  await editor.initialize();
  await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  return {
    clients: { rpc: hearer, write: (line: object) => peer.handleLine(JSON.stringify(line)), editor },
    async close() {
      peer.end("quit");
      await Promise.all([peer.over, leave()]);
      for (const client of [forRpc, forEditor]) client.close();
    },
  };
}
