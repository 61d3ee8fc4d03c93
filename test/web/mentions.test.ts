/** `@` in the draft of the page: members, then files. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { opening } from "./made-session.ts";
import { openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { draft, isSettled, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage();
  ({ host, page } = on);
  host.files.splice(0, 1, "docs/my notes.md", "src/one.ts", "src/scout.ts", "設計.md");
});

afterAll(() => on.close());

const options = () => page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
const offered = () => options().locator(".suggested").allTextContents();
const chosen = () => page.locator('[role="option"][aria-selected="true"] .suggested');
const type = (text: string) => draft(page).pressSequentially(text);
const written = () => draft(page).inputValue();
const queries = () => host.commands.flatMap((one) => (one.type === "list_files" ? [one.query] : []));

test("@ offers members first, then files, each with its kind; what begins with the word comes before what holds it", async () => {
  await show(on, "first", opening);
  await type("see (@sc");
  await expect.poll(() => options().allTextContents(), SOON).toEqual(["@scoutembedded · idle", "@src/scout.tsfile"]);
  const list = page.getByRole("listbox", { name: "Suggestions" });
  expect(await draft(page).getAttribute("aria-controls")).toBe(await list.getAttribute("id"));
  await draft(page).press("Control+n");
  expect(await chosen().textContent()).toBe("@src/scout.ts");
  const active = await draft(page).getAttribute("aria-activedescendant");
  expect(await page.locator(`[id="${active}"]`).textContent()).toBe("@src/scout.tsfile");
  await draft(page).press("Control+p");
  expect(await chosen().textContent()).toBe("@scout");
  await draft(page).press("ArrowDown");
  await draft(page).press("Enter");
  expect(await written()).toBe("see (@src/scout.ts ");
  expect(await options().count()).toBe(0);
});

test("a name with spaces is written in quotes, can be typed in them, and the line below stays where it is", async () => {
  await show(on, "spaces", opening);
  await draft(page).fill("\nbelow");
  await draft(page).press("Control+Home");
  await type('@"my no');
  await expect.poll(offered, SOON).toEqual(["@docs/my notes.md"]);
  await draft(page).press("Tab");
  expect(await written()).toBe('@"docs/my notes.md" \nbelow');
  await type("and @");
  await expect.poll(offered, SOON).toContain("@設計.md");
  await draft(page).press("Escape");
  expect([await options().count(), await written()]).toEqual([0, '@"docs/my notes.md" and @\nbelow']);
});

test("a name that is written out is sent by Enter, and another one that was chosen is taken", async () => {
  await show(on, "whole", opening);
  const texts = () => host.commands.flatMap((one) => (one.type === "send" || one.type === "steer" ? [one.text] : []));
  await type("thanks @scout");
  await expect.poll(offered, SOON).toEqual(["@scout", "@src/scout.ts"]);
  await draft(page).press("Enter");
  await expect.poll(texts, SOON).toEqual(["thanks @scout"]);
  await type("thanks @scout");
  await expect.poll(offered, SOON).toEqual(["@scout", "@src/scout.ts"]);
  await draft(page).press("ArrowDown");
  await draft(page).press("Enter");
  expect([await written(), texts()]).toEqual(["thanks @src/scout.ts ", ["thanks @scout"]]);
});

test("the list closes when the draft is left for anything but the list, and the draft stays", async () => {
  await show(on, "left", opening);
  await type("@sc");
  await expect.poll(offered, SOON).toEqual(["@scout", "@src/scout.ts"]);
  await draft(page).press("Shift+Tab");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("listbox");
  await draft(page).click();
  await options().last().click();
  expect(await written()).toBe("@src/scout.ts ");
  await type("@sc");
  await options().first().waitFor();
  await page.locator(".scroller").click({ position: { x: 5, y: 5 } });
  await options().first().waitFor({ state: "detached" });
  expect(await written()).toBe("@src/scout.ts @sc");
  await draft(page).focus();
  await type("o");
  await expect.poll(offered, SOON).toEqual(["@scout", "@src/scout.ts"]);
});

test("while files are slow one question is open and the newest is asked next; what it overtook is not shown, and without files there are the members", async () => {
  await show(on, "slow", opening);
  const before = queries().length;
  const held = host.hold("command");
  await type("@s");
  await expect.poll(() => held.count(), SOON).toBe(1);
  expect(await offered()).toEqual(["@scout"]);
  for (const letter of "rc/") {
    await type(letter);
    // Longer than the page waits for the next key.
    await isSettled(page);
    await isSettled(page);
  }
  expect([held.count(), await offered()]).toEqual([1, []]);
  held.release();
  await expect.poll(offered, SOON).toEqual(["@src/one.ts", "@src/scout.ts"]);
  // On a busy machine the first one may have been asked between the two first keys.
  const asked = queries().slice(before);
  expect([asked.length, asked.at(-1)]).toEqual([2, "src/"]);

  host.refused.set("list_files", "Files cannot be listed here.");
  await draft(page).fill("");
  await type("@cl");
  await expect.poll(() => queries().at(-1), SOON).toBe("cl");
  await isSettled(page);
  expect([await offered(), await page.getByRole("alert").count()]).toEqual([["@claude"], 0]);
  host.refused.clear();
});

test("while a word is composed with an input method its files are offered and its keys are its own", async () => {
  await show(on, "composed", opening);
  const ime = await page.context().newCDPSession(page);
  const before = host.commands.length;
  await type("見て、@");
  await ime.send("Input.imeSetComposition", { text: "設", selectionStart: 1, selectionEnd: 1 });
  await expect.poll(offered, SOON).toEqual(["@設計.md"]);
  await draft(page).evaluate((node) => {
    for (const key of ["Enter", "Escape", "ArrowDown"])
      node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, isComposing: true }));
  });
  await isSettled(page);
  expect([await offered(), await written()]).toEqual([["@設計.md"], "見て、@設"]);
  await ime.send("Input.insertText", { text: "設計" });
  await expect.poll(written, SOON).toBe("見て、@設計");
  await expect.poll(offered, SOON).toEqual(["@設計.md"]);
  await draft(page).press("Enter");
  expect(await written()).toBe("見て、@設計.md ");
  expect(host.commands.slice(before).filter(({ type: one }) => one !== "list_files")).toEqual([]);
  await ime.detach();
});

test("the first message of a session is offered the members it will have, and files of the directory it will be about", async () => {
  await page.goto(`${host.url}/#/`);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), SOON).toBe("New session");
  await type("@");
  await expect
    .poll(() => options().allTextContents(), SOON)
    .toEqual(["@claudemember", "@alleveryone at the table", ...host.files.map((name) => `@${name}file`)]);
  expect(on.faults).toEqual([]);
});
