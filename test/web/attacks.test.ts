/** Hostile text in the page, streamed and reloaded, with the policy of the server and without it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { openSink, streamAttacks, watchForWrongs, wrongsOf, type Sink } from "./attack-page.ts";
import { attacksOn } from "./attacks.ts";
import { openBrowser } from "./browser.ts";
import { openEventDesk } from "./event-desk.ts";
import { becomes, openContext, openPage } from "./open-page.ts";

/** Cut at every character: these, and all of them in the long run of `attacks.torture.ts`. */
const CUT_FINELY = /^(?:handler 0|link (?:0|16)|image 0|control 1)$/;
/** As many at once as a high view has room for. */
const LOT = 16;
/** With the policy less can happen, so that a third of them is enough here; all are in `attacks.torture.ts`. */
const LOTS_APART_WITH_POLICY = 3;
const HEIGHT = 7_000;

let browser: Browser;
let sink: Sink;

beforeAll(async () => {
  [browser, sink] = await Promise.all([openBrowser(), openSink()]);
});

afterAll(async () => {
  await browser.close();
  await sink.close();
});

describe.concurrent.each([{ hasPolicy: true }, { hasPolicy: false }])(
  "with the policy: $hasPolicy",
  ({ hasPolicy }) => {
    test("[W50] no attack runs, asks another place, or looks like a control, live and after a reload", async () => {
      const desk = await openEventDesk({ hasPolicy });
      const attacks = attacksOn(sink.url);
      expect(attacks.length).toBeGreaterThanOrEqual(100);
      const context = await openContext(browser, desk, { width: 900, height: HEIGHT });
      await watchForWrongs(context);
      const page = await openPage(context, desk);
      const asked: string[] = [];
      const faults: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("dialog", (dialog) => void dialog.dismiss().then(() => faults.push("a dialog")));
      const step = hasPolicy ? LOTS_APART_WITH_POLICY * LOT : LOT;
      for (let from = 0; from < attacks.length; from += step) {
        const lot = attacks.slice(from, from + LOT);
        const sessionId = `lot${from}`;
        await streamAttacks(desk, page, sessionId, lot, 120);
        expect([from, await wrongsOf(page)]).toEqual([from, []]);
        // As a page draws it that comes later; the last lot by a whole reload.
        await page.goto(`${desk.url}/#/`);
        await page.getByRole("heading", { name: "New session" }).waitFor();
        await page.goto(`${desk.url}/#/s/${sessionId}`);
        if (from + step >= attacks.length) await page.reload();
        await becomes(() => page.locator(".turn").count(), lot.length);
        await page.evaluate(() => {
          for (const fold of document.querySelectorAll<HTMLElement>(":is(.tool, .thought):not([open]) > summary"))
            fold.click();
        });
        await becomes(() => page.locator(".tool:not([open])").count(), 0);
        expect([from, await wrongsOf(page)]).toEqual([from, []]);
      }
      await streamAttacks(
        desk,
        page,
        "fine",
        attacks.filter(({ name }) => CUT_FINELY.test(name)),
        1,
      );
      expect(await wrongsOf(page)).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(`${desk.url}/`) && !url.startsWith("data:"))).toEqual([]);
      expect([sink.asked, desk.strange]).toEqual([[], []]);
      expect(faults).toEqual([]);
      await context.close();
      await desk.close();
    });
  },
);
