/**
 * Opens a session of a million events to its last screen: with its snapshot, without, and beside a bare reader that
 * only parses every line. `served` asks a server without a snapshot, twice. `prepare` creates the session.
 */
import { createReadStream, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectSocket, createClient } from "../../src/client/index.ts";
import { startServing } from "./start-serving.ts";
import { longSessionDrafts } from "./long-session.ts";
import { report, rooms } from "./product.ts";
import { saveSession } from "./saved-session.ts";
import { SESSION } from "./session-drafts.ts";

const EVENTS = 1_000_000;
const MESSAGES = 2_636;
const dataDir = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
const snapshots = path.join(dataDir, `logs/${SESSION}.snap`);
const putAside = `${snapshots}.aside`;

async function prepare(): Promise<void> {
  const deltasPerTurn = Math.round(EVENTS / ((MESSAGES * 3) / 4));
  report(await saveSession(dataDir, longSessionDrafts({ messages: MESSAGES, deltasPerTurn })));
}

async function bare(): Promise<number> {
  let lines = 0;
  let rest = "";
  for await (const chunk of createReadStream(path.join(dataDir, `logs/${SESSION}.jsonl`), {
    encoding: "utf8",
    highWaterMark: 1 << 20,
  })) {
    const parts = (rest + (chunk as string)).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (JSON.parse(part) as unknown) lines++;
  }
  return lines;
}

async function lastScreen(): Promise<number> {
  const { readTranscript } = await rooms();
  const transcript = await readTranscript(dataDir, SESSION);
  if ((transcript.live.at(-1)?.messages.length ?? 0) === 0) throw new Error("the last page is empty");
  return transcript.head.seq;
}

async function timed(open: () => Promise<number>): Promise<void> {
  const started = performance.now();
  const seq = await open();
  const ms = performance.now() - started;
  if (seq < EVENTS) throw new Error(`only ${seq} events were opened`);
  report({ ms, rssMb: process.resourceUsage().maxRSS / 1024 });
}

async function served(): Promise<void> {
  rmSync(snapshots, { recursive: true, force: true });
  const server = await startServing({ dataDir, home: dataDir, cwd: dataDir });
  const client = await createClient(() => connectSocket(server.socket));
  const startedMs = performance.now();
  const { seq } = await client.snapshot(SESSION);
  const firstMs = performance.now() - startedMs;
  if (seq < EVENTS) throw new Error(`only ${seq} events were opened`);
  // Written last.
  while (!existsSync(path.join(snapshots, "index.json"))) await sleep(10);
  const savedMs = performance.now() - startedMs;
  const againMs = performance.now();
  await client.snapshot(SESSION);
  report({ firstMs, savedMs, secondMs: performance.now() - againMs });
  client.close();
  await server.stop();
}

const mode = process.argv[2];
if (mode === "prepare") {
  await prepare();
} else if (mode === "bare") {
  await timed(bare);
} else if (mode === "served") {
  await served();
} else {
  const [from, to] = mode === "with" ? [putAside, snapshots] : [snapshots, putAside];
  if (existsSync(from)) renameSync(from, to);
  if (mode === "with" && readdirSync(snapshots).length === 0) throw new Error("there is no snapshot to open with");
  await timed(lastScreen);
}
