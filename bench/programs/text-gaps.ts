/**
 * How evenly text moves while a member streams a hundred words a second: `text-gaps.ts terminal|page` records when a
 * newer word is visible, with agent, server and screen as separate processes; `text-gaps.ts pipe` records when words
 * leave the agent.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_FLAGS } from "../../src/cli/connect/background-server.ts";
import { readServerRecord } from "../../src/server/server-record.ts";
import { openServedSession, type ServedSession } from "../../test/agents/real/served-session.ts";
import { signIn } from "../../test/web/open-page.ts";
import { openBrowser } from "./open-browser.ts";
import { isInput, openOnScreen } from "./on-screen.ts";
import { cpuMs } from "./process-cost.ts";
import { percentile, report } from "./product.ts";

const WORDS = 1_000;
/** Until everything runs compiled code. */
const WARM_UP = 300;
const SETTLE_MS = 1_500;
const program = process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? "";
const agent = [process.execPath, path.join(import.meta.dirname, "steady-agent.mjs")];
const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));

/** Records the time whenever a higher number with this letter is visible. */
function createWatch(letter: string) {
  const word = new RegExp(`${letter}(\\d{5})`, "g");
  const times: number[] = [];
  let newest = 0;
  return {
    see(text: string, atMs = performance.now()): void {
      const highest = [...text.matchAll(word)].reduce((most, [, number]) => Math.max(most, Number(number)), 0);
      if (highest <= newest) return;
      newest = highest;
      times.push(atMs);
    },
    times,
  };
}

function tell(times: readonly number[], more: Record<string, number> = {}): void {
  const gaps = times.slice(1).map((ms, at) => ms - (times[at] ?? ms));
  const sorted = gaps.toSorted((a, b) => a - b);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  report({
    perSecond: gaps.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    longestMs: sorted.at(-1) ?? Number.NaN,
    ...more,
  });
}

async function pipe(): Promise<void> {
  const child = spawn(agent[0] ?? "", agent.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const watch = createWatch("w");
  const done = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    watch.see(line);
    if (line.includes("stopReason")) done.resolve();
  });
  const params = { sessionId: "steady", prompt: [{ type: "text", text: `say ${WORDS} w` }] };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/prompt", params })}\n`);
  await done.promise;
  child.kill();
  tell(watch.times);
}

function openTable(): Promise<ServedSession> {
  return openServedSession({
    roundtable: [process.execPath, ...SERVER_FLAGS, program],
    subject: { spec: { kind: "acp", command: agent }, env: {}, prepare: () => {} },
    members: [{ name: "ann", kind: "acp", command: agent }],
    isLocal: true,
  });
}

async function terminal(): Promise<void> {
  const table = await openTable();
  const env = { HOME: table.home, TMPDIR: table.home };
  const seen = openOnScreen(process.execPath, [program, "chat", "--data-dir", table.dataDir, "-c"], {
    cwd: table.project,
    env,
  });
  await seen.sees((rows) => rows.some(isInput), "the input");
  const watch = createWatch("w");
  seen.pty.onData((data) => watch.see(data));
  await table.run(`say ${WARM_UP} v`);
  await sleep(SETTLE_MS);
  const spentMs = () => ({ server: cpuMs(table.serverPid), screen: cpuMs(seen.pty.pid) });
  const before = spentMs();
  await table.run(`say ${WORDS} w`);
  await sleep(SETTLE_MS);
  const after = spentMs();
  tell(watch.times, { serverCpuMs: after.server - before.server, screenCpuMs: after.screen - before.screen });
  seen.pty.kill("SIGKILL");
  await table.stop();
  table.remove();
}

/** Runs in the page. */
function watchWords(): void {
  const seen: { text: string; atMs: number }[] = [];
  Object.assign(globalThis, { seen });
  new MutationObserver(() => {
    const text = [...document.querySelectorAll(".turn .markdown")].at(-1)?.textContent ?? "";
    seen.push({ text: text.slice(-40), atMs: performance.now() });
  }).observe(document, { childList: true, characterData: true, subtree: true });
}

async function page(): Promise<void> {
  const table = await openTable();
  const { url } = readServerRecord(table.dataDir) ?? { url: "" };
  const token = readFileSync(path.join(table.dataDir, "token"), "utf8").trim();
  const browser = await openBrowser(scratch);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const shown = await context.newPage();
  await signIn(context, shown, { url, token });
  await context.addInitScript(watchWords);
  // The script runs in a document that is loaded, not in another address of the same one.
  await shown.goto("about:blank");
  await shown.goto(`${url}/#/s/${table.events[0]?.sessionId ?? ""}`);
  const isShown = (letter: string, count: number) =>
    shown.waitForFunction(
      (last) => document.body.textContent?.includes(last),
      `${letter}${String(count).padStart(5, "0")}`,
    );
  await table.run(`say ${WARM_UP} v`);
  await isShown("v", WARM_UP);
  await sleep(SETTLE_MS);
  const takeSeen = () =>
    shown.evaluate(() => (globalThis as unknown as { seen: { text: string; atMs: number }[] }).seen.splice(0));
  await takeSeen();
  const client = await context.newCDPSession(shown);
  // CPU time of the page's thread.
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const taskMs = async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const before = { server: cpuMs(table.serverPid), page: await taskMs() };
  await table.run(`say ${WORDS} w`);
  await isShown("w", WORDS);
  const watch = createWatch("w");
  for (const { text, atMs } of await takeSeen()) watch.see(text, atMs);
  tell(watch.times, {
    serverCpuMs: cpuMs(table.serverPid) - before.server,
    screenCpuMs: (await taskMs()) - before.page,
  });
  await browser.close();
  await table.stop();
  table.remove();
}

const [mode] = process.argv.slice(2);
if (mode === "pipe") await pipe();
else if (mode === "terminal") await terminal();
else if (mode === "page") await page();
else throw new Error(`unknown mode ${mode}`);
rmSync(scratch, { recursive: true, force: true });
process.exit(0);
