/** The page in a real browser, against the real program. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openBrowser } from "./browser.ts";
import type { SessionSummary } from "../../src/protocol/index.ts";
import { drawnUpTo, isSettled, pictureOf, SOON } from "./open-page.ts";
import { patient } from "../patience.ts";

let browser: Browser;
let serving: Serving;
let context: BrowserContext;
let page: Page;
/** Everything that must not happen on a healthy page. */
const faults: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  [serving, browser] = await Promise.all([startServing(), openBrowser()]);
  context = await browser.newContext();
  page = await context.newPage();
  page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => asked.push(request.url()));
  page.setDefaultTimeout(patient(20_000));
});

afterAll(async () => {
  await browser.close();
  await serving.stop();
});

const input = () => page.getByRole("textbox", { name: "Message" });
const log = () => page.getByRole("log", { name: "Conversation" });

/** Runs in the page, which sees every picture, also those that are over before somebody can ask for them. */
function noteOrder({ text, rest }: { text: string; rest: string }): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const order: string[] = [];
  const look = (): void => {
    const shown = document.querySelector(".messages")?.textContent ?? "";
    const isPending = document.querySelector('.messages .tool[data-state="pending"]') !== null;
    const found = [shown.includes(text) && "text", isPending && "pending", shown.includes(rest) && "rest"];
    const words = found.filter(Boolean).join(", ");
    if (words !== "" && words !== order.at(-1)) order.push(words);
    if (!shown.includes(rest)) return;
    observer.disconnect();
    resolve(order);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
  return promise;
}

/** What the page shows is all there is, and nobody adds to it. */
async function isComplete(): Promise<void> {
  await expect
    .poll(async () => {
      const headers = { authorization: `Bearer ${serving.token}` };
      const [newest] = (await (await fetch(`${serving.url}/v1/sessions`, { headers })).json()) as SessionSummary[];
      const isOver = newest?.status !== "running";
      return isOver && (await drawnUpTo(page)) === `${newest?.sessionId} up to ${newest?.seq}`;
    }, SOON)
    .toBe(true);
  await isSettled(page);
}

async function send(text: string): Promise<void> {
  await input().fill(text);
  await input().press("Enter");
}

describe("the page", () => {
  test("without a code it says how to get in and asks for nothing else", async () => {
    const stranger = await browser.newPage();
    await stranger.goto(`${serving.url}/?url=https://evil.invalid&gatewayUrl=ws://evil.invalid`);
    await stranger.getByText(/^You're signed out\. Run roundtable web in a terminal/).waitFor();
    await stranger.close();
  });

  test("the link opens it once; the code leaves the address, and the token is in neither address nor page", async () => {
    await page.goto(serving.link);
    await input().waitFor();
    expect(page.url()).toBe(`${serving.url}/`);
    expect(await page.content()).not.toContain(serving.token);
    const second = await browser.newPage();
    await second.goto(serving.link);
    await second.getByText(/^This code doesn't work\./).waitFor();
    await second.close();
  });

  test("a message is answered in a stream: text first, tools with their state, then the rest", async () => {
    const order = page.evaluate(noteOrder, {
      text: "Four tools at once; the third fails.",
      rest: "3 succeeded, 1 failed.",
    });
    await send("/try tools");
    expect((await order).filter((shown) => shown !== "text")).toEqual(["text, pending", "text, rest"]);
    await expect.poll(() => log().locator('.turn[data-outcome="completed"]').count(), SOON).toBe(1);
    await log().getByText("Used 4 tools (1 failed)").click();
    const states = await log()
      .locator(".tool")
      .evaluateAll((tools) => tools.map((tool) => tool.getAttribute("data-state")));
    expect(states).toEqual(["success", "success", "error", "success"]);
    await log().locator(".tool-state").getByText("failed · ").click();
    await log().getByText("This tool fails on purpose.").waitFor();
    await page.getByRole("navigation", { name: "Sessions" }).getByText("/try tools").waitFor();
    // As a reload finds it: closed.
    await log().getByText("Used 4 tools (1 failed)").click();
  });

  test("Escape interrupts, keeps what was said and marks it; the draft stays", async () => {
    await send("/try slow 400");
    await log().getByText("Step 2 of 400").waitFor();
    await input().fill("half a thought");
    await page.keyboard.press("Escape");
    await log().locator('.turn[data-outcome="interrupted"]').getByText("This answer was stopped").waitFor();
    expect(await log().getByText("Step 2 of 400").count()).toBe(1);
    expect(await input().inputValue()).toBe("half a thought");
    expect(await page.locator(".toast").textContent()).toBe("Stopped scout.");
    await input().fill("");
  });

  test("a reload shows the same conversation as the stream did, and its turns are still its own to interrupt", async () => {
    await isComplete();
    const live = await pictureOf(page);
    await page.reload();
    await isComplete();
    await expect.poll(() => pictureOf(page), SOON).toBe(live);
    await send("/try slow 400");
    await log().getByText("Step 1 of 400").nth(1).waitFor();
    await page.reload();
    await log().getByText("Step 1 of 400").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => log().locator('.turn[data-outcome="interrupted"]').count(), SOON).toBe(2);
  });

  test("what a user or a model writes is text: no markup, no request to anybody", async () => {
    const attack =
      '<img src="https://evil.invalid/a.png" onerror="alert(1)"> ![x](https://evil.invalid/b.png) <script>alert(2)</script>';
    await page.getByRole("button", { name: "New session" }).click();
    await send(attack);
    await log().locator(".user").getByText('onerror="alert(1)"').waitFor();
    await log().locator('.turn[data-outcome="completed"]').waitFor();
    expect(await log().locator("img, script, a, iframe").count()).toBe(0);
    expect(await log().locator(".user .text").textContent()).toBe(attack);
    expect(asked.filter((url) => !url.startsWith(`${serving.url}/`) && !url.startsWith("data:"))).toEqual([]);
  });

  test("the browser console stays clean, and a lost server is shown with a way back", async () => {
    expect(faults).toEqual([]);
    await serving.stop();
    const banner = page.getByRole("alert").filter({ hasText: /Disconnected. Retrying (in \d+ s|now)\./ });
    await banner.getByRole("button", { name: "Try now" }).waitFor();
    expect(await input().isEnabled()).toBe(true);
  });
});
