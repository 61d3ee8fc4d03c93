/** What a stream has drawn is what a reload draws, for sessions that were made up with tools, cancels, exchanges and errors. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { sampleLog } from "../generate/session-log.ts";
import { rounds } from "../rounds.ts";
import { openBrowser } from "./browser.ts";
import { openFakeHost, type FakeHost } from "./fake-host.ts";
import { log, openContext, openPage, SOON } from "./open-page.ts";
import { isDrawn as isDrawnOn } from "./one-page.ts";

const SESSIONS = Number(process.env["WEB_SESSIONS"] ?? rounds(3, 40));
const SEED = Number(process.env["WEB_SEED"] ?? 192);
const STEPS = 40;

let browser: Browser;
let host: FakeHost;
let context: BrowserContext;
/** A page that comes to every session when it is there already. */
let late: Page;

beforeAll(async () => {
  [host, browser] = await Promise.all([openFakeHost(), openBrowser()]);
  context = await openContext(browser, host, { height: 3_000 });
  // How long a turn has run is counted by each page for itself: with one clock for all, it is compared like the rest.
  await context.addInitScript((now) => (Date.now = () => now), Date.now());
  late = await openPage(context, host);
});

afterAll(async () => {
  await browser.close();
  await host.close();
});

const isDrawn = (page: Page, sessionId: string) => isDrawnOn({ host, page }, sessionId);

test(`[W40] live, reloaded and in a second page a session looks the same, at the end and in its middle (seed ${SEED})`, async () => {
  const faults: string[] = [];
  const kinds = new Set<string>();
  const page = await openPage(context, host);
  page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(error.message));
  for (let at = 0; at < SESSIONS; at += 1) {
    const sessionId = `made${at}`;
    const events = sampleLog(SEED * 1000 + at, { steps: STEPS, damage: at % 3 === 0 }).map((event) =>
      Object.assign(event, { sessionId }),
    );
    for (const { type } of events) kinds.add(type);
    const middle = Math.floor(events.length * 0.6);
    host.append(sessionId, events.slice(0, 3));
    await page.goto(`${host.url}/#/s/${sessionId}`);
    await appendInBatches(sessionId, events.slice(3, middle));
    await isDrawn(page, sessionId);
    await comeLate(sessionId);
    await looksLike(page, late);
    await appendInBatches(sessionId, events.slice(middle));
    await isDrawn(page, sessionId);
    await comeLate(sessionId);
    await looksLike(page, late);
    const { messageCount } = host.transcript(sessionId).head;
    expect(await log(page).locator(".row").count()).toBeGreaterThanOrEqual(Math.min(messageCount, 30));
  }
  await page.reload();
  await isDrawn(page, `made${SESSIONS - 1}`);
  await looksLike(page, late);
  expect(faults).toEqual([]);
  // The sessions of the usual seed hold what this is about.
  for (const kind of process.env["WEB_SEED"] !== undefined
    ? []
    : ["tool_result", "output_cancelled", "agent_callback_result", "error", "subagent_spawned", "minutes"])
    expect([kind, kinds.has(kind)]).toEqual([kind, true]);
  await page.close();
});

/** Which rows are drawn follows from the way the view took, and from what a page has under it; those of both are compared. */
async function looksLike(page: Page, other: Page): Promise<void> {
  await expect.poll(async () => difference(await partsOf(page), await partsOf(other)), SOON).toEqual([]);
}

/** All that is shown of the session, row by row; the draft and what is said beside it belong to the page. */
function partsOf(page: Page): Promise<Record<string, string>> {
  return page.locator("main").evaluate((node) => {
    const copy = node.cloneNode(true) as HTMLElement;
    const parts: Record<string, string> = {};
    const take = (name: string, part: HTMLElement): void => {
      // Ids are counted by what the page has drawn before: here by their order, so that what refers to one still does.
      const ids: string[] = [];
      const inOrder = (id: string): string => {
        if (!ids.includes(id)) ids.push(id);
        return `id ${ids.indexOf(id)}`;
      };
      parts[name] = part.outerHTML.replaceAll(/ style="[^"]*"/g, "").replaceAll(/_r_[0-9a-z]+_/g, inOrder);
    };
    for (const row of copy.querySelectorAll<HTMLElement>(".row")) {
      take(`row ${row.dataset["index"]}`, row);
      row.remove();
    }
    copy.querySelectorAll(".request-note, .offer, .turn-news, .recipients, textarea").forEach((one) => one.remove());
    take("rest", copy);
    return parts;
  });
}

/** The first part that is not the same in both, or how few rows both have. */
function difference(ones: Record<string, string>, others: Record<string, string>): string[] {
  const names = Object.keys(ones).filter((name) => name in others);
  const different = names.find((name) => ones[name] !== others[name]);
  if (different !== undefined) return [different, ones[different] ?? "", others[different] ?? ""];
  const rowsMax = Math.max(Object.keys(ones).length, Object.keys(others).length);
  return names.length < rowsMax / 2 ? [`${names.length} parts of ${rowsMax} are in both`] : [];
}

async function comeLate(sessionId: string): Promise<void> {
  await late.goto(`${host.url}/#/`);
  await late.getByRole("heading", { name: "New session" }).waitFor();
  await late.goto(`${host.url}/#/s/${sessionId}`);
  await isDrawn(late, sessionId);
}

async function appendInBatches(sessionId: string, events: readonly SessionEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += 7) {
    host.append(sessionId, events.slice(from, from + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
