/**
 * One session with three members that ask before they act, and four screens over real connections that answer at random
 * moments: yes, no, both, too late, or never; and that stop members meanwhile. Judged by the log.
 */
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { connectSocket, connectWebSocket, createLastingClient, type LastingClient } from "../../src/client/index.ts";
import { createHost, type Host } from "../../src/host/index.ts";
import type { Ack, EventOf, EventType, SessionEvent } from "../../src/protocol/index.ts";
import { startServer, type RunningServer } from "../../src/server/index.ts";
import { empty, fold } from "../../src/transcript/index.ts";
import { newDataDir } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";
import { createRandom } from "../log/seeded-random.ts";
import { createAskingAgents, type Deeds } from "./asking-agent.ts";
import { FAULTLESS, judgeView, readLog, View, type Judgement } from "./check-view.ts";
import { waitFor } from "./chaos-run.ts";

const MEMBERS = ["ada", "bob", "cyd"];
const SCREENS = 4;
const MESSAGES = 2;
const AT_ONCE = 10;
const SOON_MS = 8;
const LATE_MS = 80;

interface ApprovalSession {
  readonly dataDir: string;
  readonly deeds: Deeds;
  readonly screens: readonly LastingClient[];
  close(): Promise<void>;
}

/** Half of the screens come over the local socket, half over WebSocket. */
async function openApprovalSession(): Promise<ApprovalSession> {
  const dataDir = newDataDir();
  const deeds: Deeds = { done: [], afterStop: [] };
  const agentFactory = createAskingAgents(deeds);
  const host = await createHost({ dataDir, agentFactory, version: "0.0.0-test" });
  const defaults = { cwd: dataDir, settings: SETTINGS, members: [] };
  const server = await startServer({ host, pageFiles: [], defaults, port: 0 });
  const screens = await Promise.all(Array.from({ length: SCREENS }, (_, at) => openScreen(host, server, at)));
  return {
    dataDir,
    deeds,
    screens,
    async close() {
      for (const screen of screens) screen.close();
      server.stop();
      await host.close();
      await server.cut();
    },
  };
}

function openScreen(host: Host, { url, token }: RunningServer, at: number): Promise<LastingClient> {
  const connect = at % 2 === 0 ? () => connectSocket(host.socketPath) : () => connectWebSocket(url, token);
  return createLastingClient(connect, { clientId: `screen-${at}` });
}

interface Given {
  readonly requestId: string;
  readonly clientId: string;
  readonly result: string;
  readonly ack: Ack;
}

interface Interleaving {
  readonly judgements: readonly Judgement[];
  /** Each a sentence; none when what ran is exactly what was approved and everyone was told the truth. */
  readonly wrong: readonly string[];
  readonly counts: Counts;
}

const NOTHING = { asked: 0, approved: 0, refused: 0, expired: 0, cancelled: 0, /** Came second. */ tooLate: 0 };
export type Counts = typeof NOTHING;

export interface Outcome {
  readonly counts: Counts;
  /** Of the interleavings in which something was wrong, by seed. */
  readonly faults: readonly string[];
}

/** Interleaving by interleaving, ten of them at once, on a table of its own. */
export async function interleaveMany({ count, seed }: { count: number; seed: number }): Promise<Outcome> {
  const session = await openApprovalSession();
  const counts: Counts = { ...NOTHING };
  const faults: string[] = [];
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    const seeds = Array.from({ length: AT_ONCE }, (_, at) => seed + begun + at);
    const runs = await Promise.all(seeds.map((one) => interleave(session, one)));
    for (const [at, { wrong, judgements, counts: found }] of runs.entries()) {
      const isFaultless = judgements.every((judgement) => isDeepStrictEqual(judgement, FAULTLESS));
      if (wrong.length > 0 || !isFaultless) faults.push(`seed ${seeds[at]}: ${JSON.stringify({ wrong, judgements })}`);
      for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] += found[key];
    }
  }
  await session.close();
  return { counts, faults };
}

async function interleave(session: ApprovalSession, seed: number): Promise<Interleaving> {
  const random = createRandom(seed);
  const [first] = session.screens as [LastingClient];
  const { sessionId } = await first.create({
    cwd: session.dataDir,
    title: `seed ${seed}`,
    settings: { ...SETTINGS, order: MEMBERS },
    members: MEMBERS.map((name) => ({ name, kind: "embedded" })),
  });
  const acts: Promise<Given | undefined>[] = [];
  const views = await Promise.all(
    session.screens.map(async (client) => {
      const view = new View(sessionId);
      const screen: Screen = { client, sessionId, random, answersAll: client === first };
      await client.subscribe(sessionId, { epoch: 0, seq: 0 }, (events) => {
        view.apply(events);
        for (const event of ofType(events, "ui_request")) acts.push(...actOn(event, screen));
      });
      return view;
    }),
  );
  for (let message = 1; message <= MESSAGES; message += 1) {
    const text = String(Math.floor(random() * 1_000_000));
    await first.command(sessionId, { type: "send", text, clientMessageId: `${seed} ${message}` });
    await waitFor("the turns to end", () => views.every(({ events }) => ended(events) >= message * MEMBERS.length));
  }
  const given = (await Promise.all(acts)).filter((one) => one !== undefined);
  const log = await readLog(session.dataDir, sessionId);
  await waitFor("the last event", () => views.every(({ lastSeq }) => lastSeq >= (log.at(-1)?.seq ?? 0)));
  const stillOpen = views.flatMap(({ events }) => fold(empty(sessionId), events).head.requests);
  const wrong = [
    ...stillOpen.map(({ requestId }) => `${requestId} never left a screen`),
    ...judgeDeeds(log, session.deeds),
    ...judgeAnswers(log, given),
  ];
  return { judgements: views.map((view) => judgeView(view, log)), wrong, counts: countsOf(log, given) };
}

function ended(events: readonly SessionEvent[]): number {
  return ofType(events, "turn_end").length;
}

interface Screen {
  readonly client: LastingClient;
  readonly sessionId: string;
  readonly random: () => number;
  /** Leaves nothing open for ever. */
  readonly answersAll: boolean;
}

/** What this screen does about the request, some of it much later. */
function actOn({ requestId, member }: EventOf<"ui_request">, screen: Screen): Promise<Given | undefined>[] {
  const { client, sessionId, random, answersAll } = screen;
  const answer = async (result: string, afterMs: number): Promise<Given> => {
    await setTimeout(afterMs);
    const by = `the screen ${client.clientId}`;
    const ack = await client.command(sessionId, { type: "answer", requestId, result, by });
    return { requestId, clientId: client.clientId, result, ack };
  };
  const stop = async (afterMs: number): Promise<undefined> => {
    await setTimeout(afterMs);
    await client.command(sessionId, { type: "interrupt", scope: "member", member });
  };
  const result = random() < 0.6 ? "allow" : "deny";
  const soonMs = random() * SOON_MS;
  const chance = random();
  return [
    ...(chance < 0.3 ? [answer(result, soonMs)] : []),
    ...(chance >= 0.3 && chance < 0.45 ? [answer(result, soonMs), answer("deny", soonMs)] : []),
    ...(chance >= 0.45 && (chance < 0.6 || answersAll) ? [answer(result, random() * LATE_MS)] : []),
    ...(random() < 0.03 ? [stop(random() * SOON_MS)] : []),
  ];
}

/** What ran is what was approved, but for what a stop kept from running. */
export function judgeDeeds(log: readonly SessionEvent[], { done, afterStop }: Deeds): string[] {
  const calls = new Map(ofType(log, "ui_request").map((event) => [event.requestId, callOf(event)]));
  const turnEnds = new Map(ofType(log, "turn_end").map((event) => [event.turnId, event]));
  const asked = new Set(calls.values());
  const ran = done.filter((call) => asked.has(call));
  const approvals = ofType(log, "ui_response").filter(({ result, error }) => result === "allow" && error === null);
  const approved = new Set(approvals.map(({ requestId }) => calls.get(requestId)));
  return [
    ...ran.filter((call) => !approved.has(call)).map((call) => `ran without approval: ${call}`),
    ...ran.filter((call, at) => ran.indexOf(call) !== at).map((call) => `ran twice: ${call}`),
    ...afterStop.filter((call) => asked.has(call)).map((call) => `ran after its turn was stopped: ${call}`),
    ...approvals
      .filter(({ requestId, turnId }) => {
        const isStopped = turnEnds.get(turnId ?? "")?.outcome === "interrupted";
        return !isStopped && !ran.includes(calls.get(requestId) ?? "");
      })
      .map(({ requestId }) => `approved and never run: ${calls.get(requestId)}`),
  ];
}

/** Every request is closed once; who was told "done" is who the log names, and the others were told by whom or why. */
export function judgeAnswers(log: readonly SessionEvent[], given: readonly Given[]): string[] {
  const closed = new Map<string, EventOf<"ui_response" | "ui_cancelled">[]>();
  for (const event of [...ofType(log, "ui_response"), ...ofType(log, "ui_cancelled")]) {
    closed.set(event.requestId, [...(closed.get(event.requestId) ?? []), event]);
  }
  const unclosed = ofType(log, "ui_request").flatMap(({ requestId }) => {
    const times = closed.get(requestId)?.length ?? 0;
    return times === 1 ? [] : [`${requestId} was closed ${times} times`];
  });
  const untrue = given.flatMap(({ requestId, clientId, result, ack }) => {
    const [how] = closed.get(requestId) ?? [];
    if (how === undefined) return [`${requestId} was answered and never closed`];
    const why = how.type === "ui_response" ? `answered by ${how.by}` : how.reason;
    if (!ack.ok)
      return ack.error.message.endsWith(`: ${why}.`) ? [] : [`${requestId}: ${ack.error.message}, not ${why}`];
    const isTrue = how.type === "ui_response" && how.clientId === clientId && how.result === result;
    return isTrue ? [] : [`${requestId}: ${clientId} was told that its ${result} counts, but it was ${why}`];
  });
  const acknowledged = given.filter(({ ack }) => ack.ok).length;
  const responses = ofType(log, "ui_response").length;
  const count = acknowledged === responses ? [] : [`${responses} answers in the log, ${acknowledged} acknowledged`];
  return [...unclosed, ...untrue, ...count];
}

function countsOf(log: readonly SessionEvent[], given: readonly Given[]): Counts {
  const responses = ofType(log, "ui_response");
  const reasons = ofType(log, "ui_cancelled").map(({ reason }) => reason);
  return {
    asked: ofType(log, "ui_request").length,
    approved: responses.filter(({ result }) => result === "allow").length,
    refused: responses.filter(({ result }) => result === "deny").length,
    expired: reasons.filter((reason) => reason === "expired").length,
    cancelled: reasons.filter((reason) => reason === "cancelled").length,
    tooLate: given.filter(({ ack }) => !ack.ok).length,
  };
}

function callOf({ request }: EventOf<"ui_request">): string {
  return request.method === "approval" ? request.call : "";
}

function ofType<Type extends EventType>(events: readonly SessionEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}
