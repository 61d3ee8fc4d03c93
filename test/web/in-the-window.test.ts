/** What a person meets first: where the focus is, what fits into the window, and what stands there in words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, joined, said } from "../generate/drafts.ts";
import { answered, begun, opening } from "./made-session.ts";
import { openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, draft, isSettled, log } from "./open-page.ts";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage();
  ({ page } = on);
});

afterAll(() => on.close());

function answer(turnId: string, member: string, text: string): EventDraft[] {
  return [
    begun(turnId, member),
    { type: "text_done", turnId, member, segmentId: `${turnId}-1`, text },
    { type: "turn_end", turnId, member, outcome: "completed", durationMs: 900 },
  ];
}

test("the draft has the focus when a link is opened for the first time", async () => {
  await becomes(() => draft(page).evaluate((node) => node === document.activeElement), true);
});

test("the panel is inside the window at every width, and so are the models of every member", async () => {
  await show(on, "panel", [...opening, ...answered]);
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  await page.locator(".panel").getByRole("tab", { name: "Members" }).click();
  for (const width of [1024, 1440, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await isSettled(page);
    for (const name of ["claude", "codex", "scout"]) {
      const field = page.locator(".panel").getByLabel(`Model of ${name}`);
      // At once: another width may draw the panel anew.
      const right = await field.evaluate((node) => {
        node.scrollIntoView();
        return node.getBoundingClientRect().right;
      });
      expect(right, `${name} at ${width}`).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await page.getByRole("button", { name: "Close panel" }).click();
});

test("where the sidebar is a drawer, the settings are inside the window and can be left", async () => {
  await show(on, "left", [...opening, ...answered]);
  await page.setViewportSize({ width: 720, height: 450 });
  await page.goto(`${on.host.url}/#/settings/members`);
  await page.locator(".member-row").first().waitFor();
  const outside = await page.locator(".set-row > *, .set-head > *").evaluateAll((all) => {
    const edge = document.querySelector(".settings-body")?.getBoundingClientRect().right ?? 0;
    return all.filter((node) => node.getBoundingClientRect().right > edge).map((node) => node.textContent);
  });
  expect(outside).toEqual([]);
  await page.getByRole("button", { name: "Back" }).click();
  await log(page).getByRole("article").first().waitFor();
  expect(new URL(page.url()).hash).toBe("#/s/left");
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("a long title is cut before the folder it works in", async () => {
  const title = "Two starts at once sometimes leave both without the lock, ".repeat(5);
  await show(on, "title", [...opening, { type: "session_renamed", title }, ...answered]);
  for (const width of [720, 1024, 1440]) {
    await page.setViewportSize({ width, height: 720 });
    const isCut = (selector: string) =>
      page.locator(selector).evaluate((node) => node.scrollWidth > Math.ceil(node.getBoundingClientRect().width));
    expect(await isCut("header.bar h1"), `title at ${width}`).toBe(true);
    expect(await isCut("header.bar .crumb .cut >> nth=0"), `folder at ${width}`).toBe(false);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("the menu of the session takes the focus, and a click elsewhere or Escape closes it", async () => {
  const header = page.locator("header.bar");
  const button = header.getByRole("button", { name: /^Actions for / });
  const menu = header.locator(".menu");
  await button.click();
  await becomes(() => menu.evaluate((node) => node.contains(document.activeElement)), true);
  await log(page).locator(".user .text").click();
  await menu.waitFor({ state: "hidden" });
  await button.click();
  await menu.waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
  await becomes(() => button.evaluate((node) => node === document.activeElement), true);
});

test("no cell of a table is broken inside a word, and a wide table is moved sideways by itself", async () => {
  const row = "| `maxRetryAfter` | number or undefined | the longest pause that is waited for | Infinity | 1.4.0 |";
  const table = `| Option | Type | Description | Default | Since |\n|---|---|---|---|---|\n${row}`;
  await show(on, "table", [...opening, ...answer("w1", "claude", table)]);
  for (const width of [390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await isSettled(page);
    const broken = await log(page)
      .locator("th, td")
      .evaluateAll((cells) =>
        cells.flatMap((cell) => {
          const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          const words: string[] = [];
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
            for (const { 0: word, index } of (node.textContent ?? "").matchAll(/\S+/g)) {
              const range = document.createRange();
              range.setStart(node, index);
              range.setEnd(node, index + word.length);
              if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
            }
          }
          return words;
        }),
      );
    expect(broken, `at ${width}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("characters that turn text round are named in the title of the session and of the window", async () => {
  await show(on, "bidi", [created({ title: "photo \u202Egpj" }), joined("claude")]);
  await page.getByRole("heading", { name: "photo ⟨U+202E⟩gpj" }).waitFor();
  await becomes(() => page.title(), "photo ⟨U+202E⟩gpj · Roundtable");
});

test("the origin of imported messages is shown once, as text", async () => {
  const origin = "claude:a0fd6a2d-636e-4be7-8d2a-779c6a1dacf8";
  await show(on, "imported", [
    created({ title: "Imported" }),
    joined("claude"),
    said("i1", ["claude"], { text: "first", origin }),
    ...answer("i2", "claude", "one"),
    said("i3", ["claude"], { text: "second", origin }),
    said("i4", ["claude"], { text: "third", origin: "sprout:k3" }),
    said("i5", ["claude"], { text: "fourth", origin: "kd:council-1/0001-king.md" }),
  ]);
  await log(page).getByText("fourth").waitFor();
  expect(await log(page).locator(".user header > .fact:not(time)").allTextContents()).toEqual([
    "to claude",
    "imported from Claude Code",
    "to claude",
    "to claude",
    "imported from Sprout",
    "to claude",
    "kd:council-1/0001-king.md",
  ]);
});

test("who comes back within the hour reads nothing about it", async () => {
  await show(on, "back", [...opening, { type: "session_resume", afterSeq: 7, afterTs: Date.now() - 90_000 }]);
  await show(on, "later", [
    ...opening,
    { type: "session_resume", afterSeq: 7, afterTs: Date.now() - 2.5 * 86_400_000 },
  ]);
  expect(await log(page).locator(".notice").allTextContents()).toEqual(["The session was resumed after 2 days"]);
  await show(on, "back", []);
  expect(await log(page).locator(".notice").count()).toBe(0);
});

test("a subagent's turn names who sent it, and is moved in only below the turn that sent it or its other subagents", async () => {
  const below = { cause: "subagent", parentTurnId: "p1", depth: 1 } as const;
  await show(on, "senders", [
    ...opening,
    begun("p1", "codex"),
    begun("p2", "claude"),
    begun("p3", "looker", below),
    begun("p4", "finder", below),
  ]);
  const turns = log(page).locator(".turn");
  await becomes(
    () =>
      turns.evaluateAll((all) =>
        all.map((node) => `${node.getAttribute("aria-label")} ${node.getAttribute("data-depth")}`),
      ),
    ["codex, working 0", "claude, working 0", "looker, working 0", "finder, working 1"],
  );
  expect(await turns.locator(".badge").allTextContents()).toEqual(["subagent of codex", "subagent of codex"]);
});

test("a status that is longer than a phone is wide is read whole", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await show(on, "status", [...opening]);
  await draft(page).fill("/writable on");
  await draft(page).press("Enter");
  const status = page.getByRole("status").filter({ hasText: "From the next turn on" });
  await status.waitFor();
  const cut = await status.evaluate((node) => {
    const { left, right } = node.getBoundingClientRect();
    const isIn = left >= 0 && right <= innerWidth;
    return [node.scrollWidth - node.clientWidth, getComputedStyle(node).textOverflow, isIn];
  });
  expect(cut).toEqual([0, "clip", true]);
  await page.setViewportSize({ width: 1280, height: 720 });
});
