/**
 * A team at work: `node bench/team/stream.ts [RUNNERS] [MEMBERS] [VIEWERS] [WORDS]`, by default 10 runners with 3 members
 * each, 100 viewers and 500 words of every member, a hundred a second. Runners are connected to the first of two nodes,
 * viewers to the second. Prints how long an event took from the runner's log to a viewer, beside a bare WebSocket relay
 * with as many messages in the same process layout, and checks that every viewer got every event once; the last line is
 * all of it as JSON.
 */
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import { WebSocketServer, type WebSocket as Socket } from "ws";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import type { SessionDefaults } from "../../src/server/index.ts";
import { openServerDevice, type ServerDevice } from "../../src/team/index.ts";
import { createHome, type Home } from "../../test/cli/program.ts";
import { startCluster } from "../../test/team/postgres-cluster.ts";
import { createCertificate, freePort, startNodeProgram, startRunnerProgram } from "../../test/team/team-program.ts";

const [runners = 10, members = 3, viewers = 100, words = 500] = process.argv.slice(2).map(Number);
const START = { epoch: 0, seq: 0 };
const WORD_MS = 10;
const agent = fileURLToPath(new URL("../programs/steady-agent.mjs", import.meta.url));
const write = (line: string): boolean => process.stdout.write(`${line}\n`);

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
}

function latencyOf(times: number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), count: sorted.length };
}

const describeLatency = ({ p50, p99, count }: Latency): string => `p50 ${p50} ms, p99 ${p99} ms, of ${count}`;

/** A server that passes every message of a sender on to the receivers of its number, and senders in a thread. */
async function bareRelay(): Promise<number[]> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  const receivers = new Map<string, Set<Socket>>();
  sockets.on("connection", (socket, { url = "" }) => {
    const [, kind, number = ""] = url.split("/");
    const all = receivers.get(number) ?? new Set();
    receivers.set(number, all);
    if (kind === "receive") all.add(socket);
    else socket.on("message", (data) => all.forEach((one) => one.send(data, { binary: false })));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const times: number[] = [];
  const followers = Array.from({ length: viewers }, (_, at) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/receive/${at % runners}`);
    socket.addEventListener("message", ({ data }) =>
      times.push(Date.now() - (JSON.parse(String(data)) as { ts: number }).ts),
    );
    return new Promise<WebSocket>((resolve) => socket.addEventListener("open", () => resolve(socket)));
  });
  const open = await Promise.all(followers);
  const source = `
    const { workerData: { port, runners, members, words, wordMs } } = require("node:worker_threads");
    const text = "x".repeat(200);
    const senders = Array.from({ length: runners * members }, (_, at) => new WebSocket(\`ws://127.0.0.1:\${port}/send/\${at % runners}\`));
    Promise.all(senders.map((one) => new Promise((resolve) => one.addEventListener("open", resolve)))).then(() => {
      let sent = 0;
      const timer = setInterval(() => {
        for (const one of senders) one.send(JSON.stringify({ ts: Date.now(), text }));
        if (++sent < words) return;
        clearInterval(timer);
        setTimeout(() => senders.forEach((one) => one.close()), 1000);
      }, wordMs);
    });`;
  const worker = new Worker(source, { eval: true, workerData: { port, runners, members, words, wordMs: WORD_MS } });
  await new Promise((resolve) => worker.once("exit", resolve));
  for (const socket of open) socket.close();
  sockets.close();
  server.closeAllConnections();
  return times;
}

const cluster = await startCluster([]);
if (cluster === undefined) throw new Error("there is no PostgreSQL 15 or newer");
const bare = latencyOf(await bareRelay());
write(`bare relay: ${describeLatency(bare)}`);

const certificate = createCertificate();
const ports = [await freePort(), await freePort()] as const;
const [ofRunners, ofViewers] = [`https://localhost:${ports[0]}`, `https://localhost:${ports[1]}`];
const database = await cluster.createDatabase();
const start = async (port: number) =>
  await startNodeProgram({ database, certificate, url: `https://localhost:${port}`, port });
const nodes = await Promise.all(ports.map(start));
const first = await Promise.any(nodes.map((node) => node.prints(/#code=[\w-]+/)));
const dataDir = mkdtempSync(path.join(tmpdir(), "bench-"));
const device = await openServerDevice(`${ofViewers}/${first}`, { dataDir, name: "bench" });

const homes: Home[] = [];
const programs = [];
for (let at = 0; at < runners; at += 1) {
  const home = createHome();
  const names = Array.from({ length: members }, (_, number) => `m${number}`);
  const spec = { kind: "acp", command: [process.execPath, agent] };
  home.configure({ agents: Object.fromEntries(names.map((name) => [name, spec])), council: { members: names } });
  const { code } = await device.ask<{ code: string }>("/v1/codes", {});
  programs.push(await startRunnerProgram({ link: `${ofRunners}/#code=${code}`, home, name: `box-${at}`, certificate }));
  homes.push(home);
}

interface Viewer {
  readonly client: Client;
  readonly seqs: number[];
  readonly events: SessionEvent[];
}

const owner = await createClient(async () => connectWebSocket(device.origin, await device.token()));
const sessionIds: string[] = [];
for (let at = 0; at < runners; at += 1) {
  const target = await device.ask<SessionDefaults>(`/v1/defaults?cwd=box-${at}`);
  const settings = { ...target.settings, writable: true };
  const { sessionId } = await owner.create({ ...target, settings, members: [...target.members], title: `run ${at}` });
  sessionIds.push(sessionId);
}
const times: number[] = [];
const all = await Promise.all(
  Array.from({ length: viewers }, async (_, at): Promise<Viewer> => {
    const viewer: Viewer = { client: await openViewer(device), seqs: [], events: [] };
    await viewer.client.subscribe(sessionIds[at % runners] ?? "", START, (events) => {
      const nowTs = Date.now();
      for (const event of events) {
        viewer.seqs.push(event.seq);
        if (at < runners) viewer.events.push(event);
        if (event.type === "text_delta") times.push(nowTs - event.ts);
      }
    });
    return viewer;
  }),
);
const startedMs = performance.now();
await Promise.all(
  sessionIds.map(async (sessionId) => {
    const send = { type: "send", text: `say ${words} w`, clientMessageId: newId() } as const;
    const ack = await owner.command(sessionId, send);
    if (!ack.ok) throw new Error(ack.error.message);
  }),
);
const isDone = (): boolean =>
  all.slice(0, runners).every(({ events }) => {
    const count = (wanted: SessionEvent["type"]) => events.filter(({ type }) => type === wanted).length;
    return count("turn_end") >= members && count("turn_end") === count("turn_start");
  });
/** What the first viewer of each session has seen. */
const describe = (): string =>
  all
    .slice(0, runners)
    .map(({ events }) =>
      events
        .slice(-4)
        .map(({ seq, type }) => `${seq} ${type}`)
        .join(", "),
    )
    .join("; ");
while (!isDone()) {
  if (performance.now() - startedMs > words * WORD_MS + 60_000) throw new Error(`it does not end: ${describe()}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
await new Promise((resolve) => setTimeout(resolve, 3_000));
const team = latencyOf(times);
write(`two nodes:  ${describeLatency(team)}`);

let lost = 0;
let doubled = 0;
let different = 0;
for (const [at, home] of homes.entries()) {
  const sessionId = sessionIds[at] ?? "";
  const log = await openLogReader({ dataDir: home.dataDir, sessionId });
  const written: SessionEvent[] = [];
  for await (const events of log.read(0)) written.push(...events);
  await log.close();
  const mine = all.filter((_, viewer) => viewer % runners === at);
  for (const { seqs } of mine) {
    lost += written.length - new Set(seqs).size;
    doubled += seqs.length - new Set(seqs).size;
  }
  if (!isDeepStrictEqual(mine[0]?.events, written)) different += 1;
}
const seconds = (performance.now() - startedMs) / 1_000;
const count = all.reduce((sum, { seqs }) => sum + seqs.length, 0);
write(
  `${runners} runners × ${members} members, ${viewers} viewers: ${count} events seen in ${seconds.toFixed(0)} s, ${lost} lost, ${doubled} doubled, ${different} logs different`,
);
const added = { p50: team.p50 - bare.p50, p99: team.p99 - bare.p99 };
write(JSON.stringify({ runners, members, viewers, words, bare, team, added, events: count, lost, doubled, different }));
owner.close();
for (const { client } of all) client.close();
await Promise.all(programs.map((program) => program.stop()));
await Promise.all(nodes.map((node) => node.stop()));
await cluster.stop();
process.exit(lost + doubled + different === 0 ? 0 : 1);

async function openViewer(of: ServerDevice): Promise<Client> {
  return await createClient(async () => connectWebSocket(of.origin, await of.token()));
}
