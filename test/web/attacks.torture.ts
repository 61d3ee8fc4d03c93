/** Every attack, cut at every character: drawn after each while it comes, and read later as an answer that broke off there. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import { openSink, streamAttacks, watchForWrongs, wrongsOf, type Sink } from "./attack-page.ts";
import { attacksOn } from "./attacks.ts";
import { openBrowser } from "./browser.ts";
import { openFakeHost } from "./fake-host.ts";
import { opening, appendDrafts } from "./made-session.ts";
import { becomes, drawnUpTo, openContext, openPage } from "./open-page.ts";

const BATCH = 12;

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
    const host = await openFakeHost({ hasPolicy });
    const attacks = attacksOn(sink.url);
    const context = await openContext(browser, host, { width: 900, height: 4_500 });
    await watchForWrongs(context, { everyFrame: true });
    const page = await openPage(context, host);
    for (let from = 0; from < attacks.length; from += BATCH) {
      await streamAttacks(host, page, `lot${from}`, attacks.slice(from, from + BATCH), 1);
      expect([from, await wrongsOf(page)]).toEqual([from, []]);
    }
    expect([sink.asked, host.strange]).toEqual([[], []]);
    await context.close();
    await host.close();
  });

  test("an attack that broke off at any place is as harmless when it is read later", async () => {
    const host = await openFakeHost({ hasPolicy });
    const context = await openContext(browser, host, { width: 900 });
    await watchForWrongs(context);
    const page = await openPage(context, host);
    for (const [at, { name, text }] of attacksOn(sink.url).entries()) {
      const sessionId = `broken${at}`;
      appendDrafts(host, sessionId, brokenOff(text));
      await page.goto(`${host.url}/#/s/${sessionId}`);
      const { seq } = host.transcript(sessionId).head;
      await becomes(() => drawnUpTo(page), `${sessionId} up to ${seq}`);
      expect(await page.locator(".turn .markdown").count()).toBeGreaterThan(5);
      expect([name, await wrongsOf(page)]).toEqual([name, []]);
    }
    expect([sink.asked, host.strange]).toEqual([[], []]);
    await context.close();
    await host.close();
  });
});

/** One answer after the other, each a character longer than the one before. */
function brokenOff(text: string): EventDraft[] {
  const of = { turnId: "t", member: "claude" };
  const chars = Array.from(text);
  return [
    ...opening,
    { type: "turn_start", ...of, cause: "user", messageIds: ["m1"], depth: 0 },
    ...chars.map((_, at): EventDraft => ({
      type: "text_done",
      turnId: "t",
      member: "claude",
      segmentId: `s${at}`,
      text: chars.slice(0, at + 1).join(""),
    })),
    { type: "turn_end", ...of, outcome: "interrupted", durationMs: 1 },
  ];
}
