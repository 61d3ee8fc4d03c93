/**
 * A flood of events to clients that read, without and then beside clients that stopped reading over both carriers, and
 * what the server's memory did meanwhile.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient, connectWebSocket } from "../../src/client/index.ts";
import { until } from "../host/open-host.ts";
import { packedTestProgram } from "../packed-program.ts";

const PROGRAM = await packedTestProgram("flooded-session");
/** One of the scripted member's. */
const FLOOD_EVENT_BYTES = 8 * 1024;
const SAMPLE_MS = 200;

interface Memory {
  readonly rssBytes: number;
  readonly heldBytes: number;
}

export interface FloodResult {
  /** How much more the server held at the most, after collecting garbage, than in the same flood before. */
  readonly heldGrowthBytes: number;
  readonly rssGrowthBytes: number;
  /** Whether each of the readers got every seq once, in order. */
  readonly areExact: boolean;
  readonly events: number;
}

export async function floodBesideStalled(options: { bytes: number; stalledEach: number }): Promise<FloodResult> {
  const count = Math.ceil(options.bytes / FLOOD_EVENT_BYTES);
  const server = await startFloodedSession();
  const { url, token } = server;
  const client = await createClient(() => connectWebSocket(url, token));
  const { sessionId } = await create(server);
  const readers = [new SeqCheck(), new SeqCheck()] as const;
  const seen = { turnsEnded: 0 };
  await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
    for (const { seq, type } of events) {
      readers[0].receive(seq);
      if (type === "turn_end") seen.turnsEnded += 1;
    }
  });
  const stopStream = await readStream(server, sessionId, readers[1]);
  const flood = async (id: string) => {
    const before = seen.turnsEnded;
    let rssBytes = 0;
    let heldBytes = 0;
    await client.command(sessionId, { type: "send", text: `flood ${count}`, clientMessageId: id });
    while (seen.turnsEnded === before) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
      const memory = await server.memory();
      rssBytes = Math.max(rssBytes, memory.rssBytes);
      heldBytes = Math.max(heldBytes, memory.heldBytes);
    }
    return { rssBytes, heldBytes };
  };
  const alone = await flood("alone");
  const stalled = Array.from({ length: options.stalledEach }, () => [
    stall(server, sessionId, "stream"),
    stall(server, sessionId, "web-socket"),
  ]).flat();
  await Promise.all(stalled.map(({ isStalled }) => isStalled));
  const beside = await flood("beside");
  await until("the stream's end", () => readers[1].last === readers[0].last);
  for (const { socket } of stalled) socket.destroy();
  stopStream();
  client.close();
  await server.close();
  return {
    heldGrowthBytes: beside.heldBytes - alone.heldBytes,
    rssGrowthBytes: beside.rssBytes - alone.rssBytes,
    areExact: readers.every((reader) => reader.isExact),
    events: readers[0].last,
  };
}

class SeqCheck {
  last = 0;
  isExact = true;

  receive(seq: number): void {
    if (seq !== this.last + 1) this.isExact = false;
    this.last = seq;
  }
}

interface FloodedSession {
  readonly url: string;
  readonly token: string;
  memory(): Promise<Memory>;
  close(): Promise<void>;
}

async function startFloodedSession(): Promise<FloodedSession> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "rt-flood-"));
  const child = fork(PROGRAM, [dataDir], { execArgv: ["--expose-gc"] });
  const [doors] = (await once(child, "message")) as [{ url: string; token: string }];
  return {
    ...doors,
    async memory() {
      const answer = once(child, "message");
      child.send({});
      return ((await answer) as [Memory])[0];
    },
    async close() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

async function create({ url, token }: FloodedSession): Promise<{ sessionId: string }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const made = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body: "{}" });
  return (await made.json()) as { sessionId: string };
}

/** Keeps nothing of what it reads but the ids. */
async function readStream({ url, token }: FloodedSession, sessionId: string, check: SeqCheck): Promise<() => void> {
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/sessions/${sessionId}/events?after=0`, { headers, signal: abort.signal });
  const read = async () => {
    let rest = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("id: ")) check.receive(Number(line.slice(line.indexOf(".") + 1)));
    }
  };
  // Ends when it is aborted, and only then by an error.
  read().catch(() => {});
  return () => abort.abort();
}

function stall(
  { url, token }: FloodedSession,
  sessionId: string,
  carrier: "stream" | "web-socket",
): { socket: Socket; isStalled: Promise<void> } {
  const { host, port } = new URL(url);
  const head = [`Host: ${host}`, `Authorization: Bearer ${token}`];
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  const lines =
    carrier === "stream"
      ? [`GET /v1/sessions/${sessionId}/events?after=0 HTTP/1.1`, ...head]
      : ["GET /v1/ws HTTP/1.1", ...head, ...upgrade, key];
  const socket = connect(Number(port), "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<void>();
  // The server may be gone before this end is closed.
  socket.on("error", () => {});
  socket.write([...lines, "", ""].join("\r\n"));
  socket.once("data", () => {
    socket.pause();
    const frames = [
      { frame: "hello", protocol: 1, clientId: "stalled" },
      { frame: "subscribe", id: "s", sessionId, cursor: { epoch: 0, seq: 0 } },
    ];
    if (carrier === "web-socket") for (const frame of frames) socket.write(maskedByZeros(JSON.stringify(frame)));
    resolve();
  });
  return { socket, isStalled: promise };
}

function maskedByZeros(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}
