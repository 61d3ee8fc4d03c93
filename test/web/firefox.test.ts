/** Signing in, streaming and settings in Firefox, where the machine has one that can be driven. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, firefox } from "playwright-core";
import { expect, test } from "vitest";
import { startServing } from "../server/serve-program.ts";
import { draft, log, newCode, SOON } from "./open-page.ts";

const onPath = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .flatMap((directory) => ["firefox", "firefox-esr"].map((name) => path.join(directory, name)));
const executablePath = [process.env["FIREFOX_PATH"] ?? "", ...onPath].find((file) => existsSync(file));

/** The driver speaks WebDriver BiDi to Mozilla's own builds; older ones lack commands that it needs. */
async function newContext(browser: Browser): Promise<BrowserContext | undefined> {
  try {
    return await browser.newContext();
  } catch (error) {
    if (String(error).includes("unknown command")) return undefined;
    throw error;
  }
}

test("in Firefox a typed code signs in for good, an answer streams in, settings and menus work", async ({
  skip,
  onTestFinished,
}) => {
  if (executablePath === undefined) skip("no Firefox here; FIREFOX_PATH can name one");
  const env = { ...process.env, HOME: mkdtempSync(path.join(tmpdir(), "rt-firefox-")) };
  const browser = await firefox.launch({ channel: "moz-firefox", executablePath, env, timeout: SOON.timeout });
  onTestFinished(() => browser.close());
  const context = await newContext(browser);
  if (context === undefined) skip(`Firefox ${browser.version()} is too old to be driven`);
  context.setDefaultTimeout(SOON.timeout);
  const serving = await startServing();
  onTestFinished(() => serving.stop());
  const page = await context.newPage();
  await page.goto(serving.url);
  await page.getByText(/^You're signed out\./).waitFor();
  await page.getByLabel("Sign-in code").fill(await newCode(serving, { typed: true }));
  await page.keyboard.press("Enter");
  await draft(page).waitFor();
  await page.reload();
  await draft(page).waitFor();
  await expect.poll(() => draft(page).evaluate((node) => node === document.activeElement), SOON).toBe(true);
  await page.keyboard.type("/try short");
  await page.keyboard.press("Enter");
  const answer = log(page).getByRole("article").nth(1);
  await expect.poll(() => answer.getAttribute("data-outcome"), SOON).toBe("completed");
  await page.goto(`${serving.url}/#/settings/devices`);
  await page.getByRole("region", { name: "Devices" }).getByText("Firefox on Linux").waitFor();
  await page.getByLabel("Theme").selectOption("Dark");
  expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  const row = page.locator(".side .session-row").first();
  await row.locator(".session-open").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await row.getByRole("button", { name: "Move to trash" }).waitFor();
});
