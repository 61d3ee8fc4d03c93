/** What agents ask, on several pages and a program at once, against the real server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Block } from "../../src/transcript/index.ts";
import { createHome, threeScouts } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import {
  card,
  draft,
  log,
  nameOf,
  note,
  openContext,
  openPage,
  openProgram,
  send,
  sessionOf,
  SOON,
  type Program,
} from "./open-page.ts";

let browser: Browser;
let serving: Serving;
let context: BrowserContext;
let page: Page;
let other: Page;
let program: Program;
let sessionId: string;
const faults: string[] = [];

beforeAll(async () => {
  const home = createHome();
  home.configure(threeScouts);
  [serving, browser] = await Promise.all([startServing({ home }), openBrowser()]);
  context = await openContext(browser, serving);
  page = await openPage(context, serving);
  await send(page, "@ada /try silence");
  sessionId = await sessionOf(page);
  other = await openPage(context, serving, sessionId);
  program = await openProgram(serving, sessionId);
  for (const one of [page, other]) {
    one.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
    one.on("pageerror", (error) => faults.push(error.message));
  }
});

afterEach(async () => {
  await expect.poll(openRequests, SOON).toBe(0);
  await expect.poll(() => program.transcript().head.openTurns, SOON).toEqual({});
});

afterAll(async () => {
  program.client.close();
  await browser.close();
  await serving.stop();
});

function openRequests(): number {
  return program.transcript().head.requests.length;
}

async function isReady(one: Page): Promise<void> {
  await one.locator('.request[data-ready="true"]').waitFor();
}

function lastRequest(): Extract<Block, { kind: "request" }> | undefined {
  const turns = program.transcript().live.flatMap(({ messages }) => messages.filter((one) => one.kind === "turn"));
  return turns.flatMap(({ blocks }) => blocks.filter((block) => block.kind === "request")).at(-1);
}

test("a request is on every page and program; answered on one it leaves the others, which say who answered", async () => {
  await send(page, "@ada /try approval");
  await Promise.all([isReady(page), isReady(other)]);
  await expect.poll(openRequests, SOON).toBe(1);
  const { requestId } = program.transcript().head.requests[0]!;
  await other.getByRole("button", { name: "Allow once" }).click();
  await card(page).waitFor({ state: "detached" });
  await card(other).waitFor({ state: "detached" });
  const who = await nameOf(other);
  expect(await note(page).textContent()).toMatch(new RegExp(`^ada: .* · allowed once · by ${who}$`));
  expect(await note(other).textContent()).toBe("");
  await log(page).getByTitle(who).getByText("allowed once").waitFor();
  await expect.poll(openRequests, SOON).toBe(0);
  await expect.poll(() => lastRequest()?.answer, SOON).toMatchObject({ result: "allow", error: null, by: who });
  const late = await program.client.command(sessionId, { type: "answer", requestId, result: "deny" });
  expect(late).toMatchObject({ ok: false, error: { code: "conflict" } });
  expect(late.ok ? "" : late.error.message).toContain(`answered by ${who}`);

  await send(page, "@ada /try confirm");
  await isReady(page);
  await expect.poll(openRequests, SOON).toBe(1);
  const second = program.transcript().head.requests[0]!.requestId;
  await program.client.command(sessionId, { type: "answer", requestId: second, result: true, by: "a script" });
  await Promise.all(
    [page, other].map((one) => note(one).getByText("ada: Go on? · answered: yes · by a script").waitFor()),
  );
  expect(await card(page).count()).toBe(0);
});

test("numbers that are written in the draft stay there; on the card they answer, and Escape leads back to the draft", async () => {
  await send(page, "@ada /try select");
  await isReady(page);
  await draft(page).focus();
  await expect.poll(openRequests, SOON).toBe(1);
  await page.keyboard.type("1 2 3");
  expect([await draft(page).inputValue(), openRequests()]).toEqual(["1 2 3", 1]);
  await page.keyboard.press("Shift+Tab");
  expect(await card(page).evaluate((node) => node.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Escape");
  expect(await draft(page).evaluate((node) => node === document.activeElement)).toBe(true);
  expect(openRequests()).toBe(1);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("2");
  await log(page).getByText('You answered "green"').waitFor();
  await expect.poll(() => draft(page).evaluate((node) => node === document.activeElement), SOON).toBe(true);
  expect(await draft(page).inputValue()).toBe("1 2 3");
  await draft(page).fill("");
});

test("a key or click at the moment an approval appears approves nothing; 500 ms later it does", async () => {
  await other.evaluate(() => {
    new MutationObserver((_changes, observer) => {
      const choice = document.querySelector<HTMLElement>(".request .choice");
      if (choice === null) return;
      observer.disconnect();
      choice.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
      choice.click();
      const ready = document.querySelector<HTMLElement>(".request")?.dataset["ready"] ?? "";
      document.documentElement.dataset["early"] = ready;
    }).observe(document.body, { childList: true, subtree: true });
  });
  await send(page, "@ada /try approval");
  await isReady(other);
  expect(await other.evaluate(() => document.documentElement.dataset["early"])).toBe("false");
  await expect.poll(openRequests, SOON).toBe(1);
  await other.getByRole("button", { name: "Deny", exact: true }).click();
  await log(page).getByText("You answered false").waitFor();
});

test("requests of several members come one after the other in the order of the log, and how many wait is said", async () => {
  await send(page, "/try confirm");
  await expect.poll(openRequests, SOON).toBe(3);
  const order = program.transcript().head.requests.map(({ member }) => member);
  for (const [index, member] of order.entries()) {
    await page.getByRole("group", { name: `${member} asks you: Go on?` }).waitFor();
    const more = ["2 more waiting", "1 more waiting", ""][index] ?? "";
    await expect.poll(() => page.locator(".requests > .fact").textContent(), SOON).toBe(more);
    await isReady(page);
    await card(page).getByRole("button", { name: "No", exact: true }).click();
  }
  await card(page).waitFor({ state: "detached" });
});

describe("every kind of request can be answered, and dismissed unless one of its answers is a no", () => {
  test("a line, and Enter sends it", async () => {
    await send(page, "@ada /try input");
    await page.getByRole("textbox", { name: "Your name?" }).fill("Ada 1");
    await page.keyboard.press("Enter");
    await log(page).getByText('You answered "Ada 1"').waitFor();
  });

  test("a text that is there already", async () => {
    await send(page, "@ada /try editor");
    const field = page.getByRole("textbox", { name: "Edit this note" });
    expect(await field.inputValue()).toBe("First line\nSecond line\n");
    await field.fill("Another line");
    await card(page).getByRole("button", { name: "Answer" }).click();
    await log(page).getByText('You answered "Another line"').waitFor();
  });

  test("several questions at once", async () => {
    await send(page, "@ada /try question");
    await page.getByRole("checkbox", { name: "Red" }).check();
    await page.getByRole("checkbox", { name: "Blue" }).check();
    await page.getByRole("textbox", { name: "Why?" }).fill("because");
    await card(page).getByRole("button", { name: "Answer" }).click();
    await log(page).getByText('You answered {"colours":["red","blue"],"why":"because"}').waitFor();
  });

  test("an approval by its own no", async () => {
    await send(page, "@ada /try approval");
    await isReady(page);
    expect(await page.getByRole("button", { name: "Dismiss" }).count()).toBe(0);
    await page.getByRole("button", { name: "Deny and say why" }).click();
    await page.keyboard.type("4 times: use make");
    await page.keyboard.press("Enter");
    await log(page).getByText("denied: 4 times: use make").waitFor();
    await card(page).waitFor({ state: "detached" });
  });

  test("none at all", async () => {
    await send(page, "@ada /try confirm");
    await isReady(page);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await log(page).getByText("No answer (dismissed); the default was used: false").waitFor();
  });
});

test("a double click answers one request, not the one that takes its place", async () => {
  await send(page, "/try select");
  await expect.poll(openRequests, SOON).toBe(3);
  const [, second] = program.transcript().head.requests;
  await card(page).getByRole("button", { name: "Red" }).dblclick();
  await page.getByRole("group", { name: `${second?.member} asks you: Which colour?` }).waitFor();
  // The page's own commands are answered in order: after this one, a second answer would be in the log.
  await send(page, "@nobody hello");
  await page.getByRole("alert").filter({ hasText: "nobody" }).waitFor();
  await draft(page).fill("");
  await expect.poll(openRequests, SOON).toBe(2);
  await page.keyboard.press("Escape");
});

test("the end of the conversation stays in view when a card takes room away, and a reader further up is left alone", async () => {
  const fromEnd = () =>
    page.locator(".scroller").evaluate((node) => node.scrollHeight - node.scrollTop - node.clientHeight);
  await send(page, "@ada /try long 6000");
  await expect.poll(() => program.transcript().head.openTurns, SOON).toEqual({});
  await send(page, "@ada /try approval");
  await isReady(page);
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
  await page.locator(".scroller").hover();
  await page.mouse.wheel(0, -600);
  await expect.poll(fromEnd, SOON).toBeGreaterThan(400);
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await log(page).getByText("You answered false").last().waitFor();
  expect(await fromEnd()).toBeGreaterThan(100);
});

test("a request whose turn is stopped, or whose time is up, leaves every page, which say so", async ({
  onTestFinished,
}) => {
  const settle = (seconds: number) =>
    program.client.command(sessionId, { type: "set_settings", settings: { request_timeout: seconds } });
  await send(page, "@ada /try approval");
  await Promise.all([card(page).waitFor(), card(other).waitFor()]);
  await page.keyboard.press("Escape");
  for (const one of [page, other]) {
    await card(one).waitFor({ state: "detached" });
    await note(one).getByText("· cancelled").waitFor();
  }
  onTestFinished(async () => void (await settle(300)));
  // Long enough for a slow machine to show it: a page that never saw the request has nothing to say of it.
  await settle(5);
  await send(page, "@bob /try approval");
  const seesItGo = async (one: Page) => {
    await card(one).waitFor();
    await note(one).getByText("denied, nobody answered").waitFor();
    expect(await card(one).count()).toBe(0);
  };
  await Promise.all([seesItGo(page), seesItGo(other)]);
  await log(page).getByText("No answer (expired); the default was used: false").last().waitFor();
});

test("a command that is refused says why and keeps the draft; an answer that is refused says so on its card", async () => {
  await send(page, "@nobody hello");
  await page.getByRole("alert").filter({ hasText: "nobody" }).waitFor();
  expect(await draft(page).inputValue()).toBe("@nobody hello");
  await draft(page).fill("");
  await send(page, "@ada /try input");
  await page.getByRole("textbox", { name: "Your name?" }).fill("x".repeat(200_000));
  await card(page).getByRole("button", { name: "Answer" }).click();
  await card(page).getByText("bytes; the limit is").waitFor();
  await page.getByRole("textbox", { name: "Your name?" }).fill("short");
  await card(page).getByRole("button", { name: "Answer" }).click();
  await log(page).getByText('You answered "short"').waitFor();
  expect(faults).toEqual([]);
});
