/** Hostile text in the page, streamed and reloaded, with the policy of the server and without it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { openSink, streamAttacks, watchForWrongs, wrongsOf, type Sink } from "./attack-page.ts";
import { attacksOn } from "./attacks.ts";
import { openBrowser } from "./browser.ts";
import { openFakeHost } from "./fake-host.ts";
import { becomes, openContext, openPage } from "./open-page.ts";
import { rounds } from "../rounds.ts";

/** Cut at every character, without the policy: these, and all of them, with it too, in the long run of `attacks.torture.ts`. */
const CUT_FINELY = /^(?:handler 0|link (?:0|16)|image 0|control 1)$/;
/** As many at once as a high view has room for. */
const BATCH = 16;
/** Without the policy a third of them, with it, where less can happen, a sixth; all of them in torture. */
const BATCHES_APART = rounds({ withPolicy: 6, without: 3 }, { withPolicy: 1, without: 1 });
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
      const host = await openFakeHost({ hasPolicy });
      const attacks = attacksOn(sink.url);
      expect(attacks.length).toBeGreaterThanOrEqual(100);
      const context = await openContext(browser, host, { width: 900, height: HEIGHT });
      await watchForWrongs(context);
      const page = await openPage(context, host);
      const asked: string[] = [];
      const faults: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("dialog", (dialog) => void dialog.dismiss().then(() => faults.push("a dialog")));
      const step = (hasPolicy ? BATCHES_APART.withPolicy : BATCHES_APART.without) * BATCH;
      for (let from = 0; from < attacks.length; from += step) {
        const batch = attacks.slice(from, from + BATCH);
        const sessionId = `lot${from}`;
        await streamAttacks(host, page, sessionId, batch, 120);
        expect([from, await wrongsOf(page)]).toEqual([from, []]);
        // As a page draws it that comes later; the last lot by a whole reload.
        await page.goto(`${host.url}/#/`);
        await page.getByRole("heading", { name: "New session" }).waitFor();
        await page.goto(`${host.url}/#/s/${sessionId}`);
        if (from + step >= attacks.length) await page.reload();
        await becomes(() => page.locator(".turn:visible").count(), batch.length);
        await page.evaluate(() => {
          for (const fold of document.querySelectorAll<HTMLElement>(":is(.tool, .thought):not([open]) > summary"))
            fold.click();
        });
        await becomes(() => page.locator(".tool:not([open])").count(), 0);
        expect([from, await wrongsOf(page)]).toEqual([from, []]);
      }
      const fine = attacks.filter(({ name }) => CUT_FINELY.test(name));
      if (!hasPolicy) await streamAttacks(host, page, "fine", fine, 1);
      expect(await wrongsOf(page)).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(`${host.url}/`) && !url.startsWith("data:"))).toEqual([]);
      expect([sink.asked, host.strange]).toEqual([[], []]);
      expect(faults).toEqual([]);
      await context.close();
      await host.close();
    });
  },
);
