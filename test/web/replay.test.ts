/** A past session scrubbed and compared in a real browser, drawn by the rows of the live page. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isDiscussing, isRunning, loadedMessages } from "../../src/transcript/index.ts";
import type { Serving } from "../server/serve-program.ts";
import { axeFaults, openServedPage, type ServedPage } from "./one-page.ts";
import {
  choose,
  draft,
  isSettled,
  log,
  openProgram,
  pictureOf,
  send,
  sessionOf,
  SOON,
  type Program,
} from "./open-page.ts";

let on: ServedPage;
let page: ServedPage["page"];
let program: Program;

beforeAll(async () => {
  on = await openServedPage({ hasAxe: true, sessionId: createReplaySession });
  ({ page } = on);
  program = await openProgram(on.serving, await sessionOf(page));
});

afterAll(async () => {
  program.client.close();
  await on.close();
});

/** Three who need no model, and one round: what each of them says first. */
async function createReplaySession(serving: Serving): Promise<string> {
  const headers = { authorization: `Bearer ${serving.token}`, "content-type": "application/json" };
  const members = ["scout", "historian", "critic"].map((name) => ({ name, kind: "embedded" }));
  const body = JSON.stringify({ title: "A past session", members, settings: { auto_rounds: 0 } });
  const answer = await fetch(`${serving.url}/v1/sessions`, { method: "POST", headers, body });
  return ((await answer.json()) as { sessionId: string }).sessionId;
}

const slider = () => page.getByRole("slider", { name: "Event" });
const position = async () => Number(await slider().inputValue());
const lastPosition = async () => Number(await slider().getAttribute("max"));
const button = (name: string) => page.getByRole("button", { name, exact: true });
const shownSeqs = () => log(page).locator(".row").count();

/** Everybody has said all there is to say. */
async function settled(turns: number): Promise<void> {
  await expect
    .poll(() => {
      const { head } = program.transcript();
      return head.totals.turns >= turns && !isRunning(head) && !isDiscussing(head);
    }, SOON)
    .toBe(true);
  const { seq } = program.transcript().head;
  await page.locator(`main[data-seq="${seq}"]`).waitFor();
}

describe("replay", () => {
  test("a replay opens at the end, with the very rows of the live page, and hides the draft", async () => {
    await send(page, "@scout /try tools");
    await settled(1);
    await send(page, "@all where are the tests?");
    await settled(4);
    await isSettled(page);
    const live = await pictureOf(page);
    await choose(page.locator("header.bar"), "Replay");
    await slider().waitFor();
    expect(await position()).toBe(await lastPosition());
    expect(await lastPosition()).toBe(program.transcript().head.seq);
    await expect.poll(() => pictureOf(page), SOON).toBe(live);
    expect(await draft(page).isVisible()).toBe(false);
  });

  test("arrow keys step by one event, Home and End go to the ends, and the place is said", async () => {
    const last = await lastPosition();
    await page.keyboard.press("ArrowLeft");
    expect(await position()).toBe(last - 1);
    await page.keyboard.press("ArrowRight");
    expect(await position()).toBe(last);
    await page.keyboard.press("Home");
    expect(await position()).toBe(0);
    await expect.poll(shownSeqs, SOON).toBe(0);
    expect(await slider().getAttribute("aria-valuetext")).toContain(`event 0 of ${last}`);
    await button("One event forward").click();
    expect(await position()).toBe(1);
    expect(await slider().getAttribute("aria-valuetext")).toContain("session created");
    await page.keyboard.press("End");
    expect(await position()).toBe(last);
  });

  test("messages of users are reached by a key and a button; what came later is not shown", async () => {
    await page.keyboard.press("Home");
    await slider().focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => log(page).locator(".user").count(), SOON).toBe(1);
    expect(await log(page).locator(".turn").count()).toBe(0);
    await button("Your next message").click();
    await expect.poll(() => log(page).locator(".user").count(), SOON).toBe(2);
    expect(await log(page).locator(".turn").count()).toBe(1);
    await button("Your previous message").click();
    await expect.poll(() => log(page).locator(".turn").count(), SOON).toBe(0);
  });

  test("every place of the slider shows the same as stepping there, forward and back", async () => {
    const last = await lastPosition();
    const positions = [Math.floor(last / 3), last - 2, Math.floor(last / 2)];
    await button("Your next message").click();
    const pictures: string[] = [];
    for (const at of positions) {
      await slider().fill(String(at));
      expect(await position()).toBe(at);
      await shownAt(at);
      pictures.push(await pictureOf(page));
    }
    for (const [which, at] of positions.entries()) {
      await slider().fill(String(at - 3));
      for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
      await shownAt(at);
      expect(await pictureOf(page)).toBe(pictures[which]);
    }
  });

  test("it plays by the recorded times at 1, 4 and 16 times, pauses, and says that long pauses are cut", async () => {
    await page.keyboard.press("Home");
    await page.getByText("Pauses longer than 2 s are shortened.").waitFor();
    // A few frames are far less than what was recorded, however slow the machine is.
    await page.evaluate(async () => {
      const press = (name: string) =>
        document.querySelector<HTMLElement>(`.replay-bar [aria-label="${name}"]`)?.click();
      press("Play");
      for (let frame = 0; frame < 4; frame += 1) await new Promise((done) => requestAnimationFrame(done));
      press("Pause");
    });
    await button("Play").waitFor();
    const paused = await position();
    await isSettled(page);
    expect(await position()).toBe(paused);
    expect(paused).toBeGreaterThan(0);
    expect(paused).toBeLessThan(await lastPosition());
    await button("16×").click();
    expect(await button("16×").getAttribute("aria-pressed")).toBe("true");
    await slider().focus();
    await page.keyboard.press("Space");
    await expect.poll(position, SOON).toBe(await lastPosition());
    await button("Play").waitFor();
    await page.keyboard.press("-");
    expect(await button("4×").getAttribute("aria-pressed")).toBe("true");
  });

  test("who works and what was used are those of the moment that is replayed", async () => {
    const facts = page.locator(".bar-facts, .turn-state");
    const shown = async () => (await facts.allInnerTexts()).join(" ").replaceAll(/\s+/g, " ");
    const live = await shown();
    const [, first] = loadedMessages(program.transcript());
    if (first?.kind !== "turn") throw new Error("the first message has no turn");
    await slider().fill(String(first.seq));
    await expect.poll(shown, SOON).toContain("Starting");
    expect(live).not.toContain("Starting");
    await slider().fill("0");
    await expect.poll(shown, SOON).toBe("");
    await slider().fill(String(await lastPosition()));
    await expect.poll(shown, SOON).toBe(live);
  });

  test("pinning from a replay is rejected with a message", async () => {
    await choose(page.locator(".message.user").first(), "Pin");
    await page.getByRole("alert").getByText("This is a replay: nothing can be changed here.").waitFor();
    expect(program.transcript().head.pinned).toEqual([]);
  });

  test("the address names the event of a replay; opening it seeks there, and so does /replay", async () => {
    const at = Math.floor((await lastPosition()) / 2);
    await slider().fill(String(at));
    await shownAt(at);
    const picture = await pictureOf(page);
    const { sessionId } = program.transcript().head;
    await expect.poll(() => page.evaluate(() => location.hash), SOON).toBe(`#/s/${sessionId}/r/${at}`);
    await page.reload();
    await slider().waitFor();
    expect(await position()).toBe(at);
    await shownAt(at);
    expect(await pictureOf(page)).toBe(picture);
    await button("Back to live").click();
    await draft(page).fill(`/replay ${at - 1}`);
    await page.keyboard.press("Enter");
    await slider().waitFor();
    expect(await position()).toBe(at - 1);
    await page.goBack();
    await draft(page).waitFor();
    await page.goForward();
    await slider().waitFor();
    await page.keyboard.press("End");
    await shownAt(await lastPosition());
  });

  test("nothing can be changed in a replay: a command of a row is refused with a sentence", async () => {
    await log(page).getByRole("button", { name: "Retry" }).last().click();
    await page.getByRole("alert").getByText("This is a replay: nothing can be changed here.").waitFor();
    expect(program.transcript().head.turnCount).toBeGreaterThanOrEqual(4);
    expect(isRunning(program.transcript().head)).toBe(false);
  });

  test("what happens live meanwhile is said; Escape leads back to live and to the draft, and interrupts nobody", async () => {
    const { sessionId } = program.transcript().head;
    const ack = await program.client.command(sessionId, {
      type: "send",
      text: "@scout /try confirm",
      clientMessageId: "while-replaying",
    });
    expect(ack.ok).toBe(true);
    await page.getByText(/The session has continued: \d+ newer events?\./).waitFor();
    await page.getByText("1 request is waiting for an answer.").waitFor();
    // A request that is not in view is not answered by a key.
    await button("Play").focus();
    await page.keyboard.press("1");
    await page.keyboard.press("Escape");
    await draft(page).waitFor();
    await expect.poll(() => draft(page).evaluate((node) => node === document.activeElement), SOON).toBe(true);
    await page.locator(".request").waitFor();
    await log(page).getByText("/try confirm").first().waitFor();
    expect(program.transcript().head.requests.length).toBe(1);
    expect(await page.getByRole("region", { name: "Replay" }).count()).toBe(0);
  });
});

/** The rows are drawn some frames after the slider has moved and the place is said. */
async function shownAt(at: number): Promise<void> {
  await page.getByText(`event ${at} of`).waitFor();
  await isSettled(page);
}

describe("columns", () => {
  const columns = () => log(page).locator(".columns").last().locator(".col");

  test("the answers to a message to several stand side by side, one column a member", async () => {
    await program.client.command(program.transcript().head.sessionId, { type: "interrupt", scope: "all" });
    await expect.poll(() => columns().count(), SOON).toBeGreaterThan(1);
    const labels = await columns()
      .locator("article")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(labels).toEqual([...new Set(labels)]);
    const tops = await columns().evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    expect(await columns().first().locator(".blocks").innerText()).not.toBe("");
    expect(await log(page).getByRole("tablist").count()).toBe(0);
  });

  test("a column is widened, pinned, hidden and shown again by its menu", async () => {
    const second = (await columns().nth(1).locator("article").getAttribute("aria-label")) ?? "";
    const choose = async (label: string) => {
      await log(page)
        .getByRole("button", { name: `Column of ${second}` })
        .last()
        .click();
      await page
        .getByRole("group", { name: `Column of ${second}` })
        .getByRole("button", { name: label })
        .last()
        .click();
    };
    const width = async () => (await columns().getByRole("article", { name: second }).boundingBox())?.width ?? 0;
    const before = await width();
    await choose("Widen");
    await expect.poll(width, SOON).toBeGreaterThan(before * 1.3);
    await choose("Narrow");
    await choose("Pin to the left");
    expect(await columns().first().locator("article").getAttribute("aria-label")).toBe(second);
    await choose("Hide column");
    await expect.poll(() => columns().getByRole("article", { name: second }).count(), SOON).toBe(0);
    await log(page)
      .getByRole("button", { name: `Show ${second}` })
      .last()
      .click();
    await expect.poll(() => columns().getByRole("article", { name: second }).count(), SOON).toBe(1);
  });

  test("answers are stacked and put side by side again by one button, and it is remembered", async () => {
    const lefts = () =>
      columns().evaluateAll((all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().left))).size);
    const side = await columns().count();
    await page.getByRole("button", { name: "Stack answers" }).click();
    await expect.poll(lefts, SOON).toBe(1);
    await page.reload();
    const back = page.getByRole("button", { name: "Show answers side by side" });
    await back.waitFor();
    await expect.poll(() => columns().count(), SOON).toBe(side);
    expect(await lefts()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);
    await back.click();
    await expect.poll(lefts, SOON).toBe(side);
  });

  test("on a narrow screen the columns are tabs, moved by arrow keys", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const tabs = log(page).getByRole("tablist").last().getByRole("tab");
    await tabs.first().waitFor();
    await tabs.first().click();
    await page.keyboard.press("ArrowRight");
    expect(await tabs.nth(1).getAttribute("aria-selected")).toBe("true");
    expect(await tabs.nth(1).evaluate((tab) => tab === document.activeElement)).toBe(true);
    expect(await columns().filter({ visible: true }).count()).toBe(1);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wide).toBe(false);
    await page.setViewportSize({ width: 1280, height: 720 });
    expect(on.faults).toEqual([]);
  });
});
