/** The search over all sessions on the page: from words in the field to the message they stand in. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { createHome } from "../cli/program.ts";
import { asked, created, said, sessionNumber, turnBegins, turnEnds, writeSession } from "../host/searched-session.ts";
import { openServedPage, type ServedPage } from "./one-page.ts";
import { draft, log, SOON } from "./open-page.ts";

const LONG = sessionNumber(1);
const OTHER = sessionNumber(2);
const MARKUP = "<img src=x onerror=alert(1)> zebra";
/** The seq of the turn in which the okapi is. */
const OKAPI_SEQ = 12;

let on: ServedPage;
let page: ServedPage["page"];

const TEXTS: Readonly<Record<number, string>> = {
  3: "here is the okapi",
  20: `${"nothing here.\n\n".repeat(120)}At last a *quagga*.\n\n${"nothing here.\n\n".repeat(120)}`,
};

/** Three events each. */
function answers(count: number): EventDraft[] {
  return Array.from({ length: count }, (_, number) => [
    turnBegins(`t${number}`),
    said(`t${number}`, TEXTS[number] ?? `${"nothing here.\n\n".repeat(8)} ${number}`),
    turnEnds(`t${number}`),
  ]).flat();
}

beforeAll(async () => {
  const home = createHome();
  const { dataDir } = home;
  const drafts = [created("Long"), asked("look for animals"), ...answers(60)];
  await writeSession({ dataDir, sessionId: LONG, drafts });
  await writeSession({ dataDir, sessionId: OTHER, drafts: [created("Markup"), asked(MARKUP)] });
  on = await openServedPage({ home, sessionId: async () => OTHER });
  ({ page } = on);
});

afterAll(() => on.close());

const palette = () => page.getByRole("dialog", { name: "Search" });
const field = () => palette().getByRole("combobox", { name: "Search sessions and messages" });
const hits = () => palette().getByRole("option");

test("the palette searches all sessions; a hit names session, author and time, marks the words, and the number of hits is announced", async () => {
  await page.keyboard.press("Control+k");
  await expect.poll(() => field().evaluate((node) => node === document.activeElement), SOON).toBe(true);
  await field().fill("okapi");
  await palette()
    .getByRole("status")
    .filter({ hasText: /^1 result in \d+ ms$/ })
    .waitFor();
  expect(await hits().locator(".hit-title").allTextContents()).toEqual(["Long · ada"]);
  expect(await hits().locator(".hit-detail").innerHTML()).toBe("here is the <mark>okapi</mark>");
  // Its own words only, and those of one member.
  await field().fill("@eve okapi");
  await palette().getByRole("status").filter({ hasText: "No results" }).waitFor();
  await field().fill("@ada okapi");
  await expect.poll(() => hits().count(), SOON).toBe(1);
  await page.keyboard.press("Tab");
  await palette().getByRole("status").filter({ hasText: "No results" }).waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => hits().count(), SOON).toBe(1);
});

test("choosing a find opens its session at the message", async () => {
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`#/s/${LONG}/m/${OKAPI_SEQ}$`));
  await log(page).getByText("here is the okapi").waitFor();
  await expect
    .poll(async () => {
      const box = await log(page).getByText("here is the okapi").boundingBox();
      return box !== null && box.y >= 0 && box.y < 720;
    }, SOON)
    .toBe(true);
});

test("a find in a long answer is in view, and its words are marked for a moment", async () => {
  await page.keyboard.press("Control+k");
  await field().fill("quagga");
  await expect.poll(() => hits().count(), SOON).toBe(1);
  await page.keyboard.press("Enter");
  const found = log(page).getByText("quagga");
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get("search-match") ?? [])].map((range) => (range as Range).toString()));
  await expect.poll(marked, SOON).toEqual(["quagga"]);
  const box = await found.boundingBox();
  expect(box?.y).toBeGreaterThan(100);
  expect(box?.y).toBeLessThan(620);
  await expect.poll(marked, SOON).toEqual([]);
});

test("/search WORDS in the draft fills the field; hits are rendered as text, whatever they contain", async () => {
  await draft(page).fill("/search zebra");
  await draft(page).press("Enter");
  await expect.poll(() => hits().locator(".hit-detail").allTextContents(), SOON).toEqual([MARKUP]);
  expect(await field().inputValue()).toBe("zebra");
  expect(await palette().locator("img").count()).toBe(0);
  await field().fill("=>");
  await palette().getByRole("status").filter({ hasText: "query is empty" }).waitFor();
  await field().press("Escape");
  await palette().waitFor({ state: "detached" });
  await expect.poll(() => draft(page).evaluate((node) => node === document.activeElement), SOON).toBe(true);
});
