/** Who is stopped by whom, who gets what is written meanwhile, and what becomes of what waits, against the real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { loadedMessages } from "../../src/transcript/index.ts";
import { createHome, threeScouts } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import { becomes, draft, log, openContext, openPage, openProgram, send, sessionOf, type Program } from "./open-page.ts";

let browser: Browser;
let serving: Serving;
let page: Page;
let other: Page;
let program: Program;

beforeAll(async () => {
  const home = createHome();
  home.configure(threeScouts);
  [serving, browser] = await Promise.all([startServing({ home }), openBrowser()]);
  page = await openPage(await openContext(browser, serving), serving);
  await send(page, "@ada /try short");
  const sessionId = await sessionOf(page);
  other = await openPage(await openContext(browser, serving), serving, sessionId);
  program = await openProgram(serving, sessionId);
});

afterAll(async () => {
  program.client.close();
  await browser.close();
  await serving.stop();
});

const running = () => Object.values(program.transcript().head.openTurns).map(({ member }) => member);
const status = () => page.getByRole("status");

test("Escape stops what the page started, also before a reload, and names the rest; Escape again stops that too", async () => {
  await send(page, "@ada /try slow 400");
  await becomes(running, ["ada"]);
  await send(other, "@bob /try slow 400");
  await becomes(running, ["ada", "bob"]);
  await page.reload();
  await log(page).getByText("Step 1 of 400").nth(1).waitFor();
  await draft(page).press("Escape");
  await status().getByText("Stopped ada. bob is still running, started from a browser.").waitFor();
  await becomes(running, ["bob"]);
  await draft(page).press("Escape");
  await status().getByText("Stopped bob.").waitFor();
  await becomes(running, []);
});

test("what is written while a member works goes to whom the running message went, and the box says so before", async () => {
  await send(page, "@ada /try slow 400");
  await becomes(running, ["ada"]);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await draft(page).fill("and look at the tests");
  await page.getByText("To ada while it works").waitFor();
  await draft(page).fill("@bob hello");
  await page.getByText("To bob").waitFor();
  await draft(page).fill("and look at the tests");
  await draft(page).press("Enter");
  const newest = () =>
    [...loadedMessages(program.transcript())]
      .filter((one) => one.kind === "user")
      .map(({ text, to }) => [text, to])
      .at(-1);
  await becomes(newest, ["and look at the tests", ["ada"]]);
});

test("what is queued is held after a stop, and is put back into the box or sent by its buttons", async () => {
  const queue = page.getByRole("region", { name: "Queue" });
  await draft(page).fill("later");
  await draft(page).press("Tab");
  await queue.getByText("Queued: sent when this turn ends").waitFor();
  await draft(page).press("Escape");
  await becomes(running, []);
  await queue.getByText("Held since the stop").waitFor();
  await queue.getByRole("button", { name: "Put back" }).click();
  await becomes(() => draft(page).inputValue(), "@ada later");
  expect(program.transcript().head.queue).toEqual([]);
});
