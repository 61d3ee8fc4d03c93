/**
 * 5,000 events a second of one session to many clients: `fan-out.ts bare|sse|ws CLIENTS`. The server runs here, the
 * clients in a process of their own. `cpuUs` is this process's time for each delivered event; `fanOutUs` leaves out what
 * making and storing the events costs, measured before the clients come. Bare is a node:http loop that makes its events
 * by itself and writes one shared buffer every 8 ms.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { percentile, report, rooms } from "./product.ts";

const PER_SECOND = 5_000;
const ALONE_SECONDS = 2;
const SECONDS = 4;
const BARE_FLUSH_MS = 8;
const FILLER = "x".repeat(90);

interface Target {
  readonly port: number;
  readonly head: string;
  /** A first frame for a WebSocket, masked by zeros. */
  readonly frames: readonly string[];
  readonly clients: number;
}

interface Counted {
  readonly delivered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Calls back for every event that is due, five thousand a second, until it is told to stop. */
function produce(emit: (at: number) => void): () => void {
  const startedMs = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * PER_SECOND);
    for (; made < due; made++) emit(made);
  }, 1);
  return () => clearInterval(timer);
}

async function pause(seconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

async function cpuDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The clients: raw sockets that count what comes and look at the time stamp of the oldest event of each chunk. */
async function runClients({ port, head, frames, clients }: Target): Promise<void> {
  const latencies: number[] = [];
  const needle = Buffer.from('"seq":');
  let delivered = 0;
  let isCounting = false;
  const heads: Promise<void>[] = [];
  for (let at = 0; at < clients; at++) {
    const socket = connect(port, "127.0.0.1");
    const open = Promise.withResolvers<void>();
    heads.push(open.promise);
    // The server ends at the same time as we do.
    socket.on("error", () => {});
    socket.write(head);
    socket.once("data", () => {
      for (const frame of frames) socket.write(maskedFrame(frame));
      open.resolve();
    });
    let rest: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      if (!isCounting) return;
      // A needle can be cut by the end of a chunk.
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let last = -1;
      for (let found = bytes.indexOf(needle); found !== -1; found = bytes.indexOf(needle, found + needle.length)) {
        delivered += 1;
        last = found;
      }
      rest = bytes.subarray(Math.max(last + needle.length, bytes.length - needle.length + 1));
      const stamp = /"ts":(\d+)/.exec(bytes.subarray(0, 600).toString("latin1"))?.[1];
      if (stamp !== undefined) latencies.push(Date.now() - Number(stamp));
    });
  }
  await Promise.all(heads);
  process.send?.({ isReady: true });
  await pause(1);
  isCounting = true;
  process.send?.({ isCounting: true });
  await pause(SECONDS);
  isCounting = false;
  const sorted = latencies.toSorted((a, b) => a - b);
  process.send?.({ delivered, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) } satisfies Counted);
  process.exit(0);
}

function maskedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}

/** Starts the clients and measures this process while they count. */
async function measure(target: Target): Promise<Counted & { cpu: number; rssMb: number }> {
  const child = fork(import.meta.filename, ["clients", JSON.stringify(target)]);
  const counting = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<Counted>();
  child.on("message", (message: Partial<Counted> & { isCounting?: boolean }) => {
    if (message.isCounting) counting.resolve();
    if (message.delivered !== undefined) counted.resolve(message as Counted);
  });
  await counting.promise;
  const cpu = await cpuDuring(() => counted.promise);
  return { ...(await counted.promise), cpu, rssMb: process.memoryUsage.rss() / 2 ** 20 };
}

function reportFanOut(figures: Awaited<ReturnType<typeof measure>>, clients: number, aloneCpu: number): void {
  const { delivered, cpu, p50Ms, p99Ms, rssMb } = figures;
  const cpuUs = cpu / delivered;
  const fanOutUs = (cpu - (aloneCpu * SECONDS) / ALONE_SECONDS) / delivered;
  const share = delivered / (PER_SECOND * SECONDS * clients);
  report({ cpuUs, fanOutUs, p50Ms, p99Ms, rssMb, share, perSecond: delivered / SECONDS });
}

function requestHead(port: number, target: string, more: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more, "", ""].join("\r\n");
}

async function bare(clients: number): Promise<void> {
  const responses = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    responses.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  let waiting: string[] = [];
  produce((seq) => {
    const event = { seq, epoch: 1, id: randomBytes(13).toString("hex"), ts: Date.now(), type: "status", text: FILLER };
    waiting.push(`id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  });
  setInterval(() => {
    const buffer = Buffer.from(waiting.join(""));
    waiting = [];
    for (const response of responses) response.write(buffer);
  }, BARE_FLUSH_MS);
  const aloneCpu = await cpuDuring(() => pause(ALONE_SECONDS));
  reportFanOut(await measure({ port, head: requestHead(port, "/", []), frames: [], clients }), clients, aloneCpu);
}

async function ours(carrier: "sse" | "ws", clients: number): Promise<void> {
  const { createHost, startServer } = await rooms();
  const directory = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  const member = { name: "metronome", kind: "embedded" } as const;
  const host = await createHost({
    dataDir: path.join(directory, "data"),
    version: "0.0.0-bench",
    agentFactory: () => {
      let up: Parameters<ReturnType<Parameters<typeof createHost>[0]["agentFactory"]>["start"]>[0] = () => {};
      return {
        capabilities: {
          steer: false,
          keepsContext: false,
          tools: false,
          requests: false,
          images: false,
          switchModel: false,
        },
        start: async (to) => void (up = to),
        send: () => void produce((at) => up({ type: "status", state: "working", detail: `${at} ${FILLER}` })),
        interrupt() {},
        answer() {},
        close: async () => {},
      };
    },
  });
  const settings = {
    mode: "broadcast" as const,
    auto_rounds: 1,
    timeout: 3600,
    request_timeout: 3600,
    order: [member.name],
    limits: { turns: 100, minutes: 1000, tokens: 1e9, usd: 1000 },
    writable: false,
    preamble: "Tick.",
  };
  const defaults = { cwd: directory, settings, members: [member] };
  const { url, token } = await startServer({ host, pageFiles: [], defaults, port: 0 });
  const post = async (target: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${target}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { sessionId: string };
  };
  const { sessionId } = await post("/v1/sessions", {});
  const said = { type: "send", commandId: "c", text: "begin", clientMessageId: "m" };
  await post(`/v1/sessions/${sessionId}/commands`, said);
  const aloneCpu = await cpuDuring(() => pause(ALONE_SECONDS));
  const port = Number(new URL(url).port);
  const authorization = `Authorization: Bearer ${token}`;
  // This is about the live end: a client begins at the head, as one does that has just read a snapshot.
  const [session] = await host.listSessions();
  const seq = session?.seq ?? 0;
  const cursor = { epoch: 1, seq };
  const hello = JSON.stringify({ frame: "hello", protocol: 1, clientId: "bench" });
  const subscribe = JSON.stringify({ frame: "subscribe", id: "s", sessionId, cursor });
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  const target =
    carrier === "sse"
      ? { head: requestHead(port, `/v1/sessions/${sessionId}/events?after=${seq}`, [authorization]), frames: [] }
      : { head: requestHead(port, "/v1/ws", [authorization, ...upgrade, key]), frames: [hello, subscribe] };
  reportFanOut(await measure({ port, clients, ...target }), clients, aloneCpu);
  rmSync(directory, { recursive: true });
}

const [variant = "sse", argument = "50"] = process.argv.slice(2);
if (variant === "clients") await runClients(JSON.parse(argument) as Target);
else {
  await (variant === "bare" ? bare(Number(argument)) : ours(variant === "ws" ? "ws" : "sse", Number(argument)));
  process.exit(0);
}
