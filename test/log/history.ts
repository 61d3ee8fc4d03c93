/**
 * What a run of the log promised, and the checker that holds the files to it. The run is scripted, so that a fault can be
 * put at each of its operations; the checker gives back what is wrong, in words, and is proven by deliberate defects.
 */
import { isDeepStrictEqual } from "node:util";
import { breakFiles, type Defect } from "./broken-files.ts";
import type { FilePort } from "../../src/log/files/file-port.ts";
import { checkLog, openFileLog, type EventLog } from "../../src/log/index.ts";
import { RoundtableError, syncClassOf, type EventDraft, type SessionEvent } from "../../src/protocol/index.ts";
import { created, delta, message, readAll } from "./drafts.ts";
import { createHandClock, idle, type HandClock } from "./hand-clock.ts";
import type { MemoryFiles } from "./memory-files.ts";

export const SESSION = "01J0000000000000000000000A";
export const DATA = "/data";
export const LOG_PATH = `${DATA}/logs/${SESSION}.jsonl`;

export interface History {
  /** Everything that was numbered, in order, over all openings. */
  readonly appended: SessionEvent[];
  /** What a follower heard. */
  readonly received: SessionEvent[];
  /** What `committed` resolved for. */
  readonly acknowledged: SessionEvent[];
  readonly epochs: number[];
  readonly states: string[];
}

export function emptyHistory(): History {
  return { appended: [], received: [], acknowledged: [], epochs: [], states: [] };
}

const STEPS: readonly (readonly EventDraft[])[] = [
  [created()],
  [delta("a"), delta("b")],
  [message("one"), delta("c"), message("two")],
  [delta("d")],
  [message("three".repeat(40))],
];

export interface Scenario {
  readonly steps?: readonly (readonly EventDraft[])[];
  readonly defect?: Defect | undefined;
}

/** Ends when the process is killed; a fault that lasts is cleared after some seconds of trying. */
export async function runScenario(files: MemoryFiles, history: History, options: Scenario = {}): Promise<void> {
  const run = scenario(files, history, options).catch((error: unknown) => {
    if (!files.isDead) throw error;
  });
  await Promise.race([files.killed, run]);
}

async function scenario(files: MemoryFiles, history: History, { steps = STEPS, defect }: Scenario): Promise<void> {
  const clock = createHandClock();
  for (let opening = 0; opening < 2; opening++) {
    const log = await openPatiently(files, clock, defect);
    noteOpen(files, history, log);
    for (const drafts of steps) {
      await patiently(files, clock, appendNoted(files, history, log, drafts));
      clock.advance(50);
      await idle(2);
    }
    await saveDerived(files, log);
    await patiently(files, clock, log.close());
  }
}

function noteOpen(files: MemoryFiles, history: History, log: EventLog): void {
  history.epochs.push(log.epoch);
  log.onStore(({ state }) => history.states.push(state));
  log.follow(log.committedSeq, (events) => {
    if (!files.isDead) history.received.push(...events);
  });
}

async function appendNoted(
  files: MemoryFiles,
  history: History,
  log: EventLog,
  drafts: readonly EventDraft[],
): Promise<void> {
  const { events, committed } = log.append(drafts);
  history.appended.push(...events);
  await committed;
  if (!files.isDead) history.acknowledged.push(...events);
}

/** Derived files may fail to be saved; that must not touch the log. */
async function saveDerived(files: MemoryFiles, log: EventLog): Promise<void> {
  const { epoch, committedSeq: seq } = log;
  const saves = [
    log.snapshots.save({ foldVersion: 1, epoch, seq, frozenPages: 1, state: { at: seq } }, [{ index: 0, page: [seq] }]),
    log.blobs.put(Buffer.from("a large output")),
  ];
  for (const result of await Promise.allSettled(saves)) {
    if (result.status === "rejected" && !files.isDead && !(result.reason instanceof RoundtableError))
      throw result.reason;
  }
}

async function openPatiently(files: MemoryFiles, clock: HandClock, defect?: Defect): Promise<EventLog> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await openFileLog({ dataDir: DATA, sessionId: SESSION, files: portOf(files, defect), clock });
    } catch (error) {
      if (!(error instanceof RoundtableError) || error.code !== "store_unavailable" || attempt > 3) throw error;
      if (attempt === 2) files.fault = undefined;
    }
  }
}

function portOf(files: MemoryFiles, defect: Defect | undefined): FilePort {
  return defect === undefined ? files : breakFiles(files, defect);
}

const PATIENCE_S = 12;

/** Moves the clock while something waits for the disk, and heals the disk when it has waited long. */
async function patiently(files: MemoryFiles, clock: HandClock, work: Promise<void>): Promise<void> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  settled.catch(() => undefined);
  for (let second = 0; second < PATIENCE_S; second++) {
    await idle(8);
    if (isDone || files.isDead) break;
    if (second === 3) files.fault = undefined;
    clock.advance(1000);
  }
  if (!isDone && !files.isDead)
    throw new Error(`nothing happened in ${PATIENCE_S} s: ${files.trace.slice(-8).join(", ")}`);
  await settled;
}

export type Cut = "none" | "kill" | "power";

/** What is wrong with the files, given what was promised. Opens the log like the next process would. */
export async function checkHistory(files: MemoryFiles, history: History, cut: Cut, defect?: Defect): Promise<string[]> {
  const wrong: string[] = [];
  const raw = files.contentOf(LOG_PATH);
  // One write is all there or not at all, so a killed process leaves no half line; only the power can tear one.
  if (cut === "kill" && raw !== undefined && raw.length > 0 && raw.at(-1) !== 0x0a)
    wrong.push("a half line after a kill");
  const clock = createHandClock();
  const log = await openFileLog({ dataDir: DATA, sessionId: SESSION, files: portOf(files, defect), clock });
  if ((files.contentOf(LOG_PATH)?.at(-1) ?? 0x0a) !== 0x0a) wrong.push("opened for writing after a half line");
  if (history.epochs.some((epoch) => epoch >= log.epoch))
    wrong.push(`epoch ${log.epoch} again after ${history.epochs.join(", ")}`);
  const found = await readAll(log);
  wrong.push(...compare(found, history, cut));
  const next = log.append([message("after")]);
  await next.committed;
  const all = await readAll(log);
  if (!isDeepStrictEqual(all, [...found, ...next.events]))
    wrong.push("an append after the reopening is not where it belongs");
  await log.close();
  const check = await checkLog({ dataDir: DATA, sessionId: SESSION, files });
  if (!check.whole && cut !== "power") wrong.push(`the log is not whole: ${JSON.stringify(check)}`);
  if (check.tornBytes > 0) wrong.push(`${check.tornBytes} torn bytes after recovery`);
  return wrong;
}

function compare(found: readonly SessionEvent[], history: History, cut: Cut): string[] {
  const wrong: string[] = [];
  let last = 0;
  const bySeq = new Map<number, SessionEvent>();
  for (const event of found) {
    const from = event.type === "damage" ? event.fromSeq : event.seq;
    if (from !== last + 1) wrong.push(`seq ${from} after ${last}`);
    last = event.seq;
    bySeq.set(event.seq, event);
    if (event.type === "damage" && cut !== "power") wrong.push(`damage ${event.fromSeq}–${event.toSeq}`);
  }
  const promised = cut === "power" ? syncedPart(history.acknowledged) : [...history.acknowledged, ...history.received];
  for (const event of promised) {
    if (!isDeepStrictEqual(bySeq.get(event.seq), event))
      wrong.push(`acknowledged ${event.type} ${event.seq} is lost or changed`);
  }
  const numbered = new Map(history.appended.map((event) => [event.id, event]));
  for (const event of found) {
    if (event.type === "read_only" || event.type === "damage") continue;
    if (!isDeepStrictEqual(numbered.get(event.id), event))
      wrong.push(`${event.type} ${event.seq} was never appended like this`);
  }
  wrong.push(...orderOfHearing(history.received));
  return wrong;
}

/** A power cut may take the last stream events; everything up to the last acknowledged sync event is safe. */
function syncedPart(acknowledged: readonly SessionEvent[]): readonly SessionEvent[] {
  return acknowledged.slice(0, acknowledged.findLastIndex((event) => syncClassOf(event.type) === "sync") + 1);
}

function orderOfHearing(received: readonly SessionEvent[]): string[] {
  return received.flatMap((event, at) => {
    const before = received[at - 1]?.seq ?? event.seq - 1;
    return event.seq === before + 1 ? [] : [`heard ${event.seq} after ${before}`];
  });
}
