/**
 * Stores 250-byte events in PostgreSQL with fsync, in batches of 20 on eight connections: a bare loop of inserts and the
 * store, in turns of half a second on the same server, so that both meet the same noise.
 */
import { Client } from "pg";
import { newId } from "../../src/kit/ids.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { startCluster } from "../../test/team/postgres-cluster.ts";
import { percentile, report, rooms } from "./product.ts";

const CONNECTIONS = 8;
const BATCH = 20;
const SLICE_MS = 500;
const SLICES = 10;

/** Stores the next batch of one session. */
type Ship = (events: readonly SessionEvent[]) => Promise<unknown>;

const INSERT = `insert into bare (session, seq, epoch, body)
  select $1, $2::bigint + line.number, 1, line.body from string_to_table($3, E'\\n') with ordinality as line (body, number)`;

async function openBare(url: string): Promise<() => Promise<Ship>> {
  const admin = new Client(url);
  await admin.connect();
  await admin.query(
    "create table bare (session text, seq bigint, epoch bigint, body text, primary key (session, seq))",
  );
  await admin.end();
  return async () => {
    const client = new Client(url);
    await client.connect();
    // The server ends before it does.
    client.on("error", () => {});
    return (events) => {
      const lines = events.map((event) => JSON.stringify(event)).join("\n");
      const values = [events[0]?.sessionId, (events[0]?.seq ?? 1) - 1, lines];
      return client.query({ name: "insert", text: INSERT, values });
    };
  };
}

async function openOurs(url: string): Promise<() => Promise<Ship>> {
  const { openPostgresStore } = await rooms();
  const store = await openPostgresStore({ url });
  return async () => (events) => {
    const sessionId = events[0]?.sessionId ?? "";
    return store.ingest({ sessionId, runnerId: "bench", epoch: 1 }, events);
  };
}

function nextBatch(sessionId: string, after: number): SessionEvent[] {
  return Array.from({ length: BATCH }, (_, at) => {
    const turn = { turnId: "t", member: "scout", segmentId: "s", text: "x".repeat(90) };
    return { seq: after + at + 1, epoch: 1, id: newId(), ts: Date.now(), sessionId, type: "text_delta", ...turn };
  });
}

interface Shipper {
  readonly ships: readonly Ship[];
  readonly heads: Map<Ship, number>;
  readonly sessionIds: Map<Ship, string>;
  readonly rates: number[];
}

async function openShipper(open: () => Promise<Ship>): Promise<Shipper> {
  const ships = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  return { ships, heads: new Map(), sessionIds: new Map(ships.map((ship) => [ship, newId()])), rates: [] };
}

async function runSlice({ ships, heads, sessionIds, rates }: Shipper): Promise<void> {
  const startedMs = performance.now();
  let stored = 0;
  const run = async (ship: Ship): Promise<void> => {
    for (let seq = heads.get(ship) ?? 0; performance.now() < startedMs + SLICE_MS; seq += BATCH) {
      await ship(nextBatch(sessionIds.get(ship) ?? "", seq));
      heads.set(ship, seq + BATCH);
      stored += BATCH;
    }
  };
  await Promise.all(ships.map(run));
  rates.push((stored * 1_000) / (performance.now() - startedMs));
}

const cluster = await startCluster([]);
if (cluster === undefined) throw new Error("there is no PostgreSQL 15 or newer");
const bare = await openShipper(await openBare(await cluster.createDatabase()));
const ours = await openShipper(await openOurs(await cluster.createDatabase()));
for (let slice = 0; slice < SLICES; slice += 1) {
  await runSlice(bare);
  await runSlice(ours);
}
const medianOf = (rates: readonly number[]) =>
  percentile(
    rates.toSorted((a, b) => a - b),
    0.5,
  );
report({ barePerSecond: medianOf(bare.rates), oursPerSecond: medianOf(ours.rates) });
await cluster.stop();
process.exit();
