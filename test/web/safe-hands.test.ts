/** Nothing that was written is lost, nothing that is not seen is answered, and keys and buttons do what they say. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Route } from "playwright-core";
import type { EventDraft, QueueItem } from "../../src/protocol/index.ts";
import { said } from "../generate/drafts.ts";
import { spoke, subagentTree } from "../generate/subagent-tree.ts";
import { answered, asking, begun, opening, appendDrafts, worked } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { choose, draft, isSettled, log, send, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 1_200 });
  ({ host, page } = on);
});

afterAll(() => on.close());

const queue = () => page.getByRole("region", { name: "Queue" });
const field = () => queue().getByRole("textbox", { name: "Queued text" });
const alert = (words: string) => page.getByRole("alert").filter({ hasText: words });
const typesReceived = (from: number) => host.commands.slice(from).map(({ type }) => type);

function item(messageId: string, text: string, rest: Partial<QueueItem> = {}): QueueItem {
  return { messageId, text, to: ["all"], attachments: [], ts: 1, ...rest };
}

/** A long text as the queue holds it: the rest is where the desk has it, or nowhere. */
function long(messageId: string, sha: string, whole: string): QueueItem {
  const textBlob = { sha256: sha.repeat(64), bytes: whole.length };
  return item(messageId, whole.slice(0, 8_192), { textBlob, to: ["claude"] });
}

const queued = (...items: QueueItem[]): EventDraft => ({ type: "queue_updated", items });

async function showQueue(sessionId: string, ...items: QueueItem[]): Promise<void> {
  await show(on, sessionId, [...opening, begun("q", "claude"), queued(...items)]);
  await queue().waitFor();
}

const WHOLE = `${"All of it counts. ".repeat(1_200)}the very end`;

test("a queued message is taken back whole and for whom it was; what cannot be had whole stays in the queue", async () => {
  host.blobs.set("c".repeat(64), WHOLE);
  const tooLong = "x".repeat(200_001);
  host.blobs.set("e".repeat(64), tooLong);
  host.blobs.set("b".repeat(64), "");
  await showQueue("back", long("a", "c", WHOLE));
  await draft(page).press("Alt+ArrowUp");
  await expect.poll(() => draft(page).inputValue(), SOON).toBe(`@claude ${WHOLE}`);
  expect(host.commands.at(-1)).toMatchObject({ type: "queue_remove", messageId: "a" });
  await draft(page).fill("mine");
  const before = host.commands.length;
  appendDrafts(host, "back", [queued(long("d", "d", WHOLE))]);
  await isDrawn(on, "back");
  await draft(page).press("Alt+ArrowUp");
  await alert("The full content could not be loaded (404).").waitFor();
  appendDrafts(host, "back", [queued(long("b", "b", WHOLE))]);
  await isDrawn(on, "back");
  await draft(page).press("Alt+ArrowUp");
  await alert("The whole message could not be loaded, so it stays in the queue.").waitFor();
  appendDrafts(host, "back", [queued(long("e", "e", tooLong))]);
  await isDrawn(on, "back");
  await draft(page).press("Alt+ArrowUp");
  await alert("The message is too long for the box, so it stays in the queue.").waitFor();
  expect([await draft(page).inputValue(), typesReceived(before)]).toEqual(["mine", []]);
  appendDrafts(host, "back", [queued(item("f", "for two", { to: ["codex", "scout"] }))]);
  await isDrawn(on, "back");
  await draft(page).press("Alt+ArrowUp");
  await expect.poll(() => draft(page).inputValue(), SOON).toBe("@codex @scout for two\n\nmine");
  await draft(page).fill("");
});

test("a queued message is taken back with its files, which are sent again without another upload", async () => {
  const notes = { name: "notes.md", mime: "text/plain", blob: { sha256: "a".repeat(64), bytes: 7 } };
  await showQueue("withfiles", item("a", "read this", { attachments: [notes] }));
  await draft(page).press("Alt+ArrowUp");
  const chips = page.getByRole("list", { name: "To be sent with the message" }).getByRole("listitem");
  await chips.getByText("notes.md").waitFor();
  expect(await draft(page).inputValue()).toBe("read this");
  appendDrafts(host, "withfiles", [queued()]);
  await draft(page).press("Enter");
  await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ text: "read this", attachments: [notes] });
  const many = Array.from({ length: 32 }, (_, at) => ({ ...notes, name: `${at}.md` }));
  appendDrafts(host, "withfiles", [
    queued(item("b", "one", { attachments: [notes] }), item("c", "32", { attachments: many })),
  ]);
  await isDrawn(on, "withfiles");
  await draft(page).press("Alt+ArrowUp");
  await expect.poll(() => chips.count(), SOON).toBe(32);
  appendDrafts(host, "withfiles", [queued(item("b", "one", { attachments: [notes] }))]);
  await isDrawn(on, "withfiles");
  const before = host.commands.length;
  await draft(page).press("Alt+ArrowUp");
  await alert("A message can have at most 32 files, so the queued message stays in the queue.").waitFor();
  expect(typesReceived(before)).toEqual([]);
  await draft(page).press("Enter");
  await expect.poll(() => chips.count(), SOON).toBe(0);
});

test("a message that is refused when another session is shown comes back to the draft it was written in", async () => {
  await show(on, "elsewhere", opening);
  await show(on, "refusing", opening);
  host.refused.set("send", "Nobody can be asked.");
  const held = host.hold("command");
  await send(page, "not taken");
  await expect.poll(() => held.count(), SOON).toBe(1);
  await page.evaluate(() => (location.hash = "#/s/elsewhere"));
  await isDrawn(on, "elsewhere");
  held.release();
  await alert("Nobody can be asked.").waitFor();
  expect(await draft(page).inputValue()).toBe("");
  host.refused.clear();
  await page.evaluate(() => (location.hash = "#/s/refusing"));
  await isDrawn(on, "refusing");
  await expect.poll(() => draft(page).inputValue(), SOON).toBe("not taken");
  await draft(page).fill("");
});

test("a queued message is edited whole, and what was written of it is in the queue, in the form or in the draft", async () => {
  host.blobs.set("c".repeat(64), WHOLE);
  const short = item("b", "short", { to: ["codex"] });
  await showQueue("edit", long("a", "c", WHOLE), short);
  await queue().getByRole("button", { name: "Edit" }).first().click();
  await expect.poll(() => field().inputValue(), SOON).toBe(WHOLE);
  await field().fill(`${WHOLE}, and more`);
  host.refused.set("queue_edit", "The queue is full.");
  await queue().getByRole("button", { name: "Save" }).click();
  await alert("The queue is full.").waitFor();
  expect(await field().inputValue()).toBe(`${WHOLE}, and more`);
  host.refused.clear();
  await queue().getByRole("button", { name: "Save" }).click();
  await field().waitFor({ state: "detached" });
  expect(host.commands.at(-1)).toMatchObject({ type: "queue_edit", messageId: "a", text: `${WHOLE}, and more` });

  // It leaves the queue while it is changed.
  await draft(page).fill("mine");
  await queue().getByRole("button", { name: "Edit" }).last().click();
  await field().fill("short, but better");
  appendDrafts(host, "edit", [queued()]);
  await expect.poll(() => draft(page).inputValue(), SOON).toBe("@codex short, but better\n\nmine");
  await page.getByText("Your text is in the box").waitFor();

  // It leaves the queue while the host has not answered yet: what the host takes is not written twice.
  await draft(page).fill("mine");
  for (const [isRefused, left] of [
    [false, "mine"],
    [true, "@codex another\n\nmine"],
  ] as const) {
    appendDrafts(host, "edit", [queued(short)]);
    await queue().getByRole("button", { name: "Edit" }).click();
    await field().fill("another");
    const held = host.hold("command");
    await queue().getByRole("button", { name: "Save" }).click();
    await expect.poll(() => held.count(), SOON).toBe(1);
    appendDrafts(host, "edit", [queued()]);
    await queue().waitFor({ state: "detached" });
    if (isRefused) host.refused.set("queue_edit", "It has left the queue.");
    held.release();
    // Answers come in order: with this one, that of the edit has been read.
    await refuseMute();
    await expect.poll(() => draft(page).inputValue(), SOON).toBe(left);
  }
  host.refused.clear();
  await draft(page).fill("");
});

/** A wish of which the page says what came of it. */
async function refuseMute(): Promise<void> {
  host.refused.set("mute", "Nobody is muted here.");
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  await page.locator(".panel").getByRole("tab", { name: "Members" }).click();
  await page.getByRole("button", { name: "Mute scout" }).click();
  await alert("Nobody is muted here.").waitFor();
  await page.getByRole("button", { name: "Close panel" }).click();
}

test("a session that is left and opened again before its first opening is done is live", async () => {
  for (const sessionId of ["first", "second"]) appendDrafts(host, sessionId, opening);
  const held = host.hold("snapshot");
  for (const [at, sessionId] of ["first", "second", "first"].entries()) {
    await page.evaluate((hash) => (location.hash = hash), `#/s/${sessionId}`);
    await expect.poll(() => held.count(), SOON).toBe(at + 1);
  }
  held.release();
  await isDrawn(on, "first");
  appendDrafts(host, "first", [said("m2", ["claude"], { text: "Are you there?" })]);
  await isDrawn(on, "first");
  await log(page).getByText("Are you there?").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("a letter that Option writes on a Mac is written, and the Enter that ends a composition sends nothing", async () => {
  await show(on, "mac", opening);
  await draft(page).fill("se");
  const before = host.commands.length;
  type Keys = { key: string; code?: string; altKey?: boolean; ctrlKey?: boolean; keyCode?: number };
  const press = (where: string, how: Keys) =>
    page.locator(where).evaluate((node, init) => {
      const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
      return { isLeftAlone: node.dispatchEvent(event), hash: location.hash };
    }, how);
  const alt = { altKey: true, code: "KeyN" };
  const there = { isLeftAlone: true, hash: "#/s/mac" };
  const field = ".composer textarea";
  expect(await press(field, { ...alt, key: "ñ" })).toEqual(there);
  expect(await press(field, { ...alt, key: "Dead" })).toEqual(there);
  expect(await press(field, { ...alt, key: "ń", ctrlKey: true })).toEqual(there);
  expect(await press(field, { ...alt, key: "∆", code: "KeyJ" })).toEqual(there);
  expect(await press(field, { key: "Enter", keyCode: 229 })).toEqual(there);
  expect(await press(field, { key: "Escape", keyCode: 229 })).toEqual(there);
  await isSettled(page);
  expect([await draft(page).inputValue(), typesReceived(before)]).toEqual(["se", []]);
  expect(await press(field, { ...alt, key: "n" })).toEqual({ isLeftAlone: false, hash: "#/" });
  await show(on, "mac", []);
  expect(await press(".scroller", { ...alt, key: "Dead" })).toEqual({ isLeftAlone: false, hash: "#/" });
  await show(on, "mac", []);
  await draft(page).fill("");
});

test("a number answers no request that a dialog covers, or that a replay hides while it is read or cannot be", async () => {
  await show(on, "unseen", [...opening, begun("ask", "codex")]);
  const answers = () => host.commands.filter(({ type }) => type === "answer");
  const before = answers().length;
  const ready = page.locator('.request[data-ready="true"]');
  await draft(page).press("?");
  const help = page.getByRole("dialog", { name: "Keys and commands" });
  await help.waitFor();
  appendDrafts(host, "unseen", [{ ...asking, turnId: "ask" }]);
  await ready.waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });

  const events: Route[] = [];
  await page.route("**/v1/sessions/unseen/events*", (route) => void events.push(route));
  await choose(page.locator("header.bar"), "Replay");
  await page.getByText(/^Reading 0 of/).waitFor();
  await expect.poll(() => events.length, SOON).toBe(1);
  await page.keyboard.press("1");
  await events[0]?.fulfill({ status: 500 });
  await page.getByText("The events could not be fetched (500).").waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await draft(page).waitFor();
  await page.unroute("**/v1/sessions/unseen/events*");

  await page.locator(".request").focus();
  await page.keyboard.press("4");
  await expect.poll(() => answers().slice(before), SOON).toMatchObject([{ requestId: "r1", result: "deny" }]);
});

test("code is copied wherever it is drawn: in an answer, and on the page of a subagent", async () => {
  await on.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: host.url });
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await show(on, "compare", [...opening, ...answered]);
  await page.goto(`${host.url}/#/s/compare/m/${opening.length}`);
  await log(page).locator(".code button.copy").first().click();
  await expect.poll(copied, SOON).toContain("export function takeLock(path: string): Lock {\n");
  const code = "\n\n```ts\nconst found = 1;\n```\n\nThat is all.";
  await show(on, "agents", [...opening, ...subagentTree("claude"), spoke("t2", "finder", code)]);
  const seq = host.transcript("agents").head.openTurns["t2"]?.seq;
  await page.goto(`${host.url}/#/s/agents/a/${seq}`);
  await page.getByRole("log", { name: "What the subagent did" }).locator(".code button.copy").click();
  await expect.poll(copied, SOON).toContain("const found = 1;");
});

test("a message whose files are still on their way is not overtaken by the next one", async () => {
  await show(on, "files", opening);
  const before = host.commands.length;
  const uploads: Route[] = [];
  await page.route("**/v1/sessions/files/blobs", (route) => void uploads.push(route));
  await page
    .locator('input[type="file"]')
    .setInputFiles([{ name: "notes.md", mimeType: "", buffer: Buffer.from("# Notes") }]);
  await page.getByRole("list", { name: "To be sent with the message" }).getByRole("listitem").waitFor();
  await send(page, "with a file");
  await expect.poll(() => uploads.length, SOON).toBe(1);
  await send(page, "right behind");
  await isSettled(page);
  await uploads[0]?.fulfill({ status: 201, json: { sha256: "f".repeat(64), bytes: 7, mime: "text/markdown" } });
  await expect.poll(() => typesReceived(before), SOON).toEqual(["send", "send"]);
  expect(host.commands.slice(before)).toMatchObject([
    { text: "with a file", attachments: [{ name: "notes.md" }] },
    { text: "right behind" },
  ]);
  await page.unroute("**/v1/sessions/files/blobs");
});

test("what was wrong with a store is not said any more after a reconnect, unless it is said again", async () => {
  await show(on, "store", opening);
  // A page that has drawn a later event follows the session.
  appendDrafts(host, "store", [said("m1b", ["claude"])]);
  await isDrawn(on, "store");
  host.reportStore("store", "full", "no space is left for this session");
  await alert("No space is left for this session.").waitFor();
  host.cut();
  await alert("No space is left for this session.").waitFor({ state: "detached" });
  appendDrafts(host, "store", [said("m2", ["claude"])]);
  await isDrawn(on, "store");
  await expect.poll(() => page.getByRole("alert").count(), SOON).toBe(0);
  host.reportStore("store", "full", "no space is left for this session");
  await alert("No space is left for this session.").waitFor();
});

test("the pause that holds goes on by its button however much was written after it, and no earlier one does", async () => {
  const paused: EventDraft = { type: "council_paused", why: "restart", message: "The table was cut by a restart." };
  const more = Array.from({ length: 4 }, (_, at) => said(`n${at}`, ["claude"], { text: `note ${at}` }));
  await show(on, "paused", [...opening, paused, { type: "council_resumed", rootMessageId: "m1" }, paused, ...more]);
  await log(page).getByText("note 3").waitFor();
  const cards = log(page).getByRole("region", { name: "The discussion is paused" });
  const buttons = await cards.evaluateAll((all) => all.map((one) => one.querySelectorAll("button").length));
  expect(buttons).toEqual([0, 1]);
  await cards.last().getByRole("button", { name: "Continue" }).click();
  await expect.poll(() => host.commands.at(-1)?.type, SOON).toBe("continue");
});

test("the whole of an output is shown like the part of it: without colours, hidden characters by their number", async () => {
  const body = "\u001B[31mred\u001B[0m \u202Elive\r\nthe end\n";
  await page.route("**/v1/sessions/whole/blobs/*", (route) => route.fulfill({ status: 200, body }));
  await show(on, "whole", [...opening, ...worked]);
  const tool = log(page).locator(".tool", { hasText: "npm run bench" });
  await tool.locator(":scope > summary").click();
  await tool.getByRole("button", { name: "Show all" }).click();
  const whole = tool.getByRole("group", { name: "Whole output" });
  await whole.waitFor();
  expect(await whole.textContent()).toBe("red ⟨U+202E⟩live\nthe end");
});
