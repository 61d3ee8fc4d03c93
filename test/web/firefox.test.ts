/** A short walk in Firefox, where the machine has it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, threeScouts } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { firefoxFile, openFirefox, type FirefoxPage } from "./firefox.ts";
import { newCode } from "./open-page.ts";

const file = firefoxFile();
if (file === undefined)
  process.stdout.write("The page is not tried in Firefox: there is none (FIREFOX_PATH names one).\n");

const ENTER = "\uE007";
const ESCAPE = "\uE00C";
const DRAFT = 'textarea[aria-label="Message"]';

describe.skipIf(file === undefined)("in Firefox", () => {
  let serving: Serving;
  let page: FirefoxPage;

  beforeAll(async () => {
    const home = createHome();
    home.configure(threeScouts);
    [serving, page] = await Promise.all([startServing({ home }), openFirefox(file ?? "")]);
    await page.resize(1440, 900);
  });

  afterAll(async () => {
    await page.close();
    await serving.stop();
  });

  const hasFocus = () => page.until((draft) => document.activeElement?.matches(draft) === true, DRAFT);
  const isRead = (selector: string, text: string) =>
    page.until(
      (where, what) => [...document.querySelectorAll(where)].some(({ textContent }) => textContent.includes(what)),
      selector,
      text,
    );

  test("a typed code signs in, a reload stays signed in, and the draft has the focus", async () => {
    await page.goTo(serving.url);
    await page.click("form input");
    await page.type((await newCode(serving, { typed: true })) + ENTER);
    await hasFocus();
    await page.reload();
    await hasFocus();
  });

  test("answers to a message stand side by side, and as tabs where there is room for one", async () => {
    await page.type(`parseWidget${ENTER}`);
    await page.until(() => document.querySelectorAll('.col > .turn[data-outcome="completed"]').length === 3);
    const look = () =>
      page.run(() => {
        const boxes = [...document.querySelectorAll(".col")].map((one) => one.getBoundingClientRect());
        const shown = boxes.filter(({ width }) => width > 0);
        return { shown: shown.length, tops: new Set(shown.map(({ top }) => top)).size };
      });
    expect(await look()).toEqual({ shown: 3, tops: 1 });
    await page.resize(390, 800);
    await page.until(() => document.querySelector('.columns [role="tab"]')?.checkVisibility() === true);
    expect(await look()).toEqual({ shown: 1, tops: 1 });
    expect(await page.run(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.resize(1440, 900);
  });

  test("a command is approved on its card", async () => {
    await page.click(DRAFT);
    await page.type(`@ada /try approval${ENTER}`);
    await page.until(() => document.querySelector(".request")?.getAttribute("data-ready") === "true");
    await page.click(".request .choice", "Allow once");
    await page.until(() => document.querySelector(".request") === null);
    await isRead(".turn", "allowed once");
  });

  test("the panel shows members and a file that was read, and closes", async () => {
    await page.click("header button", "Panel");
    await page.click('.panel [role="tab"]', "Members");
    await isRead(".panel .pcard", "ada");
    await page.click('.panel [role="tab"]', "Files");
    await isRead(".panel", "parser.js");
    await page.click(".panel button", "Close panel");
    await page.until(() => document.querySelector(".panel") === null);
  });

  test("a menu opens at its button, and the settings switch the theme", async () => {
    await page.click(".members-chip");
    await page.until(() => document.querySelector(".member-menu")?.matches(":popover-open") === true);
    const far = await page.run(() => {
      const [menu, button] = [".member-menu", ".members-chip"].map((one) => document.querySelector(one));
      const [a, b] = [menu?.getBoundingClientRect(), button?.getBoundingClientRect()];
      if (a === undefined || b === undefined) return Infinity;
      return Math.max(Math.abs(a.left - b.left), Math.min(Math.abs(a.top - b.bottom), Math.abs(a.bottom - b.top)));
    });
    expect(far).toBeLessThan(16);
    await page.type(ESCAPE);
    await page.goTo(`${serving.url}/#/settings`);
    await page.until(() => document.querySelector('select[aria-label="Theme"]') !== null);
    await page.click('select[aria-label="Theme"]');
    await page.type(`Dark${ENTER}`);
    await page.until(() => document.documentElement.dataset["theme"] === "dark");
    expect(page.faults).toEqual([]);
  });
});
