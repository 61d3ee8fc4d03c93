/**
 * A team whose parts are killed and whose connections are cut at random, while somebody writes to a session: nothing that
 * was acknowledged is lost or happens twice, and in the end viewers see what the runner has on disk.
 */
import { mkdtempSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { connectWebSocket, createClient, createLastingClient, readTranscript } from "../../src/client/index.ts";
import type { LastingClient } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { openLogReader } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import type { SessionDefaults } from "../../src/server/index.ts";
import { openServerDevice } from "../../src/team/index.ts";
import { createHome, onlyScout } from "../cli/program.ts";
import { createRandom } from "../log/seeded-random.ts";
import { patient } from "../patience.ts";
import { startCluster } from "./postgres-cluster.ts";
import { startRelay } from "./relay.ts";
import { createCertificate, freePort, startNodeProgram, startRunnerProgram, type Program } from "./team-program.ts";

export interface KillPlan {
  readonly kills: number;
  readonly cuts: number;
  readonly seed: number;
}

const START = { epoch: 0, seq: 0 };
/** Between two faults, so that some work is done. */
const CALM_MS = 400;

/** Resolves with how much was written and compared meanwhile. */
export async function killAtRandom({ kills, cuts, seed }: KillPlan): Promise<{ messages: number; events: number }> {
  const random = createRandom(seed);
  const team = await startTeam();
  const { sessionId, connect } = team;
  const over = new AbortController();
  const client = await createLastingClient(connect);
  const { accepted, sent, isDone } = writeOn(client, sessionId, over.signal);
  try {
    for (let kill = 0, cut = 0; kill < kills; kill += 1) {
      for (; cut < (cuts * (kill + 1)) / kills; cut += 1) {
        team.cut(Math.floor(random() * 2) as 0 | 1);
        await sleep(CALM_MS * random());
      }
      await team.faults[Math.floor(random() * team.faults.length)]?.();
      await sleep(CALM_MS);
    }
    over.abort();
    await isDone;
    client.close();
    const events = await compareAll({ connect, sessionId, dataDir: team.dataDir, accepted, sent });
    return { messages: accepted.length, events };
  } finally {
    over.abort();
    client.close();
    await team.stop();
  }
}

function writeOn(client: LastingClient, sessionId: string, signal: AbortSignal) {
  const accepted: string[] = [];
  const sent: string[] = [];
  const write = async (): Promise<void> => {
    while (!signal.aborted) {
      const clientMessageId = newId();
      sent.push(clientMessageId);
      const text = `message ${sent.length}`;
      // A refusal is an answer; what was refused may be tried again by whoever sent it.
      const send = client.command(sessionId, { type: "send", text, clientMessageId }, { signal });
      const ack = await send.catch(() => undefined);
      if (ack?.ok === true) accepted.push(clientMessageId);
      await sleep(CALM_MS / 4);
    }
  };
  return { accepted, sent, isDone: write() };
}

async function startTeam() {
  const cluster = await startCluster([]);
  if (cluster === undefined) throw new Error("there is no PostgreSQL 15 or newer");
  const certificate = createCertificate();
  const relay = await startRelay();
  const ports = [await freePort(), await freePort()] as const;
  const url = `https://localhost:${relay.port}`;
  const plan = { database: await cluster.createDatabase(), certificate, url };
  const nodes: [Program, Program] = [
    await startNodeProgram({ ...plan, port: ports[0] }),
    await startNodeProgram({ ...plan, port: ports[1] }),
  ];
  relay.target = ports[0];
  const link = await nodes[0].prints(/https:\/\/localhost:\d+\/#code=[\w-]+/);
  const device = await openServerDevice(link, { dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "test" });
  const home = createHome();
  home.configure(onlyScout);
  const { code } = await device.ask<{ code: string }>("/v1/codes", {});
  let runner = await startRunnerProgram({ home, name: "box", certificate, link: `${url}/#code=${code}` });
  const connect = async () => connectWebSocket(device.origin, await device.token());
  const killNode = async (at: 0 | 1): Promise<void> => {
    await nodes[at].stop("SIGKILL");
    relay.target = ports[at === 0 ? 1 : 0];
    relay.cut(ports[at]);
    nodes[at] = await startNodeProgram({ ...plan, port: ports[at] });
  };
  const killRunner = async (): Promise<void> => {
    await runner.stop("SIGKILL");
    runner = await startRunnerProgram({ home, name: "box", certificate, link: url });
  };
  return {
    connect,
    sessionId: await createOn(connect, await device.ask<SessionDefaults>("/v1/defaults?cwd=box")),
    dataDir: home.dataDir,
    /** All connections end; new ones lead to this node. */
    cut(to: 0 | 1) {
      relay.target = ports[to];
      relay.cut();
    },
    faults: [() => killNode(0), () => killNode(1), killRunner, () => cluster.kill().then(() => cluster.start())],
    async stop() {
      await runner.stop();
      await Promise.all(nodes.map((node) => node.stop()));
      await relay.close();
      await cluster.stop();
    },
  };
}

async function createOn(connect: Comparison["connect"], target: SessionDefaults): Promise<string> {
  const { cwd, settings, members } = target;
  const client = await createClient(connect);
  const { sessionId } = await client.create({ cwd, settings, members: [...members], title: "killed" });
  client.close();
  return sessionId;
}

interface Comparison {
  readonly connect: () => ReturnType<typeof connectWebSocket>;
  readonly sessionId: string;
  readonly dataDir: string;
  readonly accepted: readonly string[];
  readonly sent: readonly string[];
}

async function compareAll({ connect, sessionId, dataDir, accepted, sent }: Comparison): Promise<number> {
  const readLog = async (): Promise<SessionEvent[]> => {
    const log = await openLogReader({ dataDir, sessionId });
    const written: SessionEvent[] = [];
    for await (const events of log.read(0)) written.push(...events);
    await log.close();
    return written;
  };
  const readServer = async (): Promise<SessionEvent[]> => {
    const viewer = await createClient(connect);
    try {
      const seen: SessionEvent[] = [];
      const { head } = await viewer.subscribe(sessionId, START, (events) => void seen.push(...events));
      await expect.poll(() => seen.length).toBe(head.seq);
      return seen;
    } finally {
      viewer.close();
    }
  };
  const isQuiet = async (): Promise<boolean> => {
    const viewer = await createClient(connect);
    try {
      const { head } = await readTranscript(viewer, sessionId);
      return Object.keys(head.openTurns).length === 0 && head.queue.length === 0;
    } finally {
      viewer.close();
    }
  };
  const timeout = patient(120_000);
  // The copy may be quiet while it is behind the log, so both are asked at the same length.
  const isOver = async (): Promise<boolean> => {
    const { length } = await readLog();
    return (await isQuiet()) && (await readServer()).length === length && (await readLog()).length === length;
  };
  await expect.poll(() => isOver().catch(() => false), { timeout, interval: 500 }).toBe(true);
  const written = await readLog();
  expect(await readServer()).toEqual(written);
  const messages = written.filter(({ type }) => type === "user_message");
  const ids = messages.map((event) => ("clientMessageId" in event ? event.clientMessageId : undefined));
  expect(ids).toEqual([...new Set(ids)]);
  expect(accepted.filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => !sent.includes(String(id)))).toEqual([]);
  expect(accepted.length).toBeGreaterThan(0);
  return written.length;
}
