/**
 * An answer on a screen: `agent-on-screen.ts own AGENT` in the agent's own terminal program, `agent-on-screen.ts ours
 * AGENT` as a member, with the server and our terminal app. Measures the time from Enter to the first visible text, and
 * the CPU of an answer of 600 chunks: of the third and fourth after the start (`newCpuMs`), and after a warm-up.
 * `agent-on-screen.ts paint AGENT` measures how long the agent's own terminal program takes to its first text.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS } from "../../src/cli/connect/background-server.ts";
import { installAgent, usualCacheDir } from "../../test/agents/real/install-agent.ts";
import { startModelServer } from "../../test/agents/real/model-server.ts";
import { pins } from "../../test/agents/real/pins.ts";
import { openServedSession } from "../../test/agents/real/served-session.ts";
import { subjectOf, type Subject } from "../../test/agents/real/subjects.ts";
import { isInput, openOnScreen, type Seen } from "./on-screen.ts";
import { cpuMs, treeCpuMs } from "./process-cost.ts";
import { percentile, report } from "./product.ts";

const [mode, agent = ""] = process.argv.slice(2);
const PIECES = 600;
/** Short answers for the first text; as many again are a warm-up. */
const SHORT_ANSWERS = 12;
/** Answers before those that count as the first of a new program. */
const NEW_WARM_UP = 2;
/** Answers until everything runs compiled code. */
const WARM_UP = 6;
const ANSWERS = 2;
/** Until the last frames are drawn and files are written. */
const SETTLE_MS = 1_500;
/** Typing speed: some programs take anything faster for a paste. */
const KEY_MS = 30;
/** Programs wait to tell typing from a paste, and for suggestions. */
const PAUSE_MS = 500;

const server = await startModelServer();

function subject(): Subject {
  const pin = pins.find(({ name }) => name === agent);
  if (pin === undefined) throw new Error(`there is no agent ${agent}`);
  return subjectOf(pin.name, installAgent(pin, process.env["ROUNDTABLE_TEST_AGENTS"] ?? usualCacheDir()), server.url);
}

interface Asked {
  readonly seen: Seen;
  readonly spentMs: () => number;
}

async function type(seen: Seen, question: string): Promise<void> {
  for (const key of question) {
    seen.pty.write(key);
    await sleep(KEY_MS);
  }
  await seen.sees((rows) => rows.some((row) => row.includes(question)), "the question in the draft");
  await sleep(PAUSE_MS);
}

/** Over when the last word is visible; each answer is one chunk longer, so no earlier one had that word. */
async function askLong({ seen, spentMs }: Asked, pieces: number): Promise<number> {
  await type(seen, `[[fake: slow n=${pieces} delay=10]]`);
  await sleep(SETTLE_MS);
  const before = spentMs();
  seen.pty.write("\r");
  await seen.sees((rows) => rows.some((row) => row.includes(`word${pieces}`)), "the end of the answer");
  await sleep(SETTLE_MS);
  return spentMs() - before;
}

/** From Enter to the visible answer. */
async function askShort({ seen }: Asked, count: number): Promise<number> {
  const answer = `Yes${count}.`;
  await type(seen, `[[fake: text text=${answer} delay=0]]`);
  const startedMs = performance.now();
  seen.pty.write("\r");
  const isAnswer = (row: string) => row.includes(answer) && !row.includes("fake");
  const seenMs = await seen.sees((rows) => rows.some(isAnswer), "the short answer");
  await sleep(PAUSE_MS);
  return seenMs - startedMs;
}

async function measure(asked: Asked): Promise<void> {
  let pieces = PIECES;
  const average = async (count: number) => {
    let sum = 0;
    for (let at = 0; at < count; at++) sum += await askLong(asked, pieces++);
    return sum / count;
  };
  await average(NEW_WARM_UP);
  const newCpuMs = await average(ANSWERS);
  const times: number[] = [];
  for (let count = 0; count < 2 * SHORT_ANSWERS; count++) times.push(await askShort(asked, count));
  const sorted = times.slice(SHORT_ANSWERS).toSorted((a, b) => a - b);
  await average(WARM_UP);
  report({ newCpuMs, cpuMs: await average(ANSWERS), firstMs: percentile(sorted, 0.5) });
}

/** One-time choices of a user: model, trusted folder, API key. */
function firstChoices(home: string, project: string): readonly string[] {
  if (agent === "pi") return ["--model", "fake/fake-text"];
  if (agent === "codex") return ["-s", "read-only", "-a", "never"];
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["nothing-secret"] },
  };
  const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  writeFileSync(path.join(home, ".claude.json"), JSON.stringify({ ...known, projects }));
  return [];
}

/** A new home is asked about a model first. */
async function takeOffer(seen: Seen): Promise<void> {
  await seen.sees((rows) => rows.some((row) => row.includes("confirm")), "the offer of a model");
  seen.pty.write("\r");
  await seen.sees((rows) => rows.some((row) => row.includes("Model changed")), "the model that was taken");
}

/** The agent's own terminal program in a new home. */
function openOwn(): { readonly seen: Seen; readonly remove: () => void } {
  const seat = subject();
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "roundtable-bench-")));
  const cwd = path.join(home, "project");
  mkdirSync(cwd);
  seat.prepare(home);
  const [program = "", ...args] = seat.spec.command ?? [];
  const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", HOME: home, TMPDIR: home, ...seat.env };
  const seen = openOnScreen(program, [...args, ...firstChoices(home, cwd)], { cwd, env });
  return {
    seen,
    remove() {
      seen.pty.kill("SIGKILL");
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function paint(): Promise<void> {
  const { seen, remove } = openOwn();
  const at = await seen.sees((rows) => rows.some((row) => row.trim() !== ""), "the first text");
  report({ ms: at - seen.startedAt });
  remove();
}

async function own(): Promise<void> {
  const { seen, remove } = openOwn();
  await sleep(4 * SETTLE_MS);
  if (agent === "codex") await takeOffer(seen);
  await measure({ seen, spentMs: () => treeCpuMs(seen.pty.pid) });
  remove();
}

async function ours(): Promise<void> {
  const seat = subject();
  const program = process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? "";
  const roundtable = [process.execPath, ...SERVER_FLAGS, program];
  const table = await openServedSession({ roundtable, subject: seat, members: [{ name: "ann", ...seat.spec }] });
  const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", HOME: table.home, TMPDIR: table.home, ...seat.env };
  const args = [program, "chat", "--data-dir", table.dataDir, "-c"];
  const seen = openOnScreen(process.execPath, args, { cwd: table.project, env });
  await seen.sees((rows) => rows.some(isInput), "the input");
  // One reader instead of two.
  table.leave();
  const screenMs = () => cpuMs(seen.pty.pid);
  const tableMs = () => treeCpuMs(table.serverPid);
  await measure({ seen, spentMs: () => screenMs() + tableMs() });
  seen.pty.kill("SIGKILL");
  await table.stop();
  table.remove();
}

if (mode === "own") await own();
else if (mode === "paint") await paint();
else await ours();
await server.close();
process.exit(0);
