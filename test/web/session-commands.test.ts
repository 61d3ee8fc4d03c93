/** Members are seated and leave, and may write or not, by commands of the page. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { opening, appendDrafts } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { draft, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage();
  ({ host, page } = on);
});

afterAll(() => on.close());

const options = () => page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");

test("/add and /remove take names that are offered; another name is refused with those there are", async () => {
  await show(on, "table", opening);
  await draft(page).fill("/add ");
  await expect.poll(() => options().allTextContents(), SOON).toEqual(["localopenai · built in"]);
  await draft(page).press("Enter");
  await expect.poll(() => draft(page).inputValue(), SOON).toBe("/add local ");
  await draft(page).press("Enter");
  const spec = { name: "local", kind: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "small" };
  await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "add_member", spec });
  await page.getByText("local joined.").waitFor();

  await draft(page).fill("/add eve");
  await draft(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: "Available: local." }).waitFor();
  expect(await draft(page).inputValue()).toBe("/add eve");

  await draft(page).fill("/remove cod");
  await expect.poll(() => options().allTextContents(), SOON).toEqual(["codexmember"]);
  await draft(page).press("Tab");
  await draft(page).press("Enter");
  await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ type: "remove_member", member: "codex" });
  await draft(page).fill("/remove eve");
  await draft(page).press("Enter");
  await page.getByRole("alert").filter({ hasText: 'no member "eve" at the table. Members: ' }).waitFor();
  await draft(page).fill("");
});

test("/writable says and changes whether members may write, and a session in which they may is marked", async () => {
  const setWritable = (writable: boolean): EventDraft => ({ type: "settings_changed", settings: { writable } });
  await show(on, "writable", [...opening, setWritable(false)]);
  const access = (now: string) => page.getByRole("button", { name: `Members: ${now}`, exact: true });
  await access("read-only").waitFor();
  await draft(page).fill("/writable");
  await draft(page).press("Enter");
  await page.getByText("Off: members only read and advise.").waitFor();
  await draft(page).fill("/writable on");
  await draft(page).press("Enter");
  await expect.poll(() => host.commands.at(-1), SOON).toMatchObject({ settings: { writable: true } });
  appendDrafts(host, "writable", [setWritable(true)]);
  await isDrawn(on, "writable");
  await access("can edit").waitFor();
});
