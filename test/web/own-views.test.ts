/** Views of their own, in a real browser: the models of the members, and the page of a subagent. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import { ended, started } from "../generate/drafts.ts";
import { openBrowser } from "./browser.ts";
import { openEventDesk, type EventDesk } from "./event-desk.ts";
import { opening, tellDrafts } from "./made-session.ts";
import { draft, log, openContext, openPage, SOON } from "./open-page.ts";

let browser: Browser;
let desk: EventDesk;
let context: BrowserContext;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  [desk, browser] = await Promise.all([openEventDesk(), openBrowser()]);
  context = await openContext(browser, desk, { height: 900 });
  await context.addInitScript(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  page = await openPage(context, desk);
  page.on("pageerror", (error) => faults.push(error.message));
});

afterAll(async () => {
  await browser.close();
  await desk.close();
});

async function show(sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
  tellDrafts(desk, sessionId, drafts);
  await page.goto(`${desk.url}/#/s/${sessionId}`);
  const { seq } = desk.transcript(sessionId).head;
  await expect.poll(() => page.locator("main").getAttribute("data-seq"), SOON).toBe(String(seq));
}

async function write(text: string): Promise<void> {
  await draft(page).fill(text);
  await page.keyboard.press("Enter");
}

async function axeFaults(): Promise<string[]> {
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await axe.run()).violations.map(({ id }) => id);
  });
}

test("[W202] /model shows every member with the models its program offers; a click or a written name switches", async () => {
  const models = [{ id: "opus" }, { id: "sonnet-5", name: "Sonnet 5", description: "fast" }];
  await show("models", [...opening, { type: "member_models", member: "claude", models }]);
  await write("/model");
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.waitFor();
  const claude = dialog.getByRole("region", { name: "Model of claude" });
  const offered = claude.getByRole("list", { name: "Models of claude" }).getByRole("button");
  expect(await offered.allTextContents()).toEqual(["opus", "Sonnet 5sonnet-5 · fast"]);
  expect(await axeFaults()).toEqual([]);
  await claude.getByRole("textbox", { name: "Model" }).fill("sonn");
  expect(await offered.count()).toBe(1);
  await offered.first().click();
  await expect
    .poll(() => desk.heard.at(-1), SOON)
    .toMatchObject({ type: "switch_model", member: "claude", model: "sonnet-5" });
  await dialog.getByRole("region", { name: "Model of codex" }).getByRole("textbox", { name: "Model" }).fill("my own");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => desk.heard.at(-1), SOON)
    .toMatchObject({ type: "switch_model", member: "codex", model: "my own" });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("[W203] while a member runs it is said that another model is used from its next turn on", async () => {
  tellDrafts(desk, "models", [started("t1", "claude", { messageIds: ["m1"] })]);
  await page.getByRole("list", { name: "Members" }).getByText("running").waitFor();
  await write("/model claude opus");
  await page.getByText("claude uses opus from its next turn on; the running one ends as it began.").waitFor();
  await write("/model claude");
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.getByText("claude is at work; another model is used from its next turn on.").waitFor();
  await page.keyboard.press("Escape");
  await write("/model nobody x");
  await page.getByText('There is no member "nobody" at the table.').waitFor();
  await draft(page).fill("");
});

const text = (turnId: string, member: string, words: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member,
  segmentId: `s-${turnId}`,
  text: words,
});

const spawned = (turnId: string, member: string, name: string, child: string): EventDraft => ({
  type: "subagent_spawned",
  depth: 1,
  turnId,
  member,
  name,
  task: `look into ${name}`,
  subagentTurnId: child,
});

test("[W204] a subagent has a page of its own with its turn and those below it, which grows and has an address", async () => {
  const sent = (turnId: string, name: string, parentTurnId: string, depth: number): EventDraft =>
    started(turnId, name, { cause: "subagent", parentTurnId, depth });
  await show("agents", [
    ...opening,
    started("t1", "claude", { messageIds: ["m1"] }),
    text("t1", "claude", "Words of claude."),
    spawned("t1", "claude", "finder", "t2"),
    sent("t2", "finder", "t1", 1),
    text("t2", "finder", "Found it."),
    spawned("t2", "finder", "reader", "t3"),
    sent("t3", "reader", "t2", 2),
    text("t3", "reader", "Read it."),
    ended("t3", "reader"),
    spawned("t1", "claude", "other", "t4"),
    sent("t4", "other", "t1", 1),
    text("t4", "other", "Another thing."),
  ]);
  const seq = desk.transcript("agents").head.openTurns["t2"]?.seq;
  await log(page).getByText("finder: look into finder").click();
  await page.getByRole("button", { name: "Open its page" }).first().click();
  const own = page.getByRole("log", { name: "What the subagent did" });
  await own.getByText("Found it.").waitFor();
  await own.getByText("Read it.").waitFor();
  expect(await page.evaluate(() => location.hash)).toBe(`#/s/agents/a/${seq}`);
  expect(await page.getByText("Words of claude.").count()).toBe(0);
  expect(await page.getByText("Another thing.").count()).toBe(0);
  expect(await axeFaults()).toEqual([]);
  tellDrafts(desk, "agents", [text("t2", "finder", " And more.")]);
  await own.getByText("Found it. And more.").waitFor();
  await page.reload();
  await own.getByText("Found it. And more.").waitFor();
  await page.getByRole("button", { name: "← Conversation" }).click();
  await log(page).getByText("Words of claude.").waitFor();
  await page.goto(`${desk.url}/#/s/agents/a/2`);
  await page.getByText("There is no such turn in this session.").waitFor();
  expect(faults).toEqual([]);
});
