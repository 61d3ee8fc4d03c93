/** Each thing the page can show or do, on sessions made for it, in one browser. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { said } from "../generate/drafts.ts";
import { answered, asking, minutes, opening, appendDrafts, worked } from "./made-session.ts";
import { axeFaults, axeSource, isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { card, choose, draft, isSettled, log, openContext, openPage, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 900, hasAxe: true });
  ({ host, page } = on);
});

afterAll(() => on.close());

describe("the conversation", () => {
  test("Markdown is drawn with headings, tables, code that can be copied and is coloured, and formulas", async () => {
    await show(on, "text", [...opening, ...answered]);
    await page.keyboard.press("Control+End");
    const first = log(page).getByRole("article", { name: "claude" });
    await first.getByRole("heading", { name: "What happens" }).waitFor();
    expect(await first.locator("td").allTextContents()).toEqual([
      "two starts at once",
      "1 in 40 fails",
      "0 of 10,000",
      "a killed holder",
      "2.1 s",
      "0.3 s",
    ]);
    await first.locator(".math.drawn mi", { hasText: "O" }).waitFor();
    await first.locator(".hl-keyword").first().waitFor();
    await on.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: host.url });
    await first.locator(".code").getByRole("button", { name: "Copy" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()), SOON)
      .toContain("export function takeLock(path: string): Lock {\n");
    expect(await first.getByRole("link", { name: "a chart" }).getAttribute("href")).toBe(
      "https://example.invalid/chart.png",
    );
    expect(await first.locator("img").count()).toBe(0);
  });

  test("tool calls in a row are one line that says what was done, and open to each call, its diff and its output", async () => {
    const second = log(page).getByRole("article", { name: "codex" });
    const group = second.locator(".tool-group");
    expect(await group.locator(":scope > summary > .tool-group-words").textContent()).toBe(
      "Edited 1 file, ran 1 command (1 failed)",
    );
    await group.locator(":scope > summary").click();
    await group.getByText("Edit src/log/lock.ts").click();
    expect(await group.locator(".dl.added code").first().textContent()).toBe(
      "  const held = tryLock(file, { waitMs: LOCK_WAIT_MS });",
    );
    expect(
      await group.locator(".tool").evaluateAll((tools) => tools.map((tool) => tool.getAttribute("data-state"))),
    ).toEqual(["success", "error"]);
    await second.getByRole("region", { name: "Changed files" }).getByText("src/log/wait.ts").waitFor();
    await second.getByRole("region", { name: "Finished" }).getByText("two").waitFor();
    expect(await second.locator(".turn-model").textContent()).toBe("model-4");
    expect(await second.locator(".costs > span").allTextContents()).toEqual(["0:04", "13.2k tokens", "$0.04"]);
    expect(await second.locator(".costs").getAttribute("title")).toBe("12.4k tokens in, 830 out");
  });

  test("all six states of a tool call differ in word and sign; an exchange and a subagent open; a plan is decided on", async () => {
    await show(on, "work", [...opening, ...worked]);
    const states = await log(page)
      .locator(":is(.tool, .exchange)")
      .evaluateAll((tools) =>
        tools.map((tool) => [
          tool.getAttribute("data-state"),
          tool.querySelector(".tool-state")?.textContent?.split(" · ")[0],
        ]),
      );
    expect(states).toEqual([
      ["truncated", "output truncated"],
      ["agent-callback", "answered"],
      ["agent-callback", "answered by a member"],
      ["pending", "running"],
    ]);
    await log(page).locator(".exchange > summary").click();
    await log(page).locator(".exchange .answer-of").getByText("Yes: 250 ms.").waitFor();
    await log(page).locator(".subagent > summary").click();
    await log(page).locator(".subagent").getByText("There are three.").waitFor();
    expect(await log(page).locator('.turn[data-depth="1"]').count()).toBe(1);
    const plan = log(page).getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "Edit" }).click();
    await plan.getByRole("textbox").fill("Write the record first\nStop there");
    await plan.getByRole("button", { name: "Send changes" }).click();
    await expect
      .poll(() => host.commands.at(-1), SOON)
      .toMatchObject({
        type: "plan_decision",
        planId: "p1",
        decision: "edit",
        text: "Write the record first\nStop there",
      });
    const output = log(page).locator(".tool", { hasText: "npm test" });
    await output.locator(":scope > summary").click();
    expect(await output.locator(".tool-output").textContent()).toBe("test 1 ok\ntest 2 ok");
    await output.locator(":scope > summary").click();
    expect(await log(page).locator(".working").textContent()).toBe("calling run");
  });

  test("minutes, the end of a discussion and a pause are shown; a pause goes on by its button", async () => {
    await show(on, "ends", [...opening, ...minutes]);
    await log(page).getByRole("article", { name: "Minutes" }).getByRole("heading", { name: "Agreed" }).waitFor();
    await log(page).getByText("The discussion ended after round 2").waitFor();
    await log(page).getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => host.commands.at(-1)?.type, SOON).toBe("continue");
  });

  test("a link to a message shows that message, older pages are fetched on the way, and the way back says what is new", async () => {
    const many = Array.from({ length: 900 }, (_, at) => said(`m${at}`, ["claude"], { text: `message ${at}` }));
    appendDrafts(host, "long", [...opening, ...many]);
    const { seq } = host.transcript("long").head;
    await page.goto(`${host.url}/#/s/long/m/${seq - 880}`);
    await log(page).getByText("message 19", { exact: true }).waitFor();
    expect(await log(page).locator(".row").count()).toBeLessThan(60);
    const position = () => page.locator(".scroller").evaluate((node) => node.scrollTop);
    await expect
      .poll(async () => {
        const found = await position();
        await isSettled(page);
        return found === (await position());
      }, SOON)
      .toBe(true);
    const before = await log(page).getByText("message 19", { exact: true }).boundingBox();
    appendDrafts(host, "long", [said("new", ["claude"], { text: "the newest" })]);
    await page.getByRole("button", { name: "New messages" }).waitFor();
    expect(await log(page).getByText("message 19", { exact: true }).boundingBox()).toEqual(before);
    await page.getByRole("button", { name: "New messages" }).click();
    await log(page).getByText("the newest").waitFor();
  });
});

describe("the table", () => {
  test("members have a colour, a glyph and a name, what they can do, and the ways to mute them and change their model", async () => {
    await show(on, "table", opening);
    await page.getByRole("button", { name: "Panel", exact: true }).click();
    const panel = page.locator(".panel");
    await panel.getByRole("tab", { name: "Members" }).click();
    const looks = await panel
      .locator(".pcard")
      .evaluateAll((all) =>
        all.map((one) => [
          one.querySelector("strong")?.textContent,
          one.getAttribute("data-hue"),
          one.querySelector(".sign svg > *")?.tagName,
        ]),
      );
    expect(looks).toEqual([
      ["claude", "0", "circle"],
      ["codex", "1", "path"],
      ["scout", "2", "path"],
    ]);
    const about = panel.getByRole("region", { name: "codex" });
    await about.getByText("use tools, be steered, ask you, keep context").waitFor();
    await about.getByRole("combobox", { name: "Model of codex" }).selectOption("Other…");
    await about.getByRole("textbox", { name: "Model of codex" }).fill("model-5");
    await page.keyboard.press("Enter");
    await about.getByRole("button", { name: "Mute codex" }).click();
    await expect
      .poll(() => host.commands.slice(-2), SOON)
      .toMatchObject([
        { type: "switch_model", member: "codex", model: "model-5" },
        { type: "mute", member: "codex" },
      ]);
    appendDrafts(host, "table", [{ type: "member_muted", member: "codex" }]);
    await about.getByText("Muted").waitFor();
    const meter = panel.getByRole("meter", { name: "Context of claude" });
    expect(await meter.evaluate((node: HTMLMeterElement) => [node.value, node.max])).toEqual([48_000, 200_000]);
    await page.getByRole("button", { name: "Close panel" }).click();
  });

  test("how far a message has come is said for each member", async () => {
    appendDrafts(host, "table", [
      { type: "message_delivery", messageId: "m1", member: "claude", state: "answered" },
      { type: "message_delivery", messageId: "m1", member: "codex", state: "dropped", reason: "muted" },
      { type: "message_delivery", messageId: "m1", member: "scout", state: "pending" },
    ]);
    await expect
      .poll(() => log(page).locator(".ticks li").allTextContents(), SOON)
      .toEqual([" claude answered", " codex dropped · it was muted", " scout pending"]);
  });

  test("what agents keep in view is shown: status, widget, working line and title; a text for the draft never takes it away", async () => {
    appendDrafts(host, "table", [
      { type: "ui_status", key: "build", text: "build ok" },
      { type: "ui_widget", key: "tasks", content: ["one <b>", "two"], opts: {} },
      { type: "ui_working", message: "Reading the tree" },
      { type: "ui_set_title", title: "Locks" },
      { type: "ui_set_editor_text", text: "from an agent" },
    ]);
    await page.getByRole("region", { name: "From the agents" }).getByText("one <b>").waitFor();
    expect(await page.getByRole("status").textContent()).toBe("Reading the tree · build ok");
    await expect.poll(() => page.title(), SOON).toBe("Locks · Roundtable");
    await expect.poll(() => draft(page).inputValue(), SOON).toBe("from an agent");
    await draft(page).fill("mine");
    appendDrafts(host, "table", [{ type: "ui_set_editor_text", text: "another" }]);
    await page
      .getByRole("group", { name: "An agent suggests a message" })
      .getByRole("button", { name: "Use it" })
      .waitFor();
    expect(await draft(page).inputValue()).toBe("mine");
    await page.getByRole("button", { name: "Dismiss" }).click();
    await draft(page).fill("");
  });
});

describe("writing", () => {
  test("@ offers members and then files, / offers commands, and what is chosen is written", async () => {
    await show(on, "write", opening);
    await draft(page).pressSequentially("ask @");
    await page.getByRole("option", { name: "@src/one.ts" }).waitFor();
    expect(await page.getByRole("listbox").getByRole("option").allTextContents()).toEqual([
      "@claudeembedded · idle",
      "@codexembedded · idle",
      "@scoutembedded · idle",
      "@alleveryone at the table",
      "@src/one.tsfile",
    ]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await draft(page).inputValue()).toBe("ask @codex ");
    await draft(page).fill("");
    await draft(page).pressSequentially("/mu");
    await page.keyboard.press("Tab");
    await draft(page).pressSequentially("scout");
    await page.keyboard.press("Enter");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "mute", member: "scout" });
    await draft(page).fill("/mut scout");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "There is no command /mut" }).waitFor();
    expect(await draft(page).inputValue()).toBe("/mut scout");
    await draft(page).fill("");
  });

  test("while somebody speaks Enter steers and Tab queues; the queue can be changed, moved and taken back", async () => {
    await show(on, "queue", [
      ...opening,
      { type: "turn_start", turnId: "q", member: "claude", cause: "user", messageIds: ["m1"], depth: 0 },
    ]);
    await draft(page).fill("steered");
    await page.keyboard.press("Enter");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "steer", text: "steered" });
    await draft(page).fill("queued");
    await page.keyboard.press("Tab");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "queue_add", text: "queued" });
    const item = (messageId: string, text: string) => ({ messageId, text, to: ["all"], attachments: [], ts: 1 });
    appendDrafts(host, "queue", [{ type: "queue_updated", items: [item("a", "first"), item("b", "second")] }]);
    const queue = page.getByRole("region", { name: "Queue" });
    await queue.getByRole("button", { name: "Move up: second" }).click();
    await expect
      .poll(() => host.commands.at(-1), SOON)
      .toMatchObject({ type: "queue_reorder", messageIds: ["b", "a"] });
    await queue.getByRole("button", { name: "Edit" }).first().click();
    await queue.getByRole("textbox").fill("first, better");
    await queue.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => host.commands.at(-1), SOON)
      .toMatchObject({ type: "queue_edit", messageId: "a", text: "first, better" });
    await draft(page).press("Alt+ArrowUp");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "queue_remove", messageId: "b" });
    await expect.poll(() => draft(page).inputValue(), SOON).toBe("second");
    await draft(page).fill("");
  });

  test("each session has its draft, in this browser; sessions are found, renamed and archived; unread ones are marked", async () => {
    await draft(page).fill("for the queue");
    await show(on, "text", []);
    expect(await draft(page).inputValue()).toBe("");
    appendDrafts(host, "queue", [{ type: "session_renamed", title: "Queued things" }]);
    const nav = page.getByRole("navigation", { name: "Sessions" });
    await nav.locator('[data-unread="true"]', { hasText: "Queued things" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("queued");
    const matches = page.getByRole("dialog", { name: "Search" }).getByRole("option");
    await expect.poll(() => matches.allTextContents(), SOON).toEqual([expect.stringContaining("Queued things")]);
    await page.keyboard.press("Enter");
    await expect.poll(() => draft(page).inputValue(), SOON).toBe("for the queue");
    const row = nav.locator(".session-row", { hasText: "Queued things" });
    await choose(row, "Rename");
    await page.getByRole("textbox", { name: "Title" }).fill("Another title");
    await page.keyboard.press("Enter");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "rename", title: "Another title" });
    await choose(row, "Archive");
    await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "archive", archived: true });
    await draft(page).fill("");
  });
});

test("the page has no fault that axe can find: working, asked, with help, dark, and on a phone", async () => {
  appendDrafts(host, "asked", [
    ...opening,
    ...answered,
    ...minutes,
    { type: "turn_start", turnId: "ask", member: "codex", cause: "user", messageIds: [], depth: 0 },
    { ...asking, turnId: "ask" },
  ]);
  const small = await openContext(on.browser, host, { width: 390, height: 800, colorScheme: "dark" });
  const found: string[] = [];
  async function look(one: Page, name: string): Promise<void> {
    for (const fault of await axeFaults(one)) found.push(`${name}: ${fault}`);
  }
  await small.addInitScript(axeSource());
  const phone = await openPage(small, host, "asked");
  for (const sessionId of ["work", "asked"]) {
    await page.goto(`${host.url}/#/s/${sessionId}`);
    await isDrawn(on, sessionId);
    await look(page, sessionId);
  }
  await card(page).waitFor();
  await draft(page).press("?");
  await page.getByRole("dialog", { name: "Keys and commands" }).waitFor();
  await look(page, "help");
  await page.keyboard.press("Escape");
  await card(phone).waitFor();
  await look(phone, "phone");
  expect(found).toEqual([]);
  await small.close();
});

test("nothing of this made the browser complain", () => {
  expect(on.faults).toEqual([]);
});
