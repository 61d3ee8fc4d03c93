/** The page beside other ways to the same session, and how `roundtable web` gets there. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLoneHome, until } from "../launch/lone-home.ts";
import { keys } from "../tui/key-bytes.ts";
import { launchBrowser, openBrowser } from "./browser.ts";
import { log, openContext, openPage, pictureOf, send, sessionOf, SOON } from "./open-page.ts";

test("two browsers and a terminal on one session stay equal, whichever writes", async () => {
  const home = createLoneHome();
  const serving = await home.serving();
  const [first, second] = await Promise.all([openBrowser(), launchBrowser()]);
  const one = await openPage(await openContext(first, serving), serving);
  await send(one, "/try thinking");
  await log(one).getByText("I have thought twice.").waitFor();
  const sessionId = await sessionOf(one);
  const two = await openPage(await openContext(second, serving), serving, sessionId);
  const terminal = home.terminal(["attach", serving.url, "--session", sessionId]);
  await terminal.sees("I have thought twice.");
  await send(two, "/try tools");
  await Promise.all([
    terminal.sees("3 succeeded, 1 failed."),
    log(one).getByText("3 succeeded, 1 failed.").waitFor(),
    log(two).getByText("3 succeeded, 1 failed.").waitFor(),
  ]);
  terminal.type(`/try changes${keys.enter}`);
  await Promise.all([
    terminal.sees("Done: reports changed files"),
    log(one).getByText("reports changed files").waitFor(),
    log(two).getByText("reports changed files").waitFor(),
  ]);
  for (const page of [one, two])
    await expect.poll(() => log(page).locator('.turn[data-outcome="completed"]').count(), SOON).toBe(3);
  await expect.poll(async () => (await pictureOf(one)) === (await pictureOf(two)), SOON).toBe(true);
  await Promise.all([first.close(), second.close()]);
});

test("`roundtable web` starts a server when none runs and opens the browser with a file that leads to it once", async () => {
  const home = createLoneHome();
  const opened = join(home.directory, "opened");
  const browser = join(home.directory, "browser.sh");
  writeFileSync(browser, `#!/bin/sh\ncat "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
  chmodSync(browser, 0o700);
  expect(home.record()).toBeUndefined();
  const terminal = home.terminal(["web"], { BROWSER: browser });
  await terminal.sees("exit 0");
  await until("the browser was given the page", () => existsSync(opened));
  const url = home.record()?.url ?? "none";
  const link = new RegExp(`${url}/#code=[\\w-]+`).exec(readFileSync(opened, "utf8"))?.[0] ?? "";
  expect(terminal.text().replaceAll("\n", "")).toContain(link);
  const exchange = () =>
    fetch(`${url}/v1/exchange`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: link.split("#code=")[1] }),
    });
  expect(await (await exchange()).json()).toEqual({ token: home.token() });
  expect((await exchange()).ok).toBe(false);
});
