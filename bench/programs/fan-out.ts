/**
 * One session to many clients, at 5,000 events a second. The server runs here, the clients in a process of their own.
 *
 * `bare|sse|ws`: `cpuUs` is this process's time for each delivered event, `fanOutUs` leaves out what making and
 * storing the events costs, measured before the clients come. Bare is a node:http loop that makes the same events by
 * itself, stores nothing, and writes one shared buffer every 8 ms.
 * `unread`: twenty clients that never read, beside two that do. `stalled-sse|stalled-ws`: one that stops reading while
 * 200 MB of events go by, beside two that read; `alone` and `unstalled`: the same without them. Memory is compared with the
 * same stream before they came.
 */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import path from "node:path";
import type { Counted, Order, Target } from "./fan-out-clients.ts";
import { openTable, requestHead, type Carrier } from "./fan-out-table.ts";
import { report } from "./product.ts";

const PER_SECOND = 5_000;
const CLIENTS = [50, 500];
const ALONE_SECONDS = 0.8;
const SETTLE_SECONDS = 0.4;
const SECONDS = 1.2;
/** Long enough to see slow growth. */
const UNREAD_SECONDS = 10;
/** A machine that cannot keep up gets fewer events instead of ever longer ticks; `share` shows it. */
const PER_TICK_MAX = 50;
const BARE_FLUSH_MS = 8;
const DETAIL_BYTES = 90;
const STALLED_DETAIL_BYTES = 8_000;
const STALLED_BYTES = 200 * 2 ** 20;
const MEMORY_EVERY_MS = 50;

interface Stream {
  /** Number of events so far. */
  readonly made: number;
  start(): void;
  stop(): void;
}

/** Calls back for every due event, five thousand a second. */
function createStream(emit: (at: number) => void): Stream {
  let made = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    get made() {
      return made;
    },
    start() {
      const startedMs = performance.now();
      const before = made;
      timer = setInterval(() => {
        const due = before + Math.floor(((performance.now() - startedMs) / 1000) * PER_SECOND);
        for (let count = 0; made < due && count < PER_TICK_MAX; count++) emit((made += 1));
      }, 1);
    },
    stop: () => clearInterval(timer),
  };
}

async function pause(seconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** CPU in microseconds and peak memory in MB during the work. */
async function watch(work: () => Promise<unknown>): Promise<{ cpu: number; rssMb: number }> {
  let most = process.memoryUsage.rss();
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), MEMORY_EVERY_MS);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  clearInterval(timer);
  return { cpu: user + system, rssMb: most / 2 ** 20 };
}

function startClients(): { ask: (order: Order) => Promise<Partial<Counted>>; end: () => void } {
  const child = fork(path.join(import.meta.dirname, "fan-out-clients.ts"));
  const ask = (order: Order) =>
    new Promise<Partial<Counted>>((resolve) => {
      child.once("message", (answer) => resolve(answer as Partial<Counted>));
      child.send(order);
    });
  return { ask, end: () => child.kill("SIGKILL") };
}

/** To 50 clients, then to 500: figures end in "At50" and "At500". */
async function fanOut(stream: Stream, target: () => Promise<Target>): Promise<void> {
  stream.start();
  await pause(SETTLE_SECONDS);
  const alone = await watch(() => pause(ALONE_SECONDS));
  stream.stop();
  const { ask, end } = startClients();
  const figures: Record<string, number> = {};
  let opened = 0;
  for (const clients of CLIENTS) {
    await pause(SETTLE_SECONDS);
    await ask({ do: "open", target: await target(), count: clients - opened, reads: true });
    opened = clients;
    const { delivered = 0, faults = 0, p50Ms = 0, p99Ms = 0, cpu, rssMb, made } = await count(stream, SECONDS, ask);
    const cpuUs = cpu / delivered;
    const fanOutUs = (cpu - (alone.cpu * SECONDS) / ALONE_SECONDS) / delivered;
    const share = delivered / (made * clients);
    const perSecond = made / SECONDS;
    for (const [name, value] of Object.entries({ cpuUs, fanOutUs, share, perSecond, faults, p50Ms, p99Ms, rssMb }))
      figures[`${name}At${clients}`] = value;
  }
  end();
  report(figures);
}

async function count(stream: Stream, seconds: number, ask: (order: Order) => Promise<Partial<Counted>>) {
  stream.start();
  await pause(SETTLE_SECONDS);
  await ask({ do: "count" });
  const before = stream.made;
  let counted: Partial<Counted> = {};
  const watched = await watch(async () => {
    await pause(seconds);
    counted = await ask({ do: "report" });
  });
  stream.stop();
  return { ...counted, ...watched, made: stream.made - before };
}

async function bare(): Promise<void> {
  const responses = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    responses.add(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const newId = () => randomBytes(13).toString("hex");
  const common = { sessionId: newId(), type: "status", turnId: newId(), member: "metronome", state: "working" };
  const filler = "x".repeat(DETAIL_BYTES);
  let waiting: string[] = [];
  const stream = createStream((seq) => {
    const event = { seq, epoch: 1, id: newId(), ts: Date.now(), ...common, detail: `${seq} ${filler}` };
    waiting.push(`id: 1.${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  });
  setInterval(() => {
    const buffer = Buffer.from(waiting.join(""));
    waiting = [];
    for (const response of responses) response.write(buffer);
  }, BARE_FLUSH_MS);
  await fanOut(stream, async () => ({ port, head: requestHead(port, "/", []), frames: [] }));
}

async function openStream(detailBytes: number) {
  const filler = "x".repeat(detailBytes);
  const begun = Promise.withResolvers<Stream>();
  const table = await openTable((up) => {
    begun.resolve(createStream((at) => up({ type: "status", state: "working", detail: `${at} ${filler}` })));
  });
  await table.say("begin");
  return { table, stream: await begun.promise };
}

async function ours(carrier: Carrier): Promise<void> {
  const { table, stream } = await openStream(DETAIL_BYTES);
  await fanOut(stream, () => table.target(carrier));
  table.remove();
}

const CARRIERS: readonly Carrier[] = ["sse", "ws"];

interface BesideOptions {
  readonly readers: number;
  readonly idle: number;
  /** Transport of the clients that do not read; by default half of them each. */
  readonly idleOver?: readonly Carrier[];
  readonly detailBytes: number;
  readonly seconds: number;
}

/** Memory with `readers` alone, then with clients that do not read. */
async function beside(options: BesideOptions) {
  const { readers, idle, idleOver = CARRIERS, detailBytes, seconds } = options;
  const { table, stream } = await openStream(detailBytes);
  const { ask, end } = startClients();
  const open = async (clients: number, carriers: readonly Carrier[], reads: boolean) => {
    await pause(SETTLE_SECONDS);
    for (const carrier of carriers)
      await ask({ do: "open", target: await table.target(carrier), count: clients / carriers.length, reads });
  };
  await open(readers, CARRIERS, true);
  // The same volume first: otherwise the normal growth of the heap would count as theirs.
  await count(stream, seconds, ask);
  const before = await count(stream, SECONDS, ask);
  if (idle > 0) await open(idle, idleOver, false);
  else await pause(2 * SETTLE_SECONDS);
  const filling = await count(stream, SECONDS, ask);
  const { delivered = 0, faults = 0, p99Ms = 0, rssMb, made } = await count(stream, seconds, ask);
  end();
  table.remove();
  const share = delivered / (made * readers);
  const perSecond = made / seconds;
  const grownMb = rssMb - before.rssMb;
  const laterMb = rssMb - filling.rssMb;
  report({ share, perSecond, faults, p99Ms, p99BeforeMs: before.p99Ms ?? 0, rssMb, grownMb, laterMb });
}

const [variant = "sse"] = process.argv.slice(2);
if (variant === "bare") await bare();
else if (variant === "unread")
  await beside({ readers: 2, idle: 20, detailBytes: DETAIL_BYTES, seconds: UNREAD_SECONDS });
else if (variant === "alone") await beside({ readers: 2, idle: 0, detailBytes: DETAIL_BYTES, seconds: UNREAD_SECONDS });
else if (variant.startsWith("stalled") || variant === "unstalled") {
  const seconds = STALLED_BYTES / STALLED_DETAIL_BYTES / PER_SECOND;
  const idle = variant === "unstalled" ? 0 : 1;
  const idleOver = [variant === "stalled-ws" ? "ws" : "sse"] as const;
  await beside({ readers: 2, idle, idleOver, detailBytes: STALLED_DETAIL_BYTES, seconds });
} else await ours(variant === "ws" ? "ws" : "sse");
process.exit(0);
