/** The page over cuts and restarts of the server, and in many tabs at once. */
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import type { Browser } from "playwright-core";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import { rounds } from "../rounds.ts";
import { becomes, draft, log, openContext, openPage, pictureOf, send, sessionOf } from "./open-page.ts";

/** More than a browser has connections to one server; a dozen in torture. */
const TABS = rounds(7, 12);

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

/** A server of the test's own, which it may end and start again. */
async function startOwn(after: TestContext["onTestFinished"]): Promise<Own> {
  const own: Own = {
    serving: await startServing(),
    async startAgain(args = []) {
      own.serving = await startServing({ home: own.serving.home }, args);
    },
  };
  after(() => own.serving.stop());
  return own;
}

interface Own {
  serving: Serving;
  startAgain(args?: readonly string[]): Promise<void>;
}

test.concurrent("after a kill of the server in mid-stream the page catches up without a reload, and what was written meanwhile is said once", async ({
  onTestFinished,
}) => {
  const own = await startOwn(onTestFinished);
  const context = await openContext(browser, own.serving);
  const page = await openPage(context, own.serving);
  await page.evaluate(() => (document.documentElement.dataset["loaded"] = "once"));
  await send(page, "/try slow 400");
  await log(page).getByText("Step 4 of 400").waitFor();
  const sessionId = await sessionOf(page);
  own.serving.child.kill("SIGKILL");
  await own.serving.ended;
  await page
    .getByRole("alert")
    .filter({ hasText: /Disconnected. Retrying (in \d+ s|now)\./ })
    .waitFor();
  await send(page, "/try thinking");
  await page.getByRole("region", { name: "Waiting to be sent" }).getByText("/try thinking").waitFor();
  await draft(page).fill("half a thought");

  await own.startAgain();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await log(page).getByText("I have thought twice.").waitFor();
  await page.getByRole("region", { name: "Waiting to be sent" }).waitFor({ state: "detached" });
  await becomes(() => log(page).locator('.turn[data-outcome="open"]').count(), 0);
  expect(await log(page).getByText("Step 4 of 400").count()).toBe(1);
  expect(await log(page).locator('.turn[data-outcome="interrupted"]').count()).toBe(1);
  expect(await log(page).locator(".user").getByText("/try thinking").count()).toBe(1);
  expect(await draft(page).inputValue()).toBe("half a thought");
  expect(await page.evaluate(() => document.documentElement.dataset["loaded"])).toBe("once");

  const fresh = await openPage(context, own.serving, sessionId);
  await log(fresh).getByText("I have thought twice.").waitFor();
  await becomes(async () => (await pictureOf(page)) === (await pictureOf(fresh)), true);
  await context.close();
});

test.concurrent("without its server the page stays a reader of what it has: it scrolls, folds open, the draft is kept", async ({
  onTestFinished,
}) => {
  const own = await startOwn(onTestFinished);
  const context = await openContext(browser, own.serving);
  const page = await openPage(context, own.serving);
  await send(page, "/try tools");
  await log(page).getByText("3 succeeded, 1 failed.").waitFor();
  await send(page, "/try long 6000");
  await becomes(() => log(page).locator('.turn[data-outcome="completed"]').count(), 2);
  own.serving.child.kill("SIGKILL");
  await own.serving.ended;
  await page.getByRole("alert").filter({ hasText: "Disconnected" }).waitFor();
  await page.getByRole("region", { name: "Messages" }).press("Home");
  const first = log(page).locator(".user").getByText("/try tools");
  await becomes(() => first.isVisible(), true);
  const tool = log(page).locator(".tool").first();
  if (!(await tool.isVisible())) await log(page).locator(".tool-group summary").first().click();
  await tool.locator("summary").first().click();
  await becomes(() => tool.evaluate((node: HTMLDetailsElement) => node.open), true);
  await draft(page).fill("written offline");
  expect(await draft(page).inputValue()).toBe("written offline");
  await context.close();
});

// The first test has its server killed, which is harder.
const inTorture = rounds(test.skip, test.concurrent);

inTorture(
  "a page finds its server again after an orderly restart and needs no new link",
  async ({ onTestFinished }) => {
    const own = await startOwn(onTestFinished);
    const context = await openContext(browser, own.serving);
    const page = await openPage(context, own.serving);
    const { url } = own.serving;
    await own.serving.stop();
    await page.getByRole("alert").filter({ hasText: "Disconnected" }).waitFor();
    await own.startAgain();
    expect(own.serving.url).toBe(url);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await send(page, "/try thinking");
    await log(page).getByText("I have thought twice.").waitFor();
    // A bookmark, a second tab and a copied link are the same address.
    const second = await openPage(context, own.serving, await sessionOf(page));
    await log(second).getByText("I have thought twice.").waitFor();
    await context.close();
  },
);

test.concurrent(`${TABS} tabs are live at once and show the same`, async ({ onTestFinished }) => {
  const own = await startOwn(onTestFinished);
  const context = await openContext(browser, own.serving);
  const page = await openPage(context, own.serving);
  await send(page, "/try silence");
  const sessionId = await sessionOf(page);
  const tabs = [
    page,
    ...(await Promise.all(Array.from({ length: TABS - 1 }, () => openPage(context, own.serving, sessionId)))),
  ];
  await send(tabs.at(-1) ?? page, "/try tools");
  await Promise.all(tabs.map((tab) => log(tab).getByText("Four tools at once; the third fails.").waitFor()));
  await Promise.all(tabs.map((tab) => log(tab).getByText("3 succeeded, 1 failed.").waitFor()));
  await becomes(async () => new Set(await Promise.all(tabs.map((tab) => pictureOf(tab)))).size, 1);
  await context.close();
});
