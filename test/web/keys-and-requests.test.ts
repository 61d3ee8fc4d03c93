/** Requests beside what is being written: no key that is meant for something else answers, and no word is lost. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { asking, begun, opening, appendDrafts } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { draft, isSettled, send, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 1_200 });
  ({ host, page } = on);
});

afterAll(() => on.close());

const answers = () => host.commands.filter(({ type }) => type === "answer");
const ready = () => page.locator('.request[data-ready="true"]');
const asked = (requestId: string): EventDraft => ({ ...asking, requestId, turnId: "ask" }) as EventDraft;
const gone = (requestId: string): EventDraft => ({ type: "ui_cancelled", requestId, reason: "expired" });
const isInDraft = () => draft(page).evaluate((node) => node === document.activeElement);

test("a number answers only on the card itself, and not while something else is being typed there", async () => {
  await show(on, "numbers", [...opening, begun("ask", "codex"), asked("r1")]);
  const before = answers().length;
  await ready().waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("1");
  await page.getByRole("button", { name: "Panel", exact: true }).focus();
  await page.keyboard.press("1");
  await page.locator(".request").focus();
  // At once: on a slow machine real keys come so late that each counts by itself.
  await page.evaluate(() => {
    for (const key of "at 1")
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
  await isSettled(page);
  expect(answers().slice(before)).toEqual([]);
  await ready().waitFor();
  await page.keyboard.press("4");
  await expect.poll(() => answers().slice(before), SOON).toMatchObject([{ requestId: "r1", result: "deny" }]);
});

test("what is written on a card that goes is in the draft, and so is what follows, not on the card behind it", async () => {
  const line: EventDraft = {
    type: "ui_request",
    requestId: "r2",
    member: "codex",
    turnId: "ask",
    timeoutMs: 300_000,
    default: null,
    request: { method: "input", title: "Which port?" },
  };
  await show(on, "written", [...opening, begun("ask", "codex"), line, asked("r3")]);
  const before = answers().length;
  await draft(page).fill("mine");
  await page.getByRole("textbox", { name: "Which port?" }).fill("8080, or");
  appendDrafts(host, "written", [gone("r2")]);
  await isDrawn(on, "written");
  await ready().waitFor();
  await expect.poll(isInDraft, SOON).toBe(true);
  await page.keyboard.type(" 1");
  expect(await draft(page).inputValue()).toBe("8080, or 1\n\nmine");
  await page.getByText("Your text is in the box").waitFor();
  expect(answers().slice(before)).toEqual([]);
  await draft(page).fill("");
});

test("the same holds for a queued message that leaves the queue while it is changed", async () => {
  const item = { messageId: "q1", text: "short", to: ["all"], attachments: [], ts: 1 };
  await show(on, "queued", [...opening, begun("ask", "codex"), { type: "queue_updated", items: [item] }, asked("r4")]);
  const before = answers().length;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: "Queued text" }).fill("shorter");
  appendDrafts(host, "queued", [{ type: "queue_updated", items: [] }]);
  await expect.poll(isInDraft, SOON).toBe(true);
  await ready().waitFor();
  await page.keyboard.type(" 1");
  expect([await draft(page).inputValue(), answers().slice(before)]).toEqual(["shorter 1", []]);
  await draft(page).fill("");
});

test("a request that was out of sight is deaf for a moment when the page is seen again", async () => {
  await show(on, "hidden", [...opening, begun("ask", "codex"), asked("r5")]);
  const before = answers().length;
  await ready().waitFor();
  await page.locator(".request").focus();
  const setHidden = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
      document.dispatchEvent(new Event("visibilitychange"));
      // The very next thing that happens, long before its grace is over.
      if (!value) document.querySelector(".request")?.dispatchEvent(new KeyboardEvent("keydown", { key: "1" }));
    }, isHidden);
  await setHidden(true);
  await setHidden(false);
  await isSettled(page);
  expect(answers().slice(before)).toEqual([]);
  await ready().waitFor();
  await page.keyboard.press("1");
  await expect.poll(() => answers().length, SOON).toBe(before + 1);
});

test("Escape right after a message stops the turn that the page has not heard of yet", async () => {
  await show(on, "early", opening);
  const before = host.commands.length;
  const held = host.hold("command");
  await send(page, "look again");
  await expect.poll(() => held.count(), SOON).toBe(1);
  await draft(page).press("Escape");
  appendDrafts(host, "early", [begun("late", "codex")]);
  held.release();
  const sent = () => host.commands.slice(before).map(({ type }) => type);
  await expect.poll(sent, SOON).toEqual(["send", "interrupt"]);
});

test("Escape asks nothing of a session in which nothing runs", async () => {
  await show(on, "idle", opening);
  const before = host.commands.length;
  await draft(page).press("Escape");
  await isSettled(page);
  expect(host.commands.slice(before)).toEqual([]);
});

test("Escape stops a first message whose session is still being created", async () => {
  await page.goto(`${host.url}/#/`);
  const before = host.commands.length;
  const held = host.hold("create");
  await send(page, "begin");
  await expect.poll(() => held.count(), SOON).toBe(1);
  await draft(page).press("Escape");
  held.release();
  const sent = () => host.commands.slice(before).map(({ type }) => type);
  await expect.poll(sent, SOON).toEqual(["send", "interrupt"]);
});
