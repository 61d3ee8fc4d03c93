/** Every attack, cut at every character, drawn after each: live, with the policy and without it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { openSink, streamAttacks, wrongsOf, type Sink } from "./attack-page.ts";
import { attacksOn } from "./attacks.ts";
import { openBrowser } from "./browser.ts";
import { openEventDesk } from "./event-desk.ts";
import { openContext, openPage } from "./open-page.ts";

const LOT = 12;

let browser: Browser;
let sink: Sink;

beforeAll(async () => {
  [browser, sink] = await Promise.all([openBrowser(), openSink()]);
});

afterAll(async () => {
  await browser.close();
  await sink.close();
});

describe.each([{ hasPolicy: true }, { hasPolicy: false }])("with the policy: $hasPolicy", ({ hasPolicy }) => {
  test("[W50] at no prefix an attack runs, asks another place, or looks like a control", async () => {
    const desk = await openEventDesk({ hasPolicy });
    const attacks = attacksOn(sink.url);
    const context = await openContext(browser, desk, { width: 900, height: 4_500 });
    const page = await openPage(context, desk);
    for (let from = 0; from < attacks.length; from += LOT) {
      await streamAttacks(desk, page, `lot${from}`, attacks.slice(from, from + LOT), 1);
      expect([from, await wrongsOf(page)]).toEqual([from, []]);
    }
    expect([sink.asked, desk.strange]).toEqual([[], []]);
    await desk.close();
  });
});
