/**
 * A real agent program against the model server on loopback. `real-agent.ts beside AGENT` measures the time to first text
 * of a warm agent with a bare reader, with one that gives it the rights and the tools of a table, and at our table, turn by
 * turn in one run, so that whatever the machine does meets all three. `real-agent.ts clocked AGENT` is ours with a clock at
 * the agent's own pipe: what is left of the time is Roundtable's. `real-agent.ts idle` is the memory of a server at whose
 * table five sit, idle and then all speaking. With `page` at the end one sits down by WebSocket, as a page does.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS } from "../../src/cli/connect/background-server.ts";
import { startModelServer } from "../../test/agents/real/model-server.ts";
import { installForHere, usualCacheDir } from "../../test/agents/real/install-agent.ts";
import { pins, type AgentName } from "../../test/agents/real/pins.ts";
import { openServedSession, type ServedSession } from "../../test/agents/real/served-session.ts";
import { subjectOf, type Subject } from "../../test/agents/real/subjects.ts";
import { openBareAgent, type MeasuredAgent } from "./bare-agent.ts";
import { peakRssMb, rssMb } from "./process-cost.ts";
import { percentile, report } from "./product.ts";

/** As many as it takes until either side runs compiled code, as one does that has sat here for a while. */
const WARM_UP = 60;
const TURNS = 40;
/** 600 words, a piece of text every 10 ms: about a hundred tokens a second. */
const LONG_ANSWER = "[[fake: slow n=600 delay=10]]";
const SHORT_ANSWER = "[[fake: text text=Yes. delay=0]]";
const IDLE_MS = 10_000;

const cacheDir = process.env["ROUNDTABLE_TEST_AGENTS"] ?? usualCacheDir();
const roundtable = [process.execPath, ...SERVER_FLAGS, process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? ""];
const [mode, agent = "", seat = ""] = process.argv.slice(2);
/** A table as it is by default, at which one sits down as our terminal app and scripts do on the same machine. */
const usual = { isLocal: seat !== "page", isWritable: false };
const server = await startModelServer();

function subjectNamed(name: string): Subject {
  const pin = pins.find((one) => one.name === name);
  if (pin === undefined)
    throw new Error(`there is no agent ${name}; there are ${pins.map((one) => one.name).join(", ")}`);
  return subjectOf(pin.name, installForHere(pin, cacheDir).command, server.url);
}

function warmMedian(times: readonly number[]): number {
  return percentile(
    times.slice(WARM_UP).toSorted((a, b) => a - b),
    0.5,
  );
}

async function beside(): Promise<void> {
  const subject = subjectNamed(agent);
  const [plain, seated] = [
    await openBareAgent(agent as MeasuredAgent, subject),
    await openBareAgent(agent as MeasuredAgent, subject, { isSeated: true }),
  ];
  const table = await openServedSession({ roundtable, subject, ...usual, members: [{ name: "ann", ...subject.spec }] });
  const times = { bareMs: [] as number[], seatedMs: [] as number[], oursMs: [] as number[] };
  for (let count = 0; count < WARM_UP + TURNS; count++) {
    times.bareMs.push((await plain.turn(SHORT_ANSWER)).firstMs);
    times.seatedMs.push((await seated.turn(SHORT_ANSWER)).firstMs);
    times.oursMs.push(await firstTextMs(table, SHORT_ANSWER));
  }
  report({
    bareMs: warmMedian(times.bareMs),
    seatedMs: warmMedian(times.seatedMs),
    oursMs: warmMedian(times.oursMs),
  });
  await Promise.all([plain.close(), seated.close(), table.stop()]);
  table.remove();
}

async function firstTextMs(table: ServedSession, text: string): Promise<number> {
  const startedMs = performance.now();
  const said = await table.send(text);
  await table.next("text_delta", { from: said });
  const firstMs = performance.now() - startedMs;
  await table.answerTo(said);
  return firstMs;
}

async function clocked(): Promise<void> {
  const subject = subjectNamed(agent);
  const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  const file = path.join(scratch, "times");
  const clock = pathToFileURL(path.join(import.meta.dirname, "pipe-clock.ts"));
  clock.search = new URLSearchParams({ file, mark: SHORT_ANSWER }).toString();
  const [node = "", ...rest] = roundtable;
  const members = [{ name: "ann", ...subject.spec }];
  const table = await openServedSession({
    roundtable: [node, "--import", clock.href, ...rest],
    subject,
    ...usual,
    members,
  });
  const added: number[] = [];
  for (let count = 0; count < WARM_UP + TURNS; count++) {
    const firstMs = await firstTextMs(table, SHORT_ANSWER);
    added.push(firstMs - Number(readFileSync(file, "utf8").trim().split("\n")[count]));
  }
  report({ addedMs: warmMedian(added) });
  await table.stop();
  table.remove();
  rmSync(scratch, { recursive: true, force: true });
}

/** Asks everybody at once and waits for all; resolves with how many failed. */
async function askAll(table: ServedSession, text: string): Promise<number> {
  const from = await table.send(text, table.members);
  const isEnd = (name: string) => table.next("turn_end", { from, fits: ({ member }) => member === name });
  const ends = await Promise.all(table.members.map(isEnd));
  return ends.filter(({ outcome }) => outcome !== "completed").length;
}

async function idle(): Promise<void> {
  const subjects = new Map<AgentName, Subject>(pins.map(({ name }) => [name, subjectNamed(name)]));
  const subject: Subject = {
    spec: { kind: "embedded" },
    env: Object.assign({}, ...[...subjects.values()].map(({ env }) => env)) as Record<string, string>,
    prepare: (home) => subjects.forEach((one) => one.prepare(home)),
  };
  const members = [...subjects].map(([name, { spec }]) => Object.assign({ name }, spec));
  const table = await openServedSession({ roundtable, subject, ...usual, members });
  const failed = await askAll(table, "[[fake: text]]");
  await sleep(IDLE_MS);
  const idleMb = rssMb(table.serverPid);
  const failedLong = await askAll(table, LONG_ANSWER);
  report({ rssMb: idleMb, peakMb: peakRssMb(table.serverPid), failed: failed + failedLong });
  await table.stop();
  table.remove();
}

if (mode === "idle") await idle();
else if (mode === "clocked") await clocked();
else if (mode === "beside") await beside();
else throw new Error(`unknown mode ${mode}`);
await server.close();
process.exit(0);
