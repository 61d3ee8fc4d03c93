/**
 * Kills a streaming program again and again and holds its log to what it had told: everything heard is there, once,
 * in order, readable; what was open is closed by the next start. Gives back what is wrong, in words.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openFileLog } from "../../src/log/index.ts";
import { openSession } from "../../src/session/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { inParallel } from "../in-parallel.ts";
import { packedTestProgram } from "../packed-program.ts";
import { createRandom } from "../log/seeded-random.ts";
import { readRawLog, unsettled, type RawEvent } from "./raw-log.ts";

export interface KillLoop {
  readonly kills: number;
  readonly seed: number;
  /** A session is left for a new one after this many kills, so that files do not grow without end. */
  readonly killsPerSession: number;
}

/** Sessions that are killed at the same time, each by itself. */
const AT_A_TIME = 3;
const PROGRAM = await packedTestProgram("streaming-session");

export async function killLoop({ kills, seed, killsPerSession }: KillLoop): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-kill-"));
  const faults: string[] = [];
  const sessions = Array.from({ length: Math.ceil(kills / killsPerSession) }, (_, index) => index);
  await inParallel(sessions, AT_A_TIME, async (index) => {
    if (faults.length > 0) return;
    const sessionId = `01JN00000000000000000${String(index).padStart(5, "0")}`;
    const count = Math.min(killsPerSession, kills - index * killsPerSession);
    faults.push(...(await killSession(dataDir, sessionId, { count, random: createRandom(seed + index) })));
  });
  rmSync(dataDir, { recursive: true, force: true });
  return faults;
}

async function killSession(
  dataDir: string,
  sessionId: string,
  { count, random }: { count: number; random: () => number },
): Promise<string[]> {
  const heard: RawEvent[] = [];
  for (let kill = 0; kill < count; kill++) {
    const said = await runAndKill([dataDir, sessionId], random);
    heard.push(...said);
    const isLast = kill === count - 1;
    const { events, faults } = readRawLog(join(dataDir, `logs/${sessionId}.jsonl`));
    // What was heard before is held to the log once more when all is over: nothing that was lost comes back.
    const wrong = [...faults, ...notThere(isLast ? heard : said, events)];
    if (wrong.length > 0) return wrong;
  }
  return afterReopening(dataDir, sessionId);
}

/** The events the program had told before it was killed, at a random moment after it began to stream. */
function runAndKill(args: readonly string[], random: () => number): Promise<RawEvent[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    let isStreaming = false;
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (isStreaming || !chunk.includes('"text_delta"')) return;
      isStreaming = true;
      setTimeout(() => child.kill("SIGKILL"), random() * 120);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal !== "SIGKILL") return reject(new Error(`the program ended by itself (${code ?? signal})`));
      const lines = Buffer.concat(chunks).toString("utf8").split("\n").slice(0, -1);
      resolve(lines.map((line) => JSON.parse(line) as RawEvent).filter((event) => event.seq !== undefined));
    });
  });
}

/** What was heard and is not in the log as it was heard. */
export function notThere(heard: readonly RawEvent[], events: readonly RawEvent[]): string[] {
  const faults: string[] = [];
  for (const event of heard) {
    const found = events[event.seq - 1];
    if (!isDeepStrictEqual(found, event)) {
      faults.push(
        `heard seq ${event.seq} (${event.type}, epoch ${event.epoch}), found ${found?.type ?? "nothing"} of epoch ${found?.epoch ?? 0}`,
      );
    }
  }
  const seqs = heard.map((event) => event.seq);
  if (new Set(seqs).size !== seqs.length) faults.push("a seq was heard twice");
  return faults.slice(0, 5);
}

/** Opening once more closes what was open and leaves a log without a single bad byte. */
async function afterReopening(dataDir: string, sessionId: string): Promise<string[]> {
  const log = await openFileLog({ dataDir, sessionId });
  const opened = await openSession({ log, agentFactory: neverAsked, clock: systemClock });
  const running = Object.keys(opened.transcript.head.openTurns);
  await opened.close();
  await log.close();
  const { events, faults, tail } = readRawLog(join(dataDir, `logs/${sessionId}.jsonl`));
  const starts = new Map(
    events.filter((event) => event.type === "session_created").map((event) => [event.epoch, event]),
  );
  return [
    ...faults,
    ...unsettled(events),
    ...(running.length > 0 ? [`${running.length} turns run after a restart`] : []),
    ...(tail === "" ? [] : ["half a line is left after recovery"]),
    ...(starts.size === 1 ? [] : [`the session was created ${starts.size} times`]),
  ];
}

function neverAsked(): never {
  throw new Error("nothing may start by itself after a restart");
}
