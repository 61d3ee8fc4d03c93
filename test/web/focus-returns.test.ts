/** By keyboard alone: what is opened can be left, and the focus comes back; and axe on what opens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { spoke, subagentTree } from "../generate/subagent-tree.ts";
import { answered, asking, begun, opening, worked } from "./made-session.ts";
import { axeFaults, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, draft, log, SOON } from "./open-page.ts";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 1_500, hasAxe: true });
  ({ page } = on);
});

afterAll(() => on.close());

/** What has the focus, as it is called. */
function focused(): Promise<string> {
  return page.evaluate(() => {
    const node = document.activeElement;
    if (node === null || node === document.body) return "nothing";
    const heard = node.cloneNode(true) as Element;
    for (const hidden of heard.querySelectorAll('[aria-hidden="true"]')) hidden.remove();
    return node.getAttribute("aria-label") ?? heard.textContent;
  });
}

const TITLE = "Why does the lock fail under load?";

async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

test("what is typed right after the search is left goes into the message box, at its caret", async () => {
  await show(on, "typed", [...opening, ...answered]);
  await draft(page).focus();
  for (const text of ["a", "b", "c"]) {
    await press("Control+k");
    await becomes(focused, "Search sessions and messages");
    await page.keyboard.type("lock");
    await press("Escape");
    await becomes(() => page.locator("dialog").count(), 0);
    await page.keyboard.type(text);
  }
  await becomes(() => draft(page).inputValue(), "abc");
  await draft(page).fill("");
});

test("the menu of a session, a title that is changed and a plan that is edited are left by Escape, which interrupts nobody, and the focus is where it was; no menu of the header lies over the sessions", async () => {
  await show(on, "waits", [...opening, asking]);
  await show(on, "keys", [...opening, ...answered, ...worked]);
  const header = page.locator("header.bar");
  await header.getByRole("button", { name: /^Actions for / }).focus();
  const name = await focused();
  await press("Enter");
  const menu = await header.locator(".menu").boundingBox();
  const main = await page.locator("main").boundingBox();
  expect(menu?.x).toBeGreaterThanOrEqual(main?.x ?? Infinity);
  await press("Escape");
  await becomes(focused, name);
  const actions = `Actions for ${TITLE}`;
  for (const [steps, opened] of [[0, "Title"]] as const) {
    const row = page.locator(".session-row", { has: page.locator("[aria-current=true]") });
    await row.getByRole("button", { name: actions }).focus();
    await press("Enter");
    await becomes(focused, "Rename");
    await press("Escape");
    await becomes(focused, actions);
    await press("Enter");
    await becomes(focused, "Rename");
    for (let step = 0; step < steps; step += 1) await press("ArrowDown");
    await press("Enter");
    await becomes(focused, opened);
    await press("Escape");
    await becomes(focused, actions);
  }
  await page.getByRole("region", { name: "Plan" }).getByRole("button", { name: "Edit" }).focus();
  await press("Enter");
  await page.getByLabel("One step per line").waitFor();
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
  await press("Escape");
  await becomes(focused, "Edit");
  expect(on.host.commands.filter(({ type }) => type === "interrupt")).toEqual([]);
});

test("the page of a subagent takes the focus from what led to it, and gives it to the draft when it is left", async () => {
  await show(on, "agents", [...opening, ...subagentTree("claude"), spoke("t2", "finder", " And more.")]);
  await log(page).getByText("finder: look into finder").click();
  await page.getByRole("button", { name: "Open subagent" }).first().focus();
  await press("Enter");
  await becomes(focused, "Subagent");
  await page.getByRole("button", { name: "← Conversation" }).focus();
  await press("Enter");
  await becomes(focused, "Message");
});

test("a search that is left, and a denial that is thought over, leave the focus where the next key is of use", async () => {
  await show(on, "thinks", [...opening, begun("t1", "codex"), asking]);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await press("Control+k");
  await becomes(focused, "Search sessions and messages");
  await press("Escape");
  await becomes(focused, "Message");
  const card = page.locator(".request");
  const name = await card.getAttribute("aria-label");
  await card.getByRole("button", { name: /^Deny and say why/ }).focus();
  await press("Enter");
  await becomes(focused, "Reason for codex");
  await press("Escape");
  await becomes(focused, name ?? "");
});

test("axe finds no fault, light, dark and on a phone, with the menu of a session, its renaming, the models, one of several answers and a subagent", async () => {
  const found: string[] = [];
  const look = async (name: string): Promise<void> => {
    for (const fault of await axeFaults(page)) found.push(`${name}: ${fault}`);
  };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await show(on, "keys", []);
    await page.getByRole("group", { name: "Needs you" }).waitFor();
    await page.locator(".session-row").first().hover();
    await page.locator(".session-row .menu-button").first().click();
    await page.locator(".menu").getByText("Move to trash").waitFor();
    await look(`${colorScheme} menu`);
    await page.locator(".menu").getByText("Rename").click();
    await page.getByRole("dialog", { name: "Rename session" }).waitFor();
    await look(`${colorScheme} renaming`);
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await draft(page).fill("/model");
  await press("Enter");
  await page.getByRole("dialog", { name: "Models" }).waitFor();
  await look("models on a phone");
  await press("Escape");
  await page.goto(`${on.host.url}/#/s/keys/m/${opening.length}`);
  await page.getByRole("region", { name: "Messages" }).locator(".turn").first().waitFor();
  await look("answers on a phone");
  const seq = on.host.transcript("agents").head.openTurns["t2"]?.seq;
  await page.goto(`${on.host.url}/#/s/agents/a/${seq}`);
  await expect.poll(() => page.getByRole("log", { name: "What the subagent did" }).count(), SOON).toBe(1);
  await look("subagent on a phone");
  expect(found).toEqual([]);
});
