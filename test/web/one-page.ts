/** One browser with one page for all tests of a file: on a desk that tells made events, or on the real program. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import type { Home } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import { openFakeHost, type FakeHost } from "./fake-host.ts";
import { appendDrafts } from "./made-session.ts";
import { drawnUpTo, openContext, openPage, SOON, type Behind } from "./open-page.ts";

interface OnePage {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page has complained of. */
  readonly faults: string[];
  close(): Promise<void>;
}

export interface FakeHostPage extends OnePage {
  readonly host: FakeHost;
}

export interface ServedPage extends OnePage {
  readonly serving: Serving;
}

interface OnePageOptions {
  readonly height?: number;
  /** Whether `axeFaults` will be asked. */
  readonly hasAxe?: boolean;
  /** A script that runs before those of the page. */
  readonly before?: () => void;
}

export async function openFakeHostPage(options: OnePageOptions = {}): Promise<FakeHostPage> {
  const [host, browser] = await Promise.all([openFakeHost(), openBrowser()]);
  return { host, ...(await openOne(browser, host, options, () => host.close())) };
}

export async function openServedPage(
  options: OnePageOptions & { readonly home?: Home; readonly sessionId?: (serving: Serving) => Promise<string> } = {},
): Promise<ServedPage> {
  const { home, sessionId } = options;
  const [serving, browser] = await Promise.all([startServing(home === undefined ? {} : { home }), openBrowser()]);
  const opened = await openOne(browser, serving, options, () => serving.stop(), await sessionId?.(serving));
  return { serving, ...opened };
}

async function openOne(
  browser: Browser,
  behind: Behind,
  { height, hasAxe = false, before }: OnePageOptions,
  closeBehind: () => Promise<void>,
  sessionId?: string,
): Promise<OnePage> {
  const context = await openContext(browser, behind, height === undefined ? {} : { height });
  if (hasAxe) await context.addInitScript(axeSource());
  if (before !== undefined) await context.addInitScript(before);
  const page = await openPage(context, behind, sessionId);
  const faults: string[] = [];
  page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(error.message));
  return {
    browser,
    context,
    page,
    faults,
    async close() {
      await browser.close();
      await closeBehind();
    },
  };
}

/** Everything that was told of the session is drawn. */
export async function isDrawn({ host, page }: Pick<FakeHostPage, "host" | "page">, sessionId: string): Promise<void> {
  const { seq } = host.transcript(sessionId).head;
  await expect.poll(() => drawnUpTo(page), SOON).toBe(`${sessionId} up to ${seq}`);
}

/** Tells these to the session and shows it. */
export async function show(
  on: Pick<FakeHostPage, "host" | "page">,
  sessionId: string,
  drafts: readonly EventDraft[],
): Promise<void> {
  appendDrafts(on.host, sessionId, drafts);
  await on.page.goto(`${on.host.url}/#/s/${sessionId}`);
  await isDrawn(on, sessionId);
}

export function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** What axe finds wrong with a page that has it, by rule and place. A colour on its way to another is waited for. */
export async function axeFaults(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => {
      const landmarks = nodes.map(({ target }) => String(target)).slice(0, 3);
      return `${id} at ${landmarks.join(" | ")}`;
    });
  });
}

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
}
