/** axe in every view of the page: light and dark, from a small phone to a wide screen. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appendSessions, changeRepository, makeRepository, makeSessions } from "../../tooling/page-sessions.ts";
import { axeFaults, axeSource, isDrawn, openFakeHostPage, type FakeHostPage } from "./one-page.ts";
import { isSettled, openContext } from "./open-page.ts";
import { rounds } from "../rounds.ts";

type Look = readonly [width: number, look: "dark" | "light"];

/** One view small and dark, the next one large and light; all widths in both looks in torture. */
const LOOKS = rounds<readonly Look[]>(
  [
    [360, "dark"],
    [1440, "light"],
  ],
  [320, 360, 390, 640, 900, 1440, 1920, 2560].flatMap((width) => [[width, "dark"] as const, [width, "light"] as const]),
);

let on: FakeHostPage;
let page: FakeHostPage["page"];
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), "rt-views-"));
  const root = await makeRepository(scratch);
  await changeRepository(root);
  on = await openFakeHostPage({ hasAxe: true, height: 900 });
  ({ page } = on);
  appendSessions(on.host, makeSessions(root));
});

afterAll(async () => {
  await on.close();
  await rm(scratch, { recursive: true });
});

let views = 0;

/** Faults of what is shown, in the looks of this view. */
async function faults(page = on.page): Promise<string[]> {
  const found: string[] = [];
  const mine = rounds(LOOKS.slice(views % 2, (views % 2) + 1), LOOKS);
  views += 1;
  for (const [width, colorScheme] of mine) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await isSettled(page);
    for (const fault of await axeFaults(page)) found.push(`${colorScheme} ${width}: ${fault}`);
    const scrolls = await page.evaluate(() => document.documentElement.scrollWidth);
    if (scrolls > width) found.push(`${width}: the page is ${scrolls} wide`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

async function goTo(address: string): Promise<void> {
  await page.goto(`${on.host.url}/#/${address}`);
  const [, sessionId] = /^s\/(\w+)$/.exec(address) ?? [];
  if (sessionId !== undefined) await isDrawn(on, sessionId);
}

test.for([
  ["an empty page", ""],
  ["answers that are being written", "s/jobs"],
  ["answers", "s/index"],
  ["an approval of a change", "s/drain"],
  ["an approval of a command", "s/flaky"],
  ["a question", "s/rotate"],
  ["the inbox", "inbox"],
  ["the list of sessions", "sessions"],
  ["the settings", "settings"],
])("axe finds no fault in %s", async ([, address = ""]) => {
  await goTo(address);
  await page.locator("main:visible").waitFor();
  if (address === "settings") await page.getByText("agents.local.baseUrl").waitFor();
  expect(await faults()).toEqual([]);
});

test("axe finds no fault in the page of a browser that is not signed in", async () => {
  const context = await openContext(on.browser, on.host);
  await context.addInitScript(axeSource());
  const stranger = await context.newPage();
  await stranger.goto(on.host.url);
  await stranger.getByLabel("Sign-in code").press("Enter");
  await stranger.getByRole("alert").getByText("Type the code").waitFor();
  expect(await faults(stranger)).toEqual([]);
  await context.close();
});

test("code has no ligatures: a command that is approved shows every character", async () => {
  for (const address of ["s/flaky", "s/index", "s/drain"]) {
    await goTo(address);
    await isSettled(page);
    const joined = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("body *")]
        .filter((one) => getComputedStyle(one).fontFamily.startsWith('"JetBrains Mono"'))
        .filter((one) => getComputedStyle(one).fontVariantLigatures !== "none")
        .map((one) => `${one.localName}.${one.className}`),
    );
    expect(joined).toEqual([]);
  }
  expect(await page.locator(".thing").count()).toBeGreaterThan(0);
});

test("axe finds no fault in a replay", async () => {
  await goTo("s/index/r");
  await page.getByRole("slider", { name: "Event" }).waitFor();
  expect(await faults()).toEqual([]);
});

test("axe finds no fault in the search", async () => {
  await goTo("s/index");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("drain");
  await page.getByRole("dialog").getByText("Drain before release").first().waitFor();
  expect(await faults()).toEqual([]);
  await page.keyboard.press("Escape");
});

test.for(["Changes", "Files", "Members", "Minutes"])("axe finds no fault in the panel's %s", async (tab) => {
  await goTo("s/timeout");
  const chosen = page.getByRole("tab", { name: new RegExp(`^${tab}`) });
  if (!(await chosen.isVisible())) await page.getByRole("button", { name: "Panel", exact: true }).click();
  await chosen.click();
  await page.getByRole("tabpanel").first().waitFor();
  expect(await faults()).toEqual([]);
});
