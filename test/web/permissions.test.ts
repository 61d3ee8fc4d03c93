/** What members may do without asking is listed on the page and taken back there, against the real server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, threeScouts } from "../cli/program.ts";
import { axeFaults, openServedPage, type ServedPage } from "./one-page.ts";
import { card, choose, draft, log, send, SOON } from "./open-page.ts";

let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  const home = createHome();
  home.configure({ ...threeScouts, approvals: { deny: ["shell: curl *"], allow: ["shell: git status"] } });
  on = await openServedPage({ home, hasAxe: true });
  ({ page } = on);
});

afterAll(() => on.close());

const RULE = "shell: rm -rf build && npm run build";
const dialog = () => page.getByRole("dialog", { name: "Permissions" });
const rows = () => dialog().getByRole("listitem");
const revokeButton = () => dialog().getByRole("button", { name: `Revoke: allow ${RULE}` });
const answers = () => log(page).getByText("You answered");

async function isAsked(): Promise<void> {
  await page.locator('.request[data-ready="true"]').waitFor();
}

test("what key 2 has allowed is listed with the rules, holds, is taken back by key and asked about again", async () => {
  await send(page, "/permissions");
  await page.getByRole("alert").filter({ hasText: "Send a message first to start a session." }).waitFor();
  await send(page, "/writable on");
  await send(page, "@ada /try approval");
  await isAsked();
  await card(page).focus();
  await page.keyboard.press("2");
  await expect.poll(() => answers().count(), SOON).toBe(1);
  await send(page, "@ada /try approval");
  await expect.poll(() => answers().count(), SOON).toBe(2);
  expect(await log(page).locator(".user").count()).toBe(2);

  await send(page, "/permissions");
  await expect.poll(() => rows().count(), SOON).toBe(4);
  const [deny, session, allow, others] = await rows().allInnerTexts();
  expect(deny).toMatch(/^deny shell: curl \*\n.*config\.jsonc:\d+:\d+$/);
  expect(session).toContain(`allow ${RULE}\nexactly this, for this session; your answer to ada, `);
  expect(allow).toMatch(/^allow shell: git status\n.*config\.jsonc:\d+:\d+$/);
  expect(others).toBe("ask everything else\nthat changes files or runs commands");
  expect(await dialog().getByRole("button", { name: "Revoke" }).count()).toBe(1);

  await revokeButton().focus();
  await page.keyboard.press("Enter");
  await dialog().getByRole("status").getByText(`Revoked. You will be asked again: ${RULE}`).waitFor();
  await revokeButton().waitFor({ state: "detached" });
  expect(
    await dialog()
      .getByRole("list")
      .evaluate((node) => node === document.activeElement),
  ).toBe(true);
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
  expect(await draft(page).evaluate((node) => node === document.activeElement)).toBe(true);
  await log(page).getByText(`no longer allowed: ${RULE}`).waitFor();

  await send(page, "@ada /try approval");
  await isAsked();
  await card(page).focus();
  await page.keyboard.press("3");
  await expect.poll(() => answers().count(), SOON).toBe(3);
});

test("the menu in the header opens it, and on a phone, light and dark, everything in it is in reach", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await choose(page.locator("header.bar"), "Permissions");
  await rows().filter({ hasText: "exactly this, always in this folder; " }).waitFor();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  expect(await dialog().evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
  await revokeButton().click();
  await dialog().getByRole("status").getByText("Revoked.").waitFor();
  await revokeButton().waitFor({ state: "detached" });
  await dialog().getByRole("button", { name: "Close" }).click();
  await send(page, "@ada /try approval");
  await isAsked();
  expect(on.faults).toEqual([]);
});

test("what was taken back elsewhere meanwhile is said, and the list is as it is now", async () => {
  // All answers stand in a high window; those far out of a low one are not drawn.
  await page.setViewportSize({ width: 1280, height: 2_400 });
  await card(page).focus();
  await page.keyboard.press("2");
  await expect.poll(() => answers().count(), SOON).toBe(4);
  const other = await on.context.newPage();
  await other.goto(page.url());
  const elsewhere = other.getByRole("dialog", { name: "Permissions" });
  for (const one of [page, other]) await choose(one.locator("header.bar"), "Permissions");
  await revokeButton().waitFor();
  await elsewhere.getByRole("button", { name: "Revoke" }).click();
  await elsewhere.getByRole("status").getByText("Revoked.").waitFor();
  await revokeButton().click();
  await dialog().getByRole("status").getByText("it may have been revoked elsewhere").waitFor();
  await revokeButton().waitFor({ state: "detached" });
});
