/**
 * Several lasting clients follow one streaming session through a chaos proxy until it has done all its faults, then all
 * of them are cut at once. Tells how long they took after that and how their views compare with the log on disk.
 */
import { connectSocket, createClient, createLastingClient, type CreateRequest } from "../../src/client/index.ts";
import { ECHO, SETTINGS } from "../host/scripted-agent.ts";
import { createRandom } from "../log/seeded-random.ts";
import { connectThrough, openProxy, type Carrier } from "./carriers.ts";
import type { ChaosProxy } from "./chaos-proxy.ts";
import { createFaults } from "./chaos-proxy.ts";
import { judgeView, readLog, View, type Judgement } from "./check-view.ts";
import type { ServedSession } from "./served-session.ts";
import { StreamReader } from "./stream-reader.ts";
import { patient } from "../patience.ts";

/** So that half-open connections are noticed while somebody waits for the test. */
export const SHORT_WAITS = { openMs: patient(1_000), quietMs: 100, answerMs: patient(400) };
/** Twenty clients at once on a busy machine: with less patience than this they give up good connections, and never arrive. */
const PATIENT_WAITS = { openMs: patient(5_000), quietMs: 100, answerMs: patient(1_500) };
/** As long as they get on at all; what waits for ever is ended by the limit of the test. */
const ARRIVE_MS = patient(60_000);
/** Retries come early in the range that their waits are drawn from. */
export const retryEarly = (random: () => number) => () => random() / 5;
const BEGINNING = { epoch: 0, seq: 0 };

export interface ChaosOptions {
  readonly served: ServedSession;
  readonly carrier: Carrier | "event-stream";
  readonly clients: number;
  readonly faults: number;
  readonly seed: number;
}

export interface ChaosRun {
  readonly faults: number;
  readonly events: number;
  /** From the last cut until every client had everything. */
  readonly caughtUpMs: number;
  readonly judgements: readonly Judgement[];
}

export async function runChaos({ served, carrier, clients, faults, seed }: ChaosOptions): Promise<ChaosRun> {
  const random = createRandom(seed);
  const proxy = await openProxy(
    carrier === "event-stream" ? "web-socket" : carrier,
    served,
    createFaults(random, faults),
  );
  const scene = await openScene(served);
  const followers = await Promise.all(
    Array.from({ length: clients }, () =>
      carrier === "event-stream"
        ? readStream(proxy, served, scene.sessionId)
        : follow(proxy, served, scene.sessionId, random),
    ),
  );
  try {
    /** What the log had when this was called; the stream goes on meanwhile. */
    const catchUp = async () => {
      const { lastSeq } = scene.view;
      await waitFor("every client", () => followers.every(({ view }) => view.lastSeq >= lastSeq), ARRIVE_MS);
    };
    await waitFor("the faults", () => proxy.faults >= faults, patient(1_000 * faults));
    await catchUp();
    const before = followers.map(({ connections }) => connections());
    const cutAt = performance.now();
    proxy.cutAll();
    const isBack = () => followers.every((one, at) => one.connections() > (before[at] ?? 0));
    await waitFor("every client to be back after the last cut", isBack, ARRIVE_MS);
    await catchUp();
    const caughtUpMs = performance.now() - cutAt;
    const lastSeq = await scene.finish();
    await waitFor("the last event", () => followers.every(({ view }) => view.lastSeq >= lastSeq));
    const log = await readLog(served.dataDir, scene.sessionId);
    const judgements = followers.map(({ view }) => judgeView(view, log));
    return { faults: proxy.faults, events: log.length, caughtUpMs, judgements };
  } finally {
    for (const one of followers) one.close();
    scene.close();
    await proxy.close();
  }
}

interface Follower {
  readonly close: () => void;
  readonly view: View;
  /** How many connections it has had. */
  readonly connections: () => number;
}

/** The first connection of a client may be the one that is cut; then somebody has to call again. */
export async function persist<T>(attempt: () => Promise<T>, tries = 50): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (tries === 1) throw error;
    return persist(attempt, tries - 1);
  }
}

async function follow(
  proxy: ChaosProxy,
  served: ServedSession,
  sessionId: string,
  random: () => number,
): Promise<Follower> {
  const options = { random, ...PATIENT_WAITS };
  const client = await persist(() => createLastingClient(connectThrough(proxy, served), options));
  const view = new View(sessionId);
  let connections = 1;
  client.onState(({ state }) => (connections += state === "online" ? 1 : 0));
  await client.subscribe(sessionId, BEGINNING, (events) => view.apply(events), {
    onResync: (reason) => view.resyncs.push(reason),
  });
  return { close: () => client.close(), view, connections: () => connections };
}

async function readStream(proxy: ChaosProxy, served: ServedSession, sessionId: string): Promise<Follower> {
  const view = new View(sessionId);
  const url = () => `http://127.0.0.1:${proxy.target}`;
  const reader = new StreamReader({ url, token: () => served.doors.token, view });
  return { close: () => reader.close(), view, connections: () => reader.connections };
}

export function newSession({ dataDir }: ServedSession): CreateRequest {
  return { cwd: dataDir, title: "chaos", settings: SETTINGS, members: [ECHO] };
}

/** A session and a witness that follows it straight. */
export async function openQuietScene(served: ServedSession) {
  const witness = await createClient(() => connectSocket(served.doors.socketPath));
  const { sessionId } = await witness.create(newSession(served));
  const view = new View(sessionId);
  await witness.subscribe(sessionId, BEGINNING, (events) => view.apply(events));
  return { witness, sessionId, view, close: () => witness.close() };
}

/** The same, with a member that streams. */
export async function openScene(served: ServedSession) {
  const scene = await openQuietScene(served);
  const { witness, sessionId, view } = scene;
  await witness.command(sessionId, { type: "send", text: "stream 100000000", clientMessageId: "stream" });
  return {
    ...scene,
    /** Stops the stream; resolves with the last seq of a log that is quiet again. */
    async finish(): Promise<number> {
      await witness.command(sessionId, { type: "interrupt", scope: "all" });
      await waitFor("the end of the turn", () => view.events.some(({ type }) => type === "turn_end"));
      return (await witness.snapshot(sessionId)).seq;
    },
  };
}

export async function waitFor(what: string, test: () => boolean, timeoutMs = patient(20_000)): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!test()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
