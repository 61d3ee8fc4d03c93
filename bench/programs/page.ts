/**
 * The page in a real browser on the packed server, or with `bare` the minimal page. `stream`: three members at 200
 * deltas a second, 20,000 characters of Markdown each, five times; `columns`: all members at 100 deltas a second in
 * columns, 20,000 characters each, ten times; `open`: opens and scrolls a session of 10,000 messages, then Home and End.
 * `prepare N` creates a session of N messages.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { signIn } from "../../test/web/open-page.ts";
import { barePage } from "./bare-page.ts";
import { answer, markdownSession } from "./markdown-session.ts";
import { openBrowser } from "./open-browser.ts";
import { percentile, report } from "./product.ts";
import { saveSession } from "./saved-session.ts";
import { serveSession, type ServedSession } from "./served-session.ts";
import { MEMBERS, SESSION } from "./session-drafts.ts";

const [mode, messages] = process.argv.slice(2);
const isColumns = mode === "columns";
const DELTAS_PER_SECOND = isColumns ? 100 : 200;
const ANSWER_CHARS = 20_000;
const DELTA_CHARS = 10;
const ROUNDS = isColumns ? 10 : 5;
/** Room for a column of each member. */
const VIEWPORT = isColumns ? { width: 640 + 320 * MEMBERS.length, height: 1_000 } : { width: 1_280, height: 800 };
/** From this round on the number of rendered answers is constant, so memory must be too. */
const FULL_ROUND = 3;
const SCROLL_MS = 6_000;
const SCROLL_PIXELS_A_FRAME = 60;
const WAIT_MS = 120_000;
const SETTLE_MS = 1_000;
const prepared = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
const web = path.join(path.dirname(process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? ""), "../dist/web");
/** A copy, so that runs do not affect each other. */
const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const dataDir = mode === "prepare" ? prepared : path.join(scratch, "data");

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

interface Server extends ServedSession {
  headSeq(): Promise<number>;
}

async function serve({ isBare = false } = {}): Promise<Server> {
  const ours = readdirSync(web).map((name) => ({
    path: name === "index.html" ? "/" : `/${name}`,
    contentType: TYPES[name.split(".").at(-1) ?? ""] ?? "",
    body: readFileSync(path.join(web, name)),
  }));
  const pageFiles = isBare ? barePage(SESSION) : ours;
  const speech = { text: answer(ANSWER_CHARS), deltaChars: DELTA_CHARS, deltasPerSecond: DELTAS_PER_SECOND };
  const served = await serveSession({ dataDir, version: "0", speech, pageFiles });
  return {
    ...served,
    async headSeq() {
      const found = await fetch(`${served.url}/v1/sessions`, { headers: served.headers });
      const sessions = (await found.json()) as { sessionId: string; seq: number }[];
      return sessions.find(({ sessionId }) => sessionId === SESSION)?.seq ?? Number.NaN;
    },
  };
}

/** Records long tasks, frames in which an answer has grown, and when the first text is visible, from the start. */
function watchFromTheStart(token: string): void {
  // For the bare page; ours signs in.
  sessionStorage.setItem("roundtable.token", token);
  const seen: Seen = { tasks: [], firstMs: 0, grown: [] };
  Object.assign(globalThis, { seen });
  let isDue = false;
  new MutationObserver((changes) => {
    if (isDue || !changes.some(({ target }) => target.parentElement?.closest('.turn[data-outcome="open"]') != null))
      return;
    isDue = true;
    requestAnimationFrame((now) => {
      isDue = false;
      const lengths = [...document.querySelectorAll('.turn[data-outcome="open"]')].map(
        (turn) => turn.querySelector(".blocks")?.textContent?.length ?? 0,
      );
      seen.grown.push({ atMs: now, lengths });
    });
  }).observe(document, { childList: true, characterData: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const observer = new MutationObserver(() => {
    if (document.querySelector(".turn .markdown .block") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => (seen.firstMs = performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
}

interface Seen {
  tasks: number[];
  firstMs: number;
  /** Lengths of the answers that are being written, in each frame in which one has changed. */
  grown: { atMs: number; lengths: number[] }[];
}

const seenOn = (page: Page) => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);

async function openContext(browser: Browser, server: Server, { isBare = false } = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  context.setDefaultTimeout(WAIT_MS);
  if (!isBare) {
    const page = await context.newPage();
    await signIn(context, page, server);
    await page.close();
  }
  await context.addInitScript(watchFromTheStart, server.token);
  return context;
}

async function openPage(context: BrowserContext, { url }: Server): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/#/s/${SESSION}`);
  await page.waitForFunction(() => (globalThis as unknown as { seen: Seen }).seen.firstMs > 0);
  return page;
}

async function heapMb(client: CDPSession): Promise<number> {
  await client.send("HeapProfiler.collectGarbage");
  const { metrics } = await client.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? Number.NaN) / 2 ** 20;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  /** CPU time of the thread. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The longest task of the page's thread during the work, in CPU time. */
async function longestCpuMs(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ["-*", "toplevel"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString("utf8")) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ ph, pid, tid }) => ph === "X" && threads.has(`${pid} ${tid}`));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000));
}

async function stream({ isBare = false } = {}): Promise<void> {
  const server = await serve({ isBare });
  const browser = await openBrowser(scratch);
  const page = await openPage(await openContext(browser, server, { isBare }), server);
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const takeTasks = () => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.tasks.splice(0));
  const isSpeaking = (count: number) =>
    page.waitForFunction((open) => document.querySelectorAll('.turn[data-outcome="open"]').length === open, count);
  const heaps: number[] = [];
  const cpuMs: number[] = [];
  const tasks: number[] = [];
  const updates: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await takeTasks();
    cpuMs.push(
      await longestCpuMs(browser, page, async () => {
        await server.say(`round ${round}`);
        await isSpeaking(MEMBERS.length);
        await isSpeaking(0);
      }),
    );
    tasks.push(...(await takeTasks()));
    updates.push(await updatesPerSecond(page));
    heaps.push(await heapMb(client));
  }
  report({
    updatesPerSecond: Math.min(...updates),
    over50: tasks.filter((ms) => ms > 50).length,
    longestMs: Math.max(0, ...tasks),
    longestCpuMs: Math.max(...cpuMs),
    lost: isBare ? 0 : await lostOn(page, server),
    heapMb: heaps.at(-1) ?? Number.NaN,
    grownMb: (heaps.at(-1) ?? Number.NaN) - (heaps[FULL_ROUND - 1] ?? Number.NaN),
  });
  await browser.close();
}

/** How often a second the answer grew that grew least often, while all were written; forgets what was seen. */
async function updatesPerSecond(page: Page): Promise<number> {
  const grown = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen.grown.splice(0));
  const frames = grown.filter(({ lengths }) => lengths.length === MEMBERS.length);
  const seconds = ((frames.at(-1)?.atMs ?? 0) - (frames[0]?.atMs ?? 0)) / 1_000;
  const counts = MEMBERS.map(
    (_, at) => frames.filter(({ lengths }, frame) => lengths[at] !== frames[frame - 1]?.lengths[at]).length,
  );
  return Math.min(...counts) / seconds;
}

/** Answers of the last round that are incomplete on the page, now or after a reload. */
async function lostOn(page: Page, server: Server): Promise<number> {
  const isDrawn = (seq: number) =>
    page.waitForFunction((wanted) => document.querySelector("main")?.dataset["seq"] === String(wanted), seq);
  const words = () =>
    page
      .locator(".turn .markdown")
      .evaluateAll((all, count) => all.slice(-count).map((one) => one.textContent ?? ""), MEMBERS.length);
  const headSeq = await server.headSeq();
  await isDrawn(headSeq);
  const live = await words();
  await page.reload();
  await isDrawn(headSeq);
  await page.waitForTimeout(SETTLE_MS);
  const whole = await words();
  return MEMBERS.filter(
    (_, at) => live[at] === undefined || live[at] !== whole[at] || live[at].length < ANSWER_CHARS / 2,
  ).length;
}

async function scrollUp(page: Page): Promise<number[]> {
  return await page.evaluate(
    ([ms, pixels]) =>
      new Promise<number[]>((resolve) => {
        const scroller = document.querySelector(".scroller");
        if (scroller === null) throw new Error("the page has no scroller");
        const frames: number[] = [];
        const begun = performance.now();
        let last = begun;
        // A wheel event: scrolling leaves the end.
        scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: -1 }));
        function step(now: number): void {
          frames.push(now - last);
          last = now;
          scroller?.scrollBy(0, -(pixels ?? 0));
          if (now - begun < (ms ?? 0)) requestAnimationFrame(step);
          else resolve(frames.slice(1));
        }
        requestAnimationFrame(step);
      }),
    [SCROLL_MS, SCROLL_PIXELS_A_FRAME],
  );
}

/** From the key until messages are drawn at that end, and stay there. */
async function jumpMs(page: Page, key: "Home" | "End"): Promise<number> {
  await page.locator(".scroller").focus();
  // The key is pressed once this listens.
  const jump = await page.evaluateHandle(
    (wanted) => ({
      ms: new Promise<number>((resolve) => {
        const scroller = document.querySelector<HTMLElement>(".scroller");
        if (scroller === null) throw new Error("the page has no scroller");
        const isThere = (): boolean => {
          const { scrollTop, clientHeight, scrollHeight } = scroller;
          const { left, top, width, height } = scroller.getBoundingClientRect();
          const middle = document.elementFromPoint(left + width / 4, top + height / 2);
          const isAtEnd = wanted === "Home" ? scrollTop === 0 : scrollTop + clientHeight > scrollHeight - 2;
          return isAtEnd && middle?.closest(".row") != null;
        };
        document.addEventListener(
          "keydown",
          ({ timeStamp }) => {
            let sinceMs: number | undefined;
            requestAnimationFrame(function look(now) {
              sinceMs = isThere() ? (sinceMs ?? now) : undefined;
              // What is measured later must not move it away again.
              if (sinceMs !== undefined && now - sinceMs > 300) resolve(sinceMs - timeStamp);
              else requestAnimationFrame(look);
            });
          },
          { once: true, capture: true },
        );
      }),
    }),
    key,
  );
  await page.keyboard.press(key);
  return await jump.evaluate(({ ms }) => ms);
}

async function open(): Promise<void> {
  const server = await serve();
  const browser = await openBrowser(scratch);
  const context = await openContext(browser, server);
  // A second visit: the browser has compiled the page before.
  await (await openPage(context, server)).close();
  const page = await openPage(context, server);
  const { firstMs } = await seenOn(page);
  await page.waitForTimeout(SETTLE_MS);
  let frames: number[] = [];
  const cpuMs = await longestCpuMs(browser, page, async () => {
    frames = (await scrollUp(page)).toSorted((a, b) => a - b);
  });
  const homeMs = await jumpMs(page, "Home");
  const endMs = await jumpMs(page, "End");
  report({
    firstMs,
    homeMs,
    endMs,
    perSecond: (frames.length * 1_000) / SCROLL_MS,
    p99Ms: percentile(frames, 0.99),
    longestMs: frames.at(-1) ?? Number.NaN,
    longestCpuMs: cpuMs,
    over33: frames.filter((ms) => ms > 33.4).length,
    rows: await page.locator(".row").count(),
  });
  await browser.close();
}

if (mode !== "prepare" && prepared !== "") cpSync(prepared, dataDir, { recursive: true });
if (mode === "prepare") report(await saveSession(dataDir, markdownSession(Number(messages))));
else if (mode === "stream" || mode === "columns") await stream();
else if (mode === "bare") await stream({ isBare: true });
else if (mode === "open") await open();
else throw new Error(`unknown mode ${mode}`);
rmSync(scratch, { recursive: true, force: true });
process.exit(0);
