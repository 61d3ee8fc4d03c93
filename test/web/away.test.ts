/** A page whose server has gone: what it says, what it no longer says, and what becomes of what is written. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { started } from "../generate/drafts.ts";
import { opening } from "./made-session.ts";
import { openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, choose, draft, send } from "./open-page.ts";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage();
  ({ page } = on);
  await on.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

afterAll(() => on.browser.close());

const banner = () => page.getByRole("alert").filter({ hasText: "Disconnected" });

test("a link to a message says where it can be opened", async () => {
  await show(on, "away", [...opening, started("t1", "claude", { messageIds: ["m1"] })]);
  await choose(page.locator(".user"), "Copy link");
  await page.getByRole("status").getByText("Link copied. It opens only in a browser that is signed in.").waitFor();
});

test("without a network the page says so at once, and goes on when it is back", async () => {
  await on.context.setOffline(true);
  await banner().waitFor({ timeout: 5_000 });
  await on.context.setOffline(false);
  await banner().waitFor({ state: "detached" });
});

test("while nobody is there no session is said to run, and how to get a new link is said", async () => {
  const row = page.locator(".session-row");
  await row.getByText("answering").waitFor();
  await on.host.close();
  await banner().getByText("If it isn't running, start it with roundtable web.").waitFor();
  await row.getByText("answering").waitFor({ state: "detached" });
  expect(await row.locator(".live").count()).toBe(0);
});

test("what was written while nobody was there can be copied, and be taken back into the draft", async () => {
  await send(page, "written while gone");
  const pending = page.getByRole("region", { name: "Waiting to be sent" });
  await pending.getByRole("button", { name: "Copy" }).click();
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), "written while gone");
  await pending.getByRole("button", { name: "Take back" }).click();
  await pending.waitFor({ state: "detached" });
  await becomes(() => draft(page).inputValue(), "written while gone");
});
