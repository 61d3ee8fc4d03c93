/** The page as one thing: its words for those who hear it, its keys, its sizes, and what stays still while it grows. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import type { EventDraft } from "../../src/protocol/index.ts";
import { answered, asking, opening, appendDrafts, worked } from "./made-session.ts";
import { axeFaults, isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, card, draft, isSettled, log, openContext, openPage, signIn } from "./open-page.ts";

let on: FakeHostPage;
let page: Page;
/** What the page and its threads have asked for. */
const asked: string[] = [];

beforeAll(async () => {
  on = await openFakeHostPage({ hasAxe: true });
  ({ page } = on);
  on.context.on("request", (request) => asked.push(new URL(request.url()).pathname));
});

afterAll(() => on.close());

const of = (turnId: string, member = "claude") => ({ turnId, member });
const begun = (turnId: string, member = "claude"): EventDraft => ({
  type: "turn_start",
  ...of(turnId, member),
  cause: "user",
  messageIds: ["m1"],
  rootMessageId: "m1",
  depth: 0,
});
const ended = (turnId: string, member = "claude", outcome: "completed" | "interrupted" = "completed"): EventDraft => ({
  type: "turn_end",
  ...of(turnId, member),
  outcome,
  durationMs: 5,
});
const wrote = (turnId: string, text: string, member = "claude"): EventDraft => ({
  type: "text_delta",
  ...of(turnId, member),
  segmentId: `text ${turnId}`,
  text,
});
const wroteAll = (turnId: string, text: string): EventDraft[] => [
  begun(turnId),
  { type: "text_done", ...of(turnId), segmentId: turnId, text },
  ended(turnId),
];

async function tell(sessionId: string, ...drafts: EventDraft[]): Promise<void> {
  appendDrafts(on.host, sessionId, drafts);
  await isDrawn(on, sessionId);
}

test("the highlighter is asked for by the first code that is drawn, and not before", async () => {
  await show(on, "plain", [...opening, ...wroteAll("p", "Words, `code in them` and | no table.")]);
  await log(page).getByText("Words,").waitFor();
  await isSettled(page);
  expect(asked.filter((path) => path.includes("highlighter"))).toEqual([]);
  await tell("plain", ...wroteAll("c", "```ts\nconst a = 1;\n```"));
  await log(page).locator(".hl-keyword").waitFor();
  expect(asked.filter((path) => path.includes("highlighter"))).toEqual(["/highlighter.js"]);
});

test("a link that reads as one address and leads to another says where it leads, and no picture is a link", async () => {
  const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
  const text = `[https://bank.invalid/login](https://e.invalid/x) [bank.invalid](https://e.invalid) [**www.bank.invalid**:1](http://e.invalid)
<https://bank.invalid@e.invalid/> [https://e.invalid/y](https://e.invalid/y) https://e.invalid/z [the note](https://e.invalid)
[![Allow once](${dot})](https://e.invalid) [![badge](https://e.invalid/b.png)](https://e.invalid)`;
  await show(on, "lies", [...opening, ...wroteAll("l", text)]);
  const said = log(page).locator(".markdown a");
  expect(await said.allTextContents()).toEqual([
    "https://bank.invalid/login (e.invalid)",
    "bank.invalid (e.invalid)",
    "www.bank.invalid:1 (e.invalid)",
    "https://bank.invalid@e.invalid/ (e.invalid)",
    "https://e.invalid/y",
    "https://e.invalid/z",
    "the note",
    "Allow once",
    "badge",
    "badge https://e.invalid/b.png",
  ]);
  expect(
    await log(page)
      .locator("img")
      .evaluateAll((all) => all.map((one) => one.parentElement?.tagName)),
  ).toEqual(["P"]);
});

test("a turn says thinking, what tool is at work, working and writing, always below all it holds, until it ends or is stopped", async () => {
  await show(on, "phases", [...opening, begun("w")]);
  const turn = log(page).locator(".turn").last();
  const last = () =>
    turn.evaluate((node) => [
      node.getAttribute("data-phase"),
      node.lastElementChild?.querySelector(".working")?.textContent,
    ]);
  expect(await last()).toEqual(["streaming", "starting"]);
  await tell("phases", { type: "thinking_start", ...of("w"), segmentId: "t" });
  expect(await last()).toEqual(["thinking", "thinking"]);
  const call = { ...of("w"), toolCallId: "c" };
  await tell("phases", { type: "thinking_done", ...of("w"), segmentId: "t", text: "so" });
  await tell("phases", { type: "tool_call_start", ...call, name: "run", args: {}, title: "ls", kind: "execute" });
  expect(await last()).toEqual(["working", "calling run"]);
  await tell("phases", { type: "tool_result", ...call, ok: true, result: "", durationMs: 1 });
  expect(await last()).toEqual(["working", "working"]);
  await tell("phases", wrote("w", "So it is"));
  expect(await last()).toEqual(["streaming", "writing"]);
  await tell("phases", ended("w"));
  expect([await turn.getAttribute("data-phase"), await log(page).locator(".working").count()]).toEqual(["done", 0]);
  await tell("phases", begun("x"), wrote("x", "half"));
  expect(await log(page).locator(".working").count()).toBe(1);
  await tell("phases", ended("x", "claude", "interrupted"));
  expect(await log(page).locator(".working").count()).toBe(0);
  // When it was said, to the second.
  expect(await turn.locator("time").getAttribute("datetime")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
});

test("while a text grows, nodes of finished parts stay", async () => {
  await show(on, "grows", [
    ...opening,
    begun("g"),
    wrote("g", "# Head\n\nOne *two*.\n\n| a |\n|---|\n| b |\n\n- x\n\nMo"),
  ]);
  const blocks = log(page).locator(".turn .markdown").last();
  const count = await blocks.evaluate((node) => {
    const all = [...node.querySelectorAll("*")];
    const open = node.lastElementChild;
    // All but what the last part holds, which is drawn again as it grows.
    const kept = all.filter((one) => one === open || open?.contains(one) !== true);
    kept.forEach((one) => Object.assign(one, { isOld: true }));
    return kept.length;
  });
  for (const text of ["re `co", "de` **str", "ong**\n\n```ts\nlet", " a;\n```\n\nEnd", "."])
    await tell("grows", wrote("g", text));
  const left = await blocks.evaluate((node) => [...node.querySelectorAll("*")].filter((one) => "isOld" in one).length);
  expect([count > 10, left]).toEqual([true, count]);
});

test("screen readers announce who works and who has finished, and no text while it streams", async () => {
  await show(on, "heard", opening);
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    const live = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]";
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const node = target instanceof Element ? target : target.parentElement;
        const region = node?.closest(live);
        const words = region?.textContent ?? "";
        if (region !== undefined && words !== "" && heard.at(-1) !== words) heard.push(words);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await tell("heard", begun("h1"), begun("h2", "codex"));
  for (let at = 0; at < 20; at += 1) await tell("heard", wrote("h1", `word ${at} `), wrote("h2", "more ", "codex"));
  await tell("heard", ended("h2", "codex"));
  await tell("heard", ended("h1", "claude", "interrupted"));
  await becomes(() => page.locator(".turn-news").textContent(), "claude was interrupted.");
  expect(await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)).toEqual([
    "claude and codex are answering",
    "claude is answering",
    "codex has answered.",
    "claude was interrupted.",
  ]);
  const landmarks = ["navigation", "main", "log", "form"] as const;
  const found = await Promise.all(landmarks.map((role) => page.getByRole(role).count()));
  expect(found).toEqual([1, 1, 1, 1]);
});

test("by Tab alone everything that can be operated is reached, and one sees where one is", async () => {
  await show(on, "keys", [...opening, ...answered, { ...asking, turnId: "none" }]);
  await card(page).waitFor();
  await draft(page).focus();
  const wanted = await page.evaluate(() => {
    const all = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex]");
    const seen = [...all].filter((one) => one.checkVisibility() && one.tabIndex >= 0 && !one.matches(":disabled"));
    seen.forEach((one) => (one.dataset["wanted"] = "yes"));
    return seen.length;
  });
  const unmarked: string[] = [];
  for (let at = 0; at < wanted + 20; at += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const one = document.activeElement as HTMLElement;
      delete one.dataset["wanted"];
      // The box around the draft always has a shadow.
      const box = one.matches("textarea") ? one.closest<HTMLElement>(".box") : null;
      const { outlineStyle, boxShadow } = getComputedStyle(box ?? one);
      const isMarked = outlineStyle !== "none" || (box === null && boxShadow !== "none");
      return isMarked || one === document.body ? "" : one.outerHTML.slice(0, 80);
    });
    if (found !== "") unmarked.push(found);
  }
  const missed = await page.locator("[data-wanted]").evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 80)));
  expect([wanted > 20, missed, unmarked]).toEqual([true, [], []]);
});

test("a plan is approved and rejected by its buttons; Shift+Enter makes a line; a notice is shown; who speaks is marked in the list", async () => {
  await show(on, "plan", [...opening, ...worked]);
  const plan = log(page).getByRole("region", { name: "Plan" });
  for (const [name, decision] of [
    ["Approve", "approve"],
    ["Reject", "reject"],
  ] as const) {
    await plan.getByRole("button", { name }).click();
    await expect.poll(() => on.host.commands.at(-1)).toMatchObject({ type: "plan_decision", planId: "p1", decision });
  }
  await draft(page).fill("one");
  await draft(page).press("Shift+Enter");
  await page.keyboard.type("two");
  expect(await draft(page).inputValue()).toBe("one\ntwo");
  await draft(page).fill("");
  await tell("plan", { type: "ui_notify", member: "claude", message: "The disk is nearly full.", notifyType: "warn" });
  await log(page).getByText("The disk is nearly full.").waitFor();
  const working = page.getByRole("navigation", { name: "Sessions" }).getByRole("group", { name: "Working" });
  await working.locator('[aria-current="true"]').getByText("answering").waitFor();
});

test("what moves stands still for those who asked for less motion", async () => {
  await show(on, "plan", []);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const moving = () =>
    page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
  await expect.poll(moving).toBeGreaterThan(2);
  const pulse = () =>
    log(page)
      .locator('.tool[data-state="pending"]')
      .evaluate((node) => node.getAnimations({ subtree: true }).length > 0);
  expect(await pulse()).toBe(true);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect.poll(moving).toBe(0);
});

test("however much is queued, kept in view, attached or written, the draft and the answers of an approval are in the window", async () => {
  const file = (at: number) => ({ name: `notes-of-the-day-${at}.md`, mimeType: "", buffer: Buffer.from("# Notes") });
  const item = (at: number) => ({ messageId: `m${at}`, text: `message ${at}`, to: ["all"], attachments: [], ts: 1 });
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  await show(on, "full", [
    ...opening,
    begun("ask", "codex"),
    { type: "queue_updated", items: Array.from({ length: 30 }, (_, at) => item(at)) },
    { type: "ui_widget", key: "todo", content: lines, opts: {} },
    { ...asking, turnId: "ask" },
  ]);
  await card(page).waitFor();
  await page.locator('input[type="file"]').setInputFiles(Array.from({ length: 32 }, (_, at) => file(at)));
  await draft(page).fill(lines.join("\n"));
  const isIn = (selector: string) =>
    page.locator(selector).evaluateAll((all) =>
      all.map((node) => {
        const { top, bottom, height } = node.getBoundingClientRect();
        return height > 0 && top >= 0 && bottom <= innerHeight && bottom <= document.body.clientHeight;
      }),
    );
  for (const [width, height] of [
    [1280, 720],
    [360, 740],
    [844, 390],
  ] as const) {
    await page.setViewportSize({ width, height });
    await isSettled(page);
    expect([width, await isIn(".composer > .box")]).toEqual([width, [true]]);
    if (height < 480) continue;
    const choice = card(page).getByRole("button", { name: "Deny", exact: true });
    expect([width, await isCovered(choice)]).toEqual([width, false]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await draft(page).fill("");
});

/** Whether something else is seen where it stands. */
function isCovered(place: Locator): Promise<boolean> {
  return place.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return !node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

test("from a small phone, upright and on its side, to a very wide screen nothing is out of the window, and the draft is in it", async () => {
  await show(on, "keys", []);
  await card(page).waitFor();
  for (const [width, height] of [
    [320, 568],
    [390, 844],
    [844, 390],
    // A laptop at twice the size.
    [720, 450],
    [768, 1024],
    [1280, 720],
    [3440, 1440],
  ] as const) {
    await page.setViewportSize({ width, height });
    await isSettled(page);
    const found = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const { top, bottom, left, right } =
        document.querySelector(".composer > .box")?.getBoundingClientRect() ?? new DOMRect(-1);
      const isIn = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
      return { isIn, isFitting: scrollWidth <= innerWidth && scrollHeight <= innerHeight };
    });
    expect([width, found]).toEqual([width, { isIn: true, isFitting: true }]);
    expect([width, await isCovered(card(page).getByRole("button", { name: "Deny", exact: true }))]).toEqual([
      width,
      false,
    ]);
    if (width < 1280) continue;
    // A question and its answers begin on one line; the draft and what is asked for stand in the middle of the sheet.
    const place = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((node) => {
          const { left, right } = node.getBoundingClientRect();
          return { left, middle: Math.round((left + right) / 2), wide: right - left };
        });
    const [scroller, messages, composer] = [
      await place(".scroller"),
      await place(".messages"),
      await place(".composer"),
    ];
    expect(messages.left).toBe(scroller.left);
    expect((await place(".turn .markdown")).left).toBe((await place(".user .text")).left);
    expect([composer.middle, composer.wide]).toEqual([scroller.middle, width < 1900 ? 880 : 960]);
    expect(await place(".request")).toEqual(composer);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("axe finds no fault with suggestions open, and on a phone on its side", async () => {
  await draft(page).fill("/");
  await page.getByRole("listbox", { name: "Suggestions" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 844, height: 390 });
  await isSettled(page);
  expect(await axeFaults(page)).toEqual([]);
  await draft(page).fill("");
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("where nothing can be pointed at, the menu of a session is seen and stands beside its title", async () => {
  const touch = await on.browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const phone = await touch.newPage();
  await signIn(touch, phone, on.host);
  await phone.goto(`${on.host.url}/#/s/keys`);
  await phone.getByRole("button", { name: "Back" }).tap();
  await phone.getByRole("navigation", { name: "Main" }).getByRole("button", { name: "Sessions" }).tap();
  const row = phone.getByRole("main").locator(".session-row").first();
  await row.waitFor();
  const found = await row.evaluate((node) => {
    const words = node.querySelector(".session-open")?.getBoundingClientRect() ?? new DOMRect();
    const menu = node.querySelector(".menu-button");
    const { left } = menu?.getBoundingClientRect() ?? new DOMRect();
    const stops = node.querySelectorAll("button").length;
    return { stops, isBeside: left >= words.right, opacity: menu === null ? "" : getComputedStyle(menu).opacity };
  });
  expect(found).toEqual({ stops: 2, isBeside: true, opacity: "1" });
  await touch.close();
});

test("no key is named where there are only fingers", async () => {
  const touch = await openContext(on.browser, on.host, { width: 390, height: 844, isMobile: true, hasTouch: true });
  const phone = await openPage(touch, on.host);
  expect([await phone.locator("kbd").count(), await phone.locator(".status").textContent()]).toEqual([0, ""]);
  const status = phone.locator(".status");
  appendDrafts(on.host, "fingers", [...opening, begun("f"), { ...asking, turnId: "none" }]);
  await phone.goto(`${on.host.url}/#/s/fingers`);
  await card(phone).waitFor();
  await phone.getByRole("button", { name: "Stop" }).waitFor();
  expect([await status.textContent(), await draft(phone).getAttribute("placeholder")]).toEqual([
    "claude is answering",
    "Add to the running turn…",
  ]);
  appendDrafts(on.host, "fingers", [ended("f")]);
  await becomes(() => status.textContent(), "");
  await touch.close();
});

test("nothing of this made the browser complain", () => {
  expect(on.faults).toEqual([]);
});

test("without a connection the countdown to the next attempt is visible and hidden from screen readers", async () => {
  await on.host.close();
  const banner = page.getByRole("alert").filter({ hasText: "Disconnected. Retrying" });
  await banner.getByText(/in \d+ s\./).waitFor();
  const words = await banner.evaluate((node) => {
    const heard = node.cloneNode(true) as HTMLElement;
    heard.querySelectorAll("[aria-hidden=true]").forEach((one) => one.remove());
    return heard.textContent;
  });
  expect(words).toMatch(/^Disconnected. Retrying\. [A-Z].*\.Try now$/);
});
