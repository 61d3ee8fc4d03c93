/** Stores 250-byte events in PostgreSQL with fsync, in batches of 20 on eight connections: `bare` a loop of inserts, or `ours`. */
import { Client } from "pg";
import { newId } from "../../src/kit/ids.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { startCluster } from "../../test/team/postgres-cluster.ts";
import { report, rooms } from "./product.ts";

const CONNECTIONS = 8;
const BATCH = 20;
const SECONDS = 4;

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

const cluster = await startCluster([]);
if (cluster === undefined) throw new Error("there is no PostgreSQL 15 or newer");
const open = await (process.argv[2] === "bare" ? openBare : openOurs)(await cluster.createDatabase());
const untilMs = performance.now() + SECONDS * 1_000;
let stored = 0;
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const ship = await open();
    const sessionId = newId();
    for (let seq = 0; performance.now() < untilMs; seq += BATCH) {
      await ship(nextBatch(sessionId, seq));
      stored += BATCH;
    }
  }),
);
report({ eventsPerSecond: stored / SECONDS });
await cluster.stop();
process.exit();
