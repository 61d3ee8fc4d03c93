/** One session on a real host, our own client and a client of every wire at it. */
import { globSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { whyNotUsers } from "../../../src/agents/index.ts";
import { loadWires, mirror } from "../../../src/cli/edges.ts";
import { createHost } from "../../../src/host/index.ts";
import type { EventOf, EventType } from "../../../src/protocol/index.ts";
import { startCompatPort, startServer } from "../../../src/server/index.ts";
import { empty, fold, type Transcript } from "../../../src/transcript/index.ts";
import { connect, listen, until } from "../../host/open-host.ts";
import { createScriptedMembers } from "../scripted-member.ts";
import { wireSession } from "../wire-session.ts";
import type { Join, Participant, SharedSession } from "./participant.ts";

const VERSION = "0.0.0-test";
const NAMES = ["ling", "coder"];

export interface EveryWire extends SharedSession {
  transcript(): Transcript;
  /** Our own client, which can do everything. */
  readonly own: Participant;
  /** By the name of the edge. */
  readonly participants: ReadonlyMap<string, Participant>;
  close(): Promise<void>;
}

export async function openEveryWire(): Promise<EveryWire> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "rt-at-once-")));
  mkdirSync(join(cwd, ".git"));
  const dataDir = join(cwd, "data");
  const options = { dataDir, agentFactory: createScriptedMembers, version: VERSION };
  const host = await createHost({ ...options, ...(mirror === undefined ? {} : { loadMirror: mirror.load }) });
  const template = wireSession(cwd, NAMES, mirror === undefined ? {} : { mirror: {} });
  const client = await connect(host);
  const { sessionId } = await client.create(template);
  const { events } = await listen(client, sessionId);
  const of = <Type extends EventType>(type: Type) =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  const wires = await loadWires();
  const server = await startServer({ host, pageFiles: [], defaults: template, port: 0, wires });
  const scope = { wires, port: 0, sessions: [sessionId], origins: [], checkPeer: whyNotUsers };
  const compat = await startCompatPort({ host, dataDir, defaults: template, version: VERSION, ...scope });
  const shared = { sessionId, cwd, dataDir, host, template, server, compatUrl: compat.url, of };
  const own = ownClient(shared, client);
  const participants = new Map<string, Participant>();
  for (const file of globSync("edges/*/test/at-once.ts").toSorted()) {
    const module = (await import(pathToFileURL(file).href)) as { join: Join };
    participants.set(file.split("/")[1] ?? "", await module.join(shared));
  }
  return {
    ...shared,
    participants,
    own,
    transcript: () => fold(empty(sessionId), events),
    async close() {
      for (const participant of participants.values()) await participant.close();
      server.stop();
      compat.stop();
      await own.close();
      await host.close();
      await Promise.all([server.cut(), compat.cut()]);
    },
  };
}

function ownClient({ sessionId, of }: SharedSession, client: Awaited<ReturnType<typeof connect>>): Participant {
  const command = async (body: Parameters<typeof client.command>[1]): Promise<void> => {
    const ack = await client.command(sessionId, body);
    if (!ack.ok) throw new Error(ack.error.message);
  };
  let sent = 0;
  const pending = async () => {
    const open = () =>
      of("ui_request").find(({ requestId }) => !of("ui_response").some((one) => one.requestId === requestId));
    await until("a request", () => open() !== undefined);
    return open()?.requestId ?? "";
  };
  const send = (text: string) => command({ type: "send", text, clientMessageId: `own-${(sent += 1)}` });
  return {
    send,
    async queue(text) {
      await send(text);
      await until("the message to wait", () => of("queue_updated").some(({ items }) => items.length === 1));
    },
    write: (to, text) => send(`@${to} ${text}`),
    answer: async () => command({ type: "answer", requestId: await pending(), result: { colour: "blue" } }),
    allow: async () => command({ type: "answer", requestId: await pending(), result: "allow" }),
    stop: () => command({ type: "interrupt", scope: "all" }),
    close: () => client.close(),
  };
}
