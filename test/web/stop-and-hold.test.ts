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
  const recipients = page.locator(".composer .recipients");
  await recipients.getByText("To ada while it works", { exact: true }).waitFor();
  await draft(page).fill("@bob hello");
  await recipients.getByText("To bob", { exact: true }).waitFor();
  await draft(page).fill("and look at the tests");
  await draft(page).press("Enter");
  const newest = () =>
    [...loadedMessages(program.transcript())]
      .filter((one) => one.kind === "user")
      .map(({ text, to }) => [text, to])
      .at(-1);
  await becomes(newest, ["and look at the tests", ["ada"]]);
  // Until ada has it, a stop would hold it for ada.
  const blocks = () => Object.values(program.transcript().head.openTurns).flatMap((turn) => turn.blocks);
  await becomes(() => blocks().some(({ kind }) => kind === "steering"), true);
});

const queue = () => page.getByRole("region", { name: "Queue" });

test("what is queued is held after a stop, and is put back into the box by its button", async () => {
  await draft(page).fill("later");
  await draft(page).press("Tab");
  await queue().getByText("Queued: sent when this turn ends").waitFor();
  await draft(page).press("Escape");
  await becomes(running, []);
  await queue().getByText("On hold since the turn was stopped").waitFor();
  await queue().getByRole("button", { name: "Put back" }).click();
  await becomes(() => draft(page).inputValue(), "@ada later");
  expect(program.transcript().head.queue).toEqual([]);
});

test("what is held after a stop is sent by its button", async () => {
  await send(page, "@bob /try slow 400");
  await becomes(running, ["bob"]);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await draft(page).fill("@bob /try slow 300");
  await draft(page).press("Tab");
  await queue().getByText("Queued: sent when this turn ends").waitFor();
  await draft(page).press("Escape");
  await queue().getByText("On hold since the turn was stopped").waitFor();
  await queue().getByRole("listitem").getByRole("button", { name: "Send now" }).click();
  await log(page).getByText("Step 1 of 300").waitFor();
  expect(program.transcript().head.queue).toEqual([]);
  await draft(page).press("Escape");
  await becomes(running, []);
});

test("what a member was still to be given is held for it after a stop, and is sent by its button", async () => {
  const newest = () =>
    [...loadedMessages(program.transcript())]
      .filter((one) => one.kind === "turn")
      .map(({ member, end }) => [member, end?.outcome])
      .at(-1);
  await send(page, "@bob /try short");
  await becomes(newest, ["bob", "completed"]);
  const { sessionId } = program.transcript().head;
  await program.client.command(sessionId, { type: "set_settings", settings: { mode: "sequential" } });
  await send(page, "@bob @cyd /try slow 200");
  await becomes(running, ["bob"]);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await draft(page).press("Escape");
  await becomes(running, []);
  await queue().getByText("On hold for cyd since the turn was stopped").waitFor();
  await queue().getByRole("button", { name: "Send now" }).click();
  await becomes(running, ["cyd"]);
  await queue().waitFor({ state: "detached" });
});
