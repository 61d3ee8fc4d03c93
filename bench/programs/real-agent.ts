/**
 * A real agent program against the model server on loopback: `real-agent.ts bare|floor|ours AGENT` measures time to first
 * text of a warm agent and the CPU of a long answer at the pace of a real model; `real-agent.ts idle` the memory of a
 * server at whose table five sit, idle and then all speaking. Bare, this process is the reader: it parses each line and
 * prints the text, and its CPU counts with the agent's; the floor is the same reader keeping what it prints in a synced
 * file. Ours, the server's counts; what this process then does as a client is told beside it. `real-agent.ts together
 * AGENT` is ours with four of them at one table who answer at once; its figures are for each of them. `real-agent.ts
 * clocked AGENT` is ours with a clock at the agent's own pipe: what is left of the time to first text is Roundtable's. `real-agent.ts seated
 * AGENT` is the bare reader again with an agent that has the rights and the tools of a table. `real-agent.ts beside AGENT`
 * asks bare, seated and ours turn by turn in one run, so that whatever the machine does meets all three;
 * `real-agent.ts cost AGENT` does so with several of each and the long answer (agent-cost.ts). With `page` at the end one
 * sits down by WebSocket, as a page does.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS } from "../../src/cli/launch.ts";
import { startModelServer } from "../../test/agents/real/model-server.ts";
import { installForHere, usualCacheDir } from "../../test/agents/real/install-agent.ts";
import { pins, type AgentName } from "../../test/agents/real/pins.ts";
import { openServedTable, type ServedTable } from "../../test/agents/real/served-table.ts";
import { subjectOf, type Subject } from "../../test/agents/real/subjects.ts";
import { agentCost } from "./agent-cost.ts";
import { openBareAgent, type BareOptions, type MeasuredAgent } from "./bare-agent.ts";
import { cpuMs, peakRssMb, rssMb, treeCpuMs } from "./process-cost.ts";
import { percentile, report } from "./product.ts";

/** As many as it takes until either side runs compiled code, as one does that has sat here for a while. */
const WARM_UP = 60;
const TURNS = 40;
/** 600 words, a piece of text every 10 ms: about a hundred tokens a second. */
const LONG_ANSWER = "[[fake: slow n=600 delay=10]]";
/** Not counted. */
const LONG_WARM_UP = 4;
const LONG_ANSWERS = 7;
/** The cheapest and the dearest of them, so many each, are left out. */
const OUTER_ANSWERS = 2;
const SHORT_ANSWER = "[[fake: text text=Yes. delay=0]]";
const IDLE_MS = 10_000;
const TOGETHER = 4;

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

async function medianFirstMs(turn: (text: string) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < WARM_UP + TURNS; count++) times.push(await turn(SHORT_ANSWER));
  return warmMedian(times);
}

function warmMedian(times: readonly number[]): number {
  return percentile(
    times.slice(WARM_UP).toSorted((a, b) => a - b),
    0.5,
  );
}

async function bare(options: BareOptions): Promise<void> {
  const alone = await openBareAgent(agent as MeasuredAgent, subjectNamed(agent), options);
  const firstMs = await medianFirstMs(async (text) => (await alone.turn(text)).firstMs);
  const counted = await longAnswers((text) => alone.turn(text), {
    agent: () => treeCpuMs(alone.pid),
    reader: () => cpuMs(process.pid),
  });
  report({ firstMs, agentCpuMs: counted.agent, ownCpuMs: counted.reader });
  await alone.close();
}

async function beside(): Promise<void> {
  const subject = subjectNamed(agent);
  const [plain, seated] = [
    await openBareAgent(agent as MeasuredAgent, subject, { isKeeping: false }),
    await openBareAgent(agent as MeasuredAgent, subject, { isKeeping: false, isSeated: true }),
  ];
  const table = await openServedTable({ roundtable, subject, ...usual, members: [{ name: "ann", ...subject.spec }] });
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

async function cost(): Promise<void> {
  const subject = subjectNamed(agent);
  const asked = { agent: agent as MeasuredAgent, short: SHORT_ANSWER, shortTurns: WARM_UP, long: LONG_ANSWER };
  report(await agentCost(asked, { roundtable, subject, ...usual, members: [{ name: "ann", ...subject.spec }] }));
}

/**
 * What one long answer costs each of those who are watched: the mean of those in the middle. A machine may stand still
 * during one, and the system counts in steps of 10 ms.
 */
async function longAnswers<Who extends string>(
  turn: (text: string) => Promise<unknown>,
  costs: Readonly<Record<Who, () => number>>,
): Promise<Record<Who, number>> {
  for (let count = 0; count < LONG_WARM_UP; count++) await turn(LONG_ANSWER);
  const watched = Object.keys(costs) as Who[];
  const spent = new Map<Who, number[]>(watched.map((who) => [who, []]));
  for (let count = 0; count < LONG_ANSWERS; count++) {
    const before = watched.map((who) => costs[who]());
    await turn(LONG_ANSWER);
    watched.forEach((who, at) => spent.get(who)?.push(costs[who]() - (before[at] ?? 0)));
  }
  return Object.fromEntries(watched.map((who) => [who, middleMean(spent.get(who) ?? [])])) as Record<Who, number>;
}

function middleMean(costs: readonly number[]): number {
  const middle = costs.toSorted((a, b) => a - b).slice(OUTER_ANSWERS, -OUTER_ANSWERS);
  return middle.reduce((sum, cost) => sum + cost, 0) / middle.length;
}

async function firstTextMs(table: ServedTable, text: string): Promise<number> {
  const startedMs = performance.now();
  const said = await table.say(text);
  await table.next("text_delta", { from: said });
  const firstMs = performance.now() - startedMs;
  await table.answerTo(said);
  return firstMs;
}

async function ours(): Promise<void> {
  const subject = subjectNamed(agent);
  const table = await openServedTable({ roundtable, subject, ...usual, members: [{ name: "ann", ...subject.spec }] });
  const firstMs = await medianFirstMs((text) => firstTextMs(table, text));
  const counted = await longAnswers((text) => table.run(text), {
    agent: () => treeCpuMs(table.serverPid) - cpuMs(table.serverPid),
    own: () => cpuMs(table.serverPid),
    client: () => cpuMs(process.pid),
  });
  report({ firstMs, agentCpuMs: counted.agent, ownCpuMs: counted.own, clientCpuMs: counted.client });
  await table.stop();
  table.remove();
}

async function clocked(): Promise<void> {
  const subject = subjectNamed(agent);
  const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
  const file = path.join(scratch, "times");
  const clock = pathToFileURL(path.join(import.meta.dirname, "pipe-clock.ts"));
  clock.search = new URLSearchParams({ file, mark: SHORT_ANSWER }).toString();
  const [node = "", ...rest] = roundtable;
  const members = [{ name: "ann", ...subject.spec }];
  const table = await openServedTable({
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

async function together(): Promise<void> {
  const subject = subjectNamed(agent);
  const members = Array.from({ length: TOGETHER }, (_, at) => Object.assign({ name: `member-${at}` }, subject.spec));
  const table = await openServedTable({ roundtable, subject, ...usual, members });
  const { agents, own } = await longAnswers((text) => askAll(table, text), {
    agents: () => treeCpuMs(table.serverPid) - cpuMs(table.serverPid),
    own: () => cpuMs(table.serverPid),
  });
  report({ agentCpuMs: agents / TOGETHER, ownCpuMs: own / TOGETHER });
  await table.stop();
  table.remove();
}

/** Asks everybody at once and waits for all; resolves with how many failed. */
async function askAll(table: ServedTable, text: string): Promise<number> {
  const from = await table.say(text, table.members);
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
  const table = await openServedTable({ roundtable, subject, ...usual, members });
  const failed = await askAll(table, "[[fake: text]]");
  await sleep(IDLE_MS);
  const idleMb = rssMb(table.serverPid);
  const failedLong = await askAll(table, LONG_ANSWER);
  report({ rssMb: idleMb, peakMb: peakRssMb(table.serverPid), failed: failed + failedLong });
  await table.stop();
  table.remove();
}

if (mode === "idle") await idle();
else if (mode === "ours") await ours();
else if (mode === "clocked") await clocked();
else if (mode === "together") await together();
else if (mode === "beside") await beside();
else if (mode === "cost") await cost();
else await bare({ isKeeping: mode === "floor", isSeated: mode === "seated" });
await server.close();
process.exit(0);
