/**
 * Cost of the team's store as it grows: `node bench/team/scale.ts [EVENTS] [SESSIONS] [LISTED]`, by default a session of
 * 1,000,000 events, 1,000 sessions, and lists and searches over 5,000 sessions of 200 people on a node. PostgreSQL with
 * fsync; prints tables and then all figures as a line of JSON, and writes a plot of them to docs/team-cost.svg, or to the
 * directory SCALE_OUT.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { newId } from "../../src/kit/ids.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { openPostgresStore, openServerDevice } from "../../src/team/index.ts";
import { administer, startCluster } from "../../test/team/postgres-cluster.ts";
import { shipped } from "../../test/team/events.ts";
import { plotCost, type CostPoint } from "./plot-cost.ts";
import { createCertificate, freePort, startNodeProgram } from "../../test/team/team-program.ts";

const [events = 1_000_000, sessions = 1_000, listed = 5_000] = process.argv.slice(2).map(Number);
const PEOPLE = 200;
const BATCH = 100;
const WINDOW = 1_000;
const write = (line: string): boolean => process.stdout.write(`${line}\n`);

const cluster = await startCluster([]);
if (cluster === undefined) throw new Error("there is no PostgreSQL 15 or newer");
const url = await cluster.createDatabase();
const store = await openPostgresStore({ url });

/** Events of a turn, as they are most of a log. */
function deltas(sessionId: string, from: number, count: number): SessionEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const turn = { turnId: "t", member: "scout", segmentId: "s", text: "x".repeat(90) };
    return { seq: from + at, epoch: 1, id: newId(), ts: Date.now(), sessionId, type: "text_delta", ...turn };
  });
}

async function ingest(sessionId: string, from: number, count: number): Promise<void> {
  await store.ingest({ sessionId, runnerId: "bench", epoch: 1 }, deltas(sessionId, from, count));
}

/** Microseconds of an event at the end of a session of this length, stored and read back. */
async function costAt(sessionId: string, length: number): Promise<{ store: number; read: number }> {
  const startedMs = performance.now();
  for (let seq = length; seq < length + WINDOW; seq += BATCH) await ingest(sessionId, seq + 1, BATCH);
  const storedMs = performance.now();
  let read = 0;
  for await (const batch of store.read(sessionId, { epoch: 1, seq: length })) read += batch.length;
  if (read !== WINDOW) throw new Error(`read ${read} events instead of ${WINDOW}`);
  const perEvent = (ms: number) => Math.round((ms * 1_000) / WINDOW);
  return { store: perEvent(storedMs - startedMs), read: perEvent(performance.now() - storedMs) };
}

const costs: CostPoint[] = [];
write("| events of the session | store one | read one |\n|---|---|---|");
const long = newId();
await ingest(long, 1, BATCH);
for (let length = BATCH, next = 1_000; length < events;) {
  for (; length < next; length += BATCH) await ingest(long, length + 1, BATCH);
  const cost = await costAt(long, length);
  length += WINDOW;
  costs.push({ events: next, ...cost });
  write(`| ${next.toLocaleString("en")} | ${cost.store} µs | ${cost.read} µs |`);
  next *= 10;
}

const DISK = `select sum(pg_total_relation_size(inhrelid)) / (select count(*) from roundtable.event) as bytes
  from pg_inherits where inhparent = 'roundtable.event'::regclass`;
const bytes = Math.round(Number((await administer(url, DISK))[0]?.["bytes"]));
write(`\nOn disk an event of ${JSON.stringify(deltas(long, 1, 1)[0]).length} bytes takes ${bytes}, with its index.`);

const sessionCosts: { sessions: number; store: number }[] = [];
write("\n| sessions at once | store one event |\n|---|---|");
for (let count = 10; count <= sessions; count *= 10) {
  const ids = Array.from({ length: count }, newId);
  for (const id of ids) await ingest(id, 1, 1);
  const rounds = Math.max(1, Math.floor(2_000 / count));
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round += 1)
    for (let at = 0; at < ids.length; at += 8)
      await Promise.all(ids.slice(at, at + 8).map((id) => ingest(id, 2 + round * 20, 20)));
  const micros = ((performance.now() - startedMs) * 1_000) / (rounds * ids.length * 20);
  sessionCosts.push({ sessions: count, store: Math.round(micros) });
  write(`| ${count.toLocaleString("en")} | ${Math.round(micros)} µs |`);
}

const batchCosts: { batch: number; store: number; cpu: number }[] = [];
write("\n| events of a batch | store one event, eight batches at a time | CPU of the node in it |\n|---|---|---|");
for (const batch of [1, 3, 20]) {
  const ids = Array.from({ length: 40 }, newId);
  for (const id of ids) await ingest(id, 1, batch);
  const rounds = Math.round(100 / batch);
  const startedMs = performance.now();
  const before = process.cpuUsage();
  for (let round = 1; round <= rounds; round += 1)
    for (let at = 0; at < ids.length; at += 8)
      await Promise.all(ids.slice(at, at + 8).map((id) => ingest(id, 1 + round * batch, batch)));
  const { user, system } = process.cpuUsage(before);
  const stored = rounds * ids.length * batch;
  const cost = { store: ((performance.now() - startedMs) * 1_000) / stored, cpu: (user + system) / stored };
  batchCosts.push({ batch, store: Math.round(cost.store), cpu: Math.round(cost.cpu) });
  write(`| ${batch} | ${cost.store.toFixed(0)} µs | ${cost.cpu.toFixed(0)} µs |`);
}

const certificate = createCertificate();
const port = await freePort();
const origin = `https://localhost:${port}`;
const listUrl = await cluster.createDatabase();
const lists = await openPostgresStore({ url: listUrl });
const statements = Array.from({ length: PEOPLE }, (_, at) => [
  `insert into roundtable.person (id, name) values ('p${at}', 'person-${at}')`,
  `insert into roundtable.runner (id, person, name) values ('r${at}', 'p${at}', 'box')`,
  `insert into roundtable.access (id, role, runner, folder) values ('a${at}', 'viewer', 'r${at}', '/')`,
]);
await administer(listUrl, [...statements.flat(), "update roundtable.revision set number = number + 1"].join(";"));
for (let at = 0; at < listed; at += 1) {
  const sessionId = newId();
  const text = at % 100 === 0 ? "needle in the parser" : "message about nothing";
  await lists.ingest({ sessionId, runnerId: `r${at % PEOPLE}`, epoch: 1 }, shipped(sessionId, 1, 10, 1, text));
}
for (;;) {
  const { sessionsLeft } = await lists.search({ words: "needle" });
  if (sessionsLeft === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 500));
}
const node = await startNodeProgram({ database: listUrl, certificate, url: origin, port });
// Everybody is there already: a code of the first administrator.
await administer(listUrl, "update roundtable.person set is_admin = true where id = 'p0'");
const { createHash } = await import("node:crypto");
const hash = createHash("sha256").update("BENCHBENCHBENCH").digest("hex");
await administer(
  listUrl,
  `insert into roundtable.code (hash, person, scope, expires) values ('${hash}', 'p0', 'manage', now() + interval '1 hour')`,
);
const dataDir = mkdtempSync(path.join(tmpdir(), "bench-"));
const device = await openServerDevice(`${origin}/#code=BENCHBENCHBENCH`, { dataDir, name: "bench" });
const token = await device.token();
async function timesOf(at: string, isRight: (body: string) => boolean): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 20; run += 1) {
    const startedMs = performance.now();
    const answer = await fetch(`${origin}${at}`, { headers: { authorization: `Bearer ${token}` } });
    const body = await answer.text();
    times.push(performance.now() - startedMs);
    if (!isRight(body)) throw new Error(`${at} answered ${answer.status}: ${body.slice(0, 200)}`);
  }
  return times.toSorted((a, b) => a - b)[10] ?? Number.NaN;
}
const list = await timesOf("/v1/sessions", (body) => (JSON.parse(body) as unknown[]).length === listed);
const search = await timesOf("/v1/search?q=needle", (body) => body.includes("needle"));
write(
  `\n${listed.toLocaleString("en")} sessions of ${PEOPLE} people: list ${list.toFixed(0)} ms, search ${search.toFixed(0)} ms (median of 20).`,
);
const figures = {
  costs,
  bytes,
  sessionCosts,
  batchCosts,
  listed,
  listMs: Math.round(list),
  searchMs: Math.round(search),
};
write(JSON.stringify(figures));
writeFileSync(path.join(process.env["SCALE_OUT"] ?? "docs", "team-cost.svg"), plotCost(costs));
await node.stop();
await lists.close();
await store.close();
await cluster.stop();
process.exit();
