/** Views that open, switch and wake: on sessions made for them, in one browser. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { joined, said } from "../generate/drafts.ts";
import { answered, asking, opening, appendDrafts, worked } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { card, draft, log, openContext, openPage, pictureOf, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 1_400 });
  ({ host, page } = on);
});

afterAll(() => on.close());

const start = (turnId: string, rest: Partial<Extract<EventDraft, { type: "turn_start" }>> = {}): EventDraft => ({
  type: "turn_start",
  turnId,
  member: "claude",
  cause: "user",
  messageIds: ["m1"],
  depth: 0,
  ...rest,
});

test("a tool call that its turn left behind is interrupted: in its state, its word and its looks", async () => {
  const of = { turnId: "cut", member: "claude" };
  await show(on, "cut", [
    ...opening,
    start("cut"),
    { type: "tool_call_start", ...of, toolCallId: "c", name: "run", args: { command: "sleep 60" }, title: "sleep 60" },
    { type: "turn_end", ...of, outcome: "interrupted", durationMs: 10 },
  ]);
  const tool = log(page).locator(".tool");
  await tool.waitFor();
  expect(await tool.getAttribute("data-state")).toBe("interrupted");
  expect(await tool.locator(".tool-state").textContent()).toMatch(/^interrupted/);
  expect(await tool.locator(".tool-sign .lucide-square").count()).toBe(1);
});

test("what was too large for the conversation is fetched when somebody wants it, and not before", async () => {
  host.blobs.set("a".repeat(64), "line one\nline two\nthe very end");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await show(on, "large", [...opening, ...worked]);
  const tool = log(page).locator(".tool", { hasText: "npm run bench" });
  await tool.locator(":scope > summary").click();
  await tool.getByText(/^Showing /).waitFor();
  expect(asked.filter((path) => path.includes("/blobs/"))).toEqual([]);
  await tool.getByRole("button", { name: "Show all" }).click();
  await tool.getByRole("group", { name: "Whole output" }).getByText("the very end").waitFor();
  expect(asked.filter((path) => path.includes("/blobs/"))).toEqual([`/v1/sessions/large/blobs/${"a".repeat(64)}`]);
});

test("thinking is a fold that is closed at first and opens by key", async () => {
  await show(on, "thought", [...opening, ...answered]);
  const thought = log(page).locator(".thought").first();
  await thought.getByText("Thought", { exact: true }).waitFor();
  expect(await thought.locator(".thought-text").count()).toBe(0);
  await thought.locator("summary").press("Enter");
  await thought.locator(".thought-text").waitFor();
  await thought.locator("summary").press("Enter");
  await thought.locator(".thought-text").waitFor({ state: "detached" });
});

test("a compaction, in a turn and between turns, is a line that opens to its summary", async () => {
  const compacted = { type: "compaction", member: "claude", before: 180_000, after: 20_000, firstKeptSeq: 4 } as const;
  await show(on, "compacted", [
    ...opening,
    start("long"),
    { ...compacted, turnId: "long", summary: "The lock is taken twice." },
    { type: "turn_end", turnId: "long", member: "claude", outcome: "completed", durationMs: 10 },
    { ...compacted, summary: "The record is written too late." },
  ]);
  const inTurn = log(page).getByRole("article", { name: "claude" }).locator("details.compacted");
  const between = log(page).locator("details.notice");
  for (const [fold, summary] of [
    [inTurn, "The lock is taken twice."],
    [between, "The record is written too late."],
  ] as const) {
    await fold.getByText("The context of claude was compacted from 180000 to 20000 tokens").waitFor();
    expect(await fold.getByText(summary).count()).toBe(0);
    await fold.locator("summary").press("Enter");
    await fold.getByText(summary).waitFor();
  }
});

test("code inside of a list is coloured like code that stands by itself", async () => {
  const text = "1. First:\n   ```ts\n   const held = 1;\n   ```\n2. Then wait.";
  await show(on, "nested", [
    ...opening,
    start("n1"),
    { type: "text_done", turnId: "n1", member: "claude", segmentId: "s", text },
  ]);
  const code = log(page).locator("li .code");
  await code.locator(".hl-keyword", { hasText: "const" }).waitFor();
  expect(await code.locator("code").textContent()).toBe("const held = 1;\n");
});

test("from the second round on the page says which round it is, who is next and what it has used", async () => {
  await show(on, "rounds", [
    ...opening,
    said("m9", ["claude", "codex", "scout"], { toAll: true, rounds: 2 }),
    start("r1", { messageIds: ["m9"], rootMessageId: "m9", round: 1 }),
    { type: "turn_end", turnId: "r1", member: "claude", outcome: "completed", durationMs: 1 },
    start("r2", { messageIds: ["m9"], rootMessageId: "m9", round: 2, cause: "round", member: "codex" }),
  ]);
  const facts = page.locator("header.bar .bar-facts");
  await facts.getByText("Round 2 of 3", { exact: true }).waitFor();
  expect(await facts.getAttribute("title")).toBe("round 2 of 3 · claude is next · 2/40 turns");
});

test("on a narrow window the drawer takes the focus when it opens and gives it back when Escape closes it", async () => {
  const small = await openContext(on.browser, host, { width: 800, height: 800 });
  const phone = await openPage(small, host, "thought");
  const button = phone.getByRole("button", { name: "Sessions" });
  await button.press("Enter");
  const search = phone.getByRole("button", { name: "Search" });
  await expect.poll(() => search.evaluate((node) => node === document.activeElement), SOON).toBe(true);
  expect(await button.getAttribute("aria-expanded")).toBe("true");
  await phone.keyboard.press("Escape");
  await expect.poll(() => button.getAttribute("aria-expanded"), SOON).toBe("false");
  expect(await button.evaluate((node) => node === document.activeElement)).toBe(true);
  await small.close();
});

test("the browser notifies about a request and finished answers while the page is hidden, and not while it is visible", async () => {
  const watched = await openContext(on.browser, host);
  await watched.addInitScript(() => {
    const told: string[] = [];
    class Announcements extends EventTarget {
      static readonly permission = "granted";
      constructor(title: string, { body }: { body: string }) {
        super();
        told.push(`${title}: ${body}`);
      }
    }
    let isHidden = false;
    Object.defineProperty(document, "hidden", { get: () => isHidden });
    Object.assign(globalThis, {
      Notification: Announcements,
      told,
      hide(next: boolean) {
        isHidden = next;
        document.dispatchEvent(new Event("visibilitychange"));
      },
    });
  });
  const hidden = await openPage(watched, host);
  const told = () => hidden.evaluate(() => (globalThis as unknown as { told: string[] }).told);
  const hide = (isHidden: boolean) =>
    hidden.evaluate((next) => (globalThis as unknown as { hide: (next: boolean) => void }).hide(next), isHidden);
  await show({ host, page: hidden }, "told", [...opening, start("ask", { member: "codex" })]);
  await hide(true);
  appendDrafts(host, "told", [{ ...asking, turnId: "ask" }]);
  await expect
    .poll(() => told(), SOON)
    .toEqual([expect.stringMatching(/^Why does the lock fail under load\?: codex asks: ./)]);
  const end: EventDraft = { type: "turn_end", turnId: "ask", member: "codex", outcome: "completed", durationMs: 1 };
  appendDrafts(host, "told", [end]);
  await expect.poll(() => told(), SOON).toHaveLength(2);
  expect((await told())[1]).toContain("Everyone has answered.");
  await hide(false);
  appendDrafts(host, "told", [start("again", { member: "codex" }), { ...end, turnId: "again" }]);
  await isDrawn({ host, page: hidden }, "told");
  expect((await told()).length).toBe(2);
  await watched.close();
});

test("a tab that was frozen while others spoke catches up when it is thawed", async () => {
  await show(on, "frozen", opening);
  const devtools = await on.context.newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  appendDrafts(host, "frozen", answered);
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await isDrawn(on, "frozen");
  const fresh = await openPage(on.context, host, "frozen");
  await isDrawn({ host, page: fresh }, "frozen");
  await expect.poll(async () => (await pictureOf(page)) === (await pictureOf(fresh)), SOON).toBe(true);
  await fresh.close();
  await devtools.detach();
});

test("the list is live without being asked for: a session that begins, is renamed or waits for somebody shows up, and the inbox leads to what waits", async () => {
  await show(on, "frozen", []);
  const nav = page.getByRole("navigation", { name: "Sessions" });
  appendDrafts(host, "elsewhere", [...opening, joined("late")]);
  appendDrafts(host, "elsewhere", [{ type: "session_renamed", title: "Begun elsewhere" }]);
  await nav.locator(".session-open").getByText("Begun elsewhere").waitFor();
  appendDrafts(host, "elsewhere", [start("w", { member: "codex" }), { ...asking, turnId: "w" }]);
  const needs = nav.getByRole("group", { name: "Needs you" });
  await needs.locator(".session-open", { hasText: "Begun elsewhere" }).getByText("codex").waitFor();
  await page.getByRole("button", { name: /^Inbox, \d+ waiting$/ }).click();
  const waiting = page.getByRole("main").getByRole("article").filter({ hasText: "Begun elsewhere" });
  await waiting.getByRole("button", { name: "Open" }).click();
  await card(page).waitFor();
  expect(await needs.locator('[aria-current="true"]').textContent()).toContain("Begun elsewhere");
  expect(host.strange).toEqual([]);
});

test("the menu of a row stays open, with its focus, while its session changes group, and the row moves when it is closed", async () => {
  await show(on, "frozen", []);
  appendDrafts(host, "moves", opening);
  appendDrafts(host, "moves", [{ type: "session_renamed", title: "It moves" }]);
  const nav = page.getByRole("navigation", { name: "Sessions" });
  const row = nav.locator(".session-row", { hasText: "It moves" });
  await row.hover();
  await row.getByRole("button", { name: "Actions for It moves" }).click();
  const rename = row.getByRole("button", { name: "Rename" });
  await expect.poll(() => rename.evaluate((node) => node === document.activeElement), SOON).toBe(true);
  appendDrafts(host, "moves", [start("mv", { member: "claude" })]);
  await row.getByText("answering").waitFor();
  expect(await rename.evaluate((node) => node === document.activeElement)).toBe(true);
  const working = nav.getByRole("group", { name: "Working" }).locator(".session-row", { hasText: "It moves" });
  expect(await working.count()).toBe(0);
  await page.keyboard.press("Enter");
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("It has moved");
  appendDrafts(host, "moves", [{ type: "session_renamed", title: "It moves still" }]);
  await nav.getByText("It moves still").waitFor();
  expect(await title.inputValue()).toBe("It has moved");
  await page.keyboard.press("Escape");
  await working.waitFor();
});

test("pages of their own have titles; that of the inbox says how many wait", async () => {
  for (const [view, title] of [
    ["inbox", /^\(\d+\) Inbox · Roundtable$/],
    ["settings", /^Settings · Roundtable$/],
    ["sessions", /^Sessions · Roundtable$/],
    ["", /^Roundtable$/],
  ] as const) {
    await page.goto(`${host.url}/#/${view}`);
    await expect.poll(() => page.title(), SOON).toMatch(title);
  }
});

test("a page whose server does not answer when it opens says so, tries again and begins when it does", async () => {
  const waiting = await openContext(on.browser, host);
  await (await openPage(waiting, host)).close();
  let isAnswering = false;
  await waiting.route("**/v1/defaults", (route) => (isAnswering ? route.continue() : route.abort()));
  const late = await waiting.newPage();
  await late.goto(`${host.url}/#/s/frozen`);
  await late.getByRole("alert").getByText("Trying again.").waitFor();
  isAnswering = true;
  await draft(late).waitFor();
  await isDrawn({ host, page: late }, "frozen");
  await waiting.close();
});

const round2 = { cause: "round", round: 2, rootMessageId: "m1" } as const;
const quiet = (turnId: string, member: string, text: string): EventDraft[] => [
  start(turnId, { member, ...round2 }),
  { type: "text_done", turnId, member, segmentId: turnId, text },
  {
    type: "turn_end",
    turnId,
    member,
    outcome: "completed",
    durationMs: 400,
    usage: { inputTokens: 900, outputTokens: 4 },
  },
];

test("turns of a round that add nothing are one line that opens by key to each; one that runs is drawn as it runs, and a reload shows the same", async () => {
  const drafts = [
    ...opening,
    ...quiet("q1", "claude", "Nothing to add."),
    ...quiet("q2", "codex", "I agree, nothing to add."),
  ];
  await show(on, "quiet", drafts.slice(0, -1));
  const line = log(page).locator(".quiet-turns > summary");
  await line.getByText("claude has nothing to add · round 2 · 400 ms · 904 tokens").waitFor();
  await log(page).locator('.turn[data-outcome="open"]').getByText("I agree, nothing to add.").waitFor();
  appendDrafts(host, "quiet", drafts.slice(-1));
  await isDrawn(on, "quiet");
  await line.getByText("claude and codex have nothing to add · round 2 · 800 ms · 1.8k tokens").waitFor();
  expect([await line.count(), await log(page).locator(".turn").count()]).toEqual([1, 0]);
  const picture = await pictureOf(page);
  await page.reload();
  await line.waitFor();
  await expect.poll(() => pictureOf(page), SOON).toBe(picture);
  await line.press("Enter");
  await log(page).locator(".turn").getByText("I agree, nothing to add.").waitFor();
  expect(await log(page).locator(".turn").count()).toBe(2);
  expect(await log(page).locator(".turn").last().getByRole("button", { name: "Copy", exact: true }).count()).toBe(1);
  await line.press("Enter");
  await log(page).locator(".turn").first().waitFor({ state: "detached" });
});

test("a link to a turn that is drawn with another leads to the line and opens it, also from far away", async () => {
  const many = Array.from({ length: 300 }, (_, at) => said(`n${at}`, ["claude"], { text: `message ${at}` }));
  appendDrafts(host, "linked", [
    ...opening,
    ...quiet("l1", "claude", "Nothing to add."),
    ...quiet("l2", "codex", "I agree, nothing to add."),
    ...many,
  ]);
  const seq = opening.length + 4;
  await page.goto(`${host.url}/#/s/linked/m/${seq}`);
  await log(page).locator(".turn").getByText("I agree, nothing to add.").waitFor();
  const top = async () => (await log(page).locator(".quiet-turns").boundingBox())?.y ?? Number.NaN;
  await expect.poll(async () => (await top()) >= 0 && (await top()) < 700, SOON).toBe(true);
});
