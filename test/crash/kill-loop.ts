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
import { readRawLog, unsettled, type RawEvent } from "./raw-log.ts";

export interface KillLoop {
  readonly kills: number;
  readonly random: () => number;
  /** A session is left for a new one after this many kills, so that files do not grow without end. */
  readonly killsPerSession: number;
}

const PROGRAM = join(import.meta.dirname, "programs/streaming-table.ts");
const session = (index: number) => `01JN00000000000000000${String(index).padStart(5, "0")}`;

export async function killLoop({ kills, random, killsPerSession }: KillLoop): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-kill-"));
  const faults: string[] = [];
  const heard: RawEvent[] = [];
  for (let kill = 0; kill < kills && faults.length === 0; kill++) {
    if (kill % killsPerSession === 0) heard.length = 0;
    const sessionId = session(Math.floor(kill / killsPerSession));
    heard.push(...(await runAndKill([dataDir, sessionId], random)));
    const raw = readRawLog(join(dataDir, `logs/${sessionId}.jsonl`));
    faults.push(...raw.faults, ...notThere(heard, raw.events));
    const isLast = kill % killsPerSession === killsPerSession - 1 || kill === kills - 1;
    if (isLast && faults.length === 0) faults.push(...(await afterReopening(dataDir, sessionId)));
  }
  rmSync(dataDir, { recursive: true, force: true });
  return faults;
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
