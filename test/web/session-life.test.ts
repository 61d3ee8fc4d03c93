/** Copies and deletions from the page, on a real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServedPage, type ServedPage } from "./one-page.ts";
import { choose, draft, log, openProgram, send, sessionOf, SOON } from "./open-page.ts";

let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  on = await openServedPage();
  ({ page } = on);
});

afterAll(() => on.close());

const rows = () => page.locator(".session-row");

test("a first message that is refused is the draft again with its files, says why, and leaves no session in the list", async () => {
  const file = { name: "notes.md", mimeType: "", buffer: Buffer.from("# Notes") };
  await page.locator('input[type="file"]').setInputFiles([file]);
  const chips = page.getByRole("list", { name: "To be sent with the message" }).getByRole("listitem");
  await chips.waitFor();
  await send(page, "@nobody look at this");
  await page.getByRole("alert").getByText('There is no member "nobody"').waitFor();
  expect(await draft(page).inputValue()).toBe("@nobody look at this");
  expect(await chips.count()).toBe(1);
  expect([await page.getByRole("heading", { level: 1 }).textContent(), new URL(page.url()).hash]).toEqual([
    "New session",
    "#/",
  ]);
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${on.serving.token}` };
    return (await fetch(`${on.serving.url}${path}`, { headers })).json();
  };
  // Nothing is ever thrown away for good but by a person.
  await expect.poll(() => read("/v1/trash"), SOON).toMatchObject([{ summary: { title: "look at this" } }]);
  expect(await read("/v1/sessions")).toEqual([]);
  await expect.poll(() => rows().count(), SOON).toBe(0);
  await chips.getByRole("button").click();
  await draft(page).fill("");
});

test("a message is forked from: the copy ends there, is shown, and goes on apart from the original", async () => {
  await send(page, "/try short");
  const original = await sessionOf(page);
  const answer = log(page).getByRole("article").nth(1);
  await expect.poll(() => answer.getAttribute("data-outcome"), SOON).toBe("completed");
  const mine = log(page).getByRole("article", { name: "you" }).first();
  await mine.getByRole("button", { name: "Fork the session from here" }).click();
  await expect.poll(() => sessionOf(page), SOON).not.toBe(original);
  const copy = await sessionOf(page);
  await expect.poll(() => log(page).getByRole("article", { name: "you" }).count(), SOON).toBe(1);
  const program = await openProgram(on.serving, copy);
  expect(program.transcript().head).toMatchObject({ userCount: 1, turnCount: 0, totals: { turns: 0 } });
  program.client.close();
  await expect.poll(() => rows().count(), SOON).toBe(2);
});

test("a session goes to the trash at once, can be taken back, and is left when it was open", async () => {
  const current = await sessionOf(page);
  const row = rows().filter({ has: page.locator('[aria-current="true"]') });
  await choose(row, "Move to trash");
  await expect.poll(() => rows().count(), SOON).toBe(1);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), SOON).toBe("New session");
  const notice = page.getByRole("status").filter({ hasText: "Moved to trash." });
  await notice.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => rows().count(), SOON).toBe(2);
  await expect.poll(() => sessionOf(page), SOON).toBe(current);
});

test("the trash lists deleted sessions, and any of them is restored from there", async () => {
  const current = await sessionOf(page);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), SOON).toContain("(fork)");
  const row = rows().filter({ has: page.locator('[aria-current="true"]') });
  await row.locator(".session-open").press("Delete");
  await expect.poll(() => rows().count(), SOON).toBe(1);
  // By keyboard: to the way back, and from there to the draft.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), SOON).toBe("Undo");
  await page.keyboard.press("Enter");
  await expect.poll(() => rows().count(), SOON).toBe(2);
  await expect.poll(() => draft(page).evaluate((node) => node === document.activeElement), SOON).toBe(true);
  await row.locator(".session-open").press("Delete");
  await expect.poll(() => rows().count(), SOON).toBe(1);
  await choose(page.locator(".side-foot"), "Trash");
  const trash = page.getByRole("dialog", { name: "Trash" });
  await trash.getByText("(fork)").waitFor();
  await trash.getByRole("button", { name: "Restore" }).first().click();
  await expect.poll(() => rows().count(), SOON).toBe(2);
  await expect.poll(() => sessionOf(page), SOON).toBe(current);
  await choose(row, "Move to trash");
  await expect.poll(() => rows().count(), SOON).toBe(1);
});

test("one key each renames and archives the session of a row, and the row is one stop for Tab", async () => {
  const open = rows().first().locator(".session-open");
  await open.focus();
  await open.press("F2");
  await page.getByRole("textbox", { name: "Title" }).fill("By keys");
  await page.keyboard.press("Enter");
  await expect.poll(() => open.locator(".row-title").textContent(), SOON).toBe("By keys");
  await expect.poll(() => open.evaluate((node) => node === document.activeElement), SOON).toBe(true);
  await page.keyboard.press("ArrowRight");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Actions for By keys");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("e");
  await expect.poll(() => rows().count(), SOON).toBe(0);
  await choose(page.locator(".side-foot"), "Show archived");
  await choose(rows().first(), "Unarchive");
  await choose(page.locator(".side-foot"), "Show archived");
  await expect.poll(() => rows().count(), SOON).toBe(1);
});

test("a page whose session is deleted elsewhere says so and goes to a new one", async () => {
  await rows().first().locator(".session-open").click();
  const sessionId = await sessionOf(page);
  await log(page).getByRole("article", { name: "you" }).first().waitFor();
  const answer = await fetch(`${on.serving.url}/v1/sessions/${sessionId}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${on.serving.token}` },
  });
  expect(answer.status).toBe(200);
  await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent(), SOON).toBe("New session");
  await expect.poll(() => page.locator(".toast").textContent(), SOON).toContain("was deleted elsewhere");
  await expect.poll(() => rows().count(), SOON).toBe(0);
});

test("a link to a missing session says so and opens nothing, also after the notice is gone; a new one can start from there", async () => {
  await page.goto(`${on.serving.url}/#/s/01JD0000000000000000000000`);
  await page.getByRole("alert").getByText("There is no session 01JD0000000000000000000000").waitFor();
  const said = () => page.locator(".hint > p").textContent();
  expect(await said()).toBe("This session can't be shown.");
  // What goes well afterwards takes the complaint away.
  await send(page, "/help");
  await page.getByRole("dialog", { name: "Keys and commands" }).getByRole("button", { name: "Close" }).click();
  await expect.poll(() => page.getByRole("alert").count(), SOON).toBe(0);
  expect(await said()).toBe("This session can't be shown.");
  await page.getByRole("button", { name: "Start a new session" }).click();
  await page.getByRole("heading", { name: "What are we working on?" }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel), SOON).toBe("Message");
});
