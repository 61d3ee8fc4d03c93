/** What is set before there is a session is what it begins with, against the real server. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadedMessages } from "../../src/transcript/index.ts";
import { createHome } from "../cli/program.ts";
import { created, SETTINGS } from "../generate/drafts.ts";
import { appendDrafts } from "./made-session.ts";
import { openFakeHostPage, openServedPage, type ServedPage } from "./one-page.ts";
import { draft, openProgram, send, sessionOf, SOON } from "./open-page.ts";

let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  const home = createHome();
  const embedded = (model: string) => ({ kind: "embedded", model });
  home.configure({
    agents: { scout: embedded("scout"), historian: embedded("historian"), critic: embedded("critic") },
    council: { members: ["scout", "historian", "critic"] },
  });
  on = await openServedPage({ home });
  ({ page } = on);
});

afterAll(() => on.close());

test("/writable, /mute and /remove before the first message hold for the session that it starts; /try asks scout alone", async () => {
  const chips = page.getByRole("form", { name: "Write" });
  await send(page, "/writable on");
  await chips.getByRole("button", { name: "Members: can edit" }).waitFor();
  await send(page, "/mute historian");
  await send(page, "/remove critic");
  await chips.getByRole("button", { name: "Members: scout scout", exact: true }).waitFor();
  await send(page, "/try short");
  const program = await openProgram(on.serving, await sessionOf(page));
  const { head } = program.transcript();
  expect(head.settings?.writable).toBe(true);
  expect(Object.values(head.members).map(({ name, muted }) => [name, muted])).toEqual([
    ["scout", false],
    ["historian", true],
  ]);
  const first = [...loadedMessages(program.transcript())].find((one) => one.kind === "user");
  expect(first).toMatchObject({ to: ["scout"] });
  await expect.poll(() => program.transcript().head.totals.turns, SOON).toBe(1);
  program.client.close();
  await page.getByRole("button", { name: "New session" }).click();
  // Remembered for the folder, by this browser.
  for (const opened of [() => undefined, () => page.reload()]) {
    await opened();
    await chips.getByRole("button", { name: "Members: scout scout", exact: true }).waitFor();
    await chips.getByRole("button", { name: "Members: can edit" }).waitFor();
  }
});

test("chips choose who answers, what they may do, what it may cost and where, and the session begins so", async () => {
  const other = join(on.serving.home.directory, "other");
  mkdirSync(other);
  await page.goto(`${on.serving.url}/#/`);
  const chips = page.getByRole("form", { name: "Write" });
  await chips.getByRole("button", { name: /^Folder: / }).click();
  await page.getByRole("textbox", { name: "Folder path" }).fill(join(on.serving.home.directory, "nowhere"));
  await page.keyboard.press("Enter");
  await page
    .getByRole("alert")
    .getByText(/nowhere/)
    .waitFor();
  await page.getByRole("textbox", { name: "Folder path" }).fill(other);
  await page.keyboard.press("Enter");
  await chips.getByRole("button", { name: `Folder: ${other}` }).waitFor();
  // Nothing was chosen for this folder yet.
  await chips.getByRole("button", { name: "Members: read-only" }).waitFor();
  await chips.getByRole("button", { name: "Members: scout scout, historian historian, critic critic" }).click();
  await page.getByRole("checkbox", { name: "critic" }).uncheck();
  await page.keyboard.press("Escape");
  await chips.getByRole("button", { name: "Members: scout scout, historian historian", exact: true }).waitFor();
  await chips.getByRole("button", { name: "Budget: $5.00" }).click();
  const dollars = page.getByRole("textbox", { name: "Dollars" });
  for (const amount of ["two", "-2", "0", "1e999"]) {
    await dollars.fill(amount);
    await dollars.press("Enter");
    await page.getByRole("alert").getByText("Enter an amount in dollars above 0, such as 2.50.").waitFor();
    expect(await dollars.getAttribute("aria-invalid")).toBe("true");
  }
  await dollars.fill("$2");
  expect(await dollars.getAttribute("aria-invalid")).toBe("false");
  await dollars.press("Enter");
  await chips.getByRole("button", { name: "Members: read-only" }).click();
  await page.getByRole("button", { name: /^Can edit/ }).click();
  await send(page, "@scout /try short");
  const program = await openProgram(on.serving, await sessionOf(page));
  const { head } = program.transcript();
  program.client.close();
  expect([head.cwd, Object.keys(head.members), head.settings?.writable, head.settings?.limits.usd]).toEqual([
    other,
    ["scout", "historian"],
    true,
    2,
  ]);
  // In the session the same chips change it.
  await chips.getByRole("button", { name: "Members: can edit" }).click();
  await page.getByRole("button", { name: /^Read-only/ }).click();
  await chips.getByRole("button", { name: "Members: read-only" }).waitFor();
});

test("a folder is chosen by keyboard alone, typed from ~ or entered step by step, and the focus is never lost", async () => {
  const { directory } = on.serving.home;
  mkdirSync(join(directory, "inside", "deeper"), { recursive: true });
  await page.goto(`${on.serving.url}/#/settings`);
  await page.getByRole("button", { name: "New session" }).click();
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
  await expect.poll(focused, SOON).toBe("Message");
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("Tab", "Enter");
  await expect.poll(focused, SOON).toBe("Folder path");
  await page.keyboard.type("inside");
  await press("Enter");
  await page.getByRole("alert").getByText("Type the full path of the folder, starting with / or ~.").waitFor();
  await page.getByRole("textbox", { name: "Folder path" }).fill("~");
  await press("Enter");
  const home = `Folder: ${realpathSync(on.serving.home.env["HOME"] ?? "")}`;
  await expect.poll(focused, SOON).toBe(home);
  await page.getByRole("textbox", { name: "Message" }).focus();
  await press("Tab", "Enter");
  await page.getByRole("textbox", { name: "Folder path" }).fill(join(directory, "inside"));
  await press("Enter");
  await expect.poll(focused, SOON).toBe(`Folder: ${join(directory, "inside")}`);
  await press("Enter");
  await page.getByRole("button", { name: "deeper" }).focus();
  await press("Enter");
  await expect.poll(focused, SOON).toBe("Use this folder");
  await press("Enter");
  await expect.poll(focused, SOON).toBe(`Folder: ${join(directory, "inside", "deeper")}`);
});

test("on a team's server without a machine for this person the page says what to do, and looks again", async () => {
  const team = await openFakeHostPage();
  const nowhere = { cwd: "/", settings: SETTINGS, members: [] };
  team.host.answers.set("/v1/sign-in", { isTeam: true }).set("/v1/defaults", nowhere);
  await team.page.reload();
  await team.page.getByRole("heading", { name: "You don't have access to a machine yet" }).waitFor();
  await team.page.getByText(`roundtable join ${team.host.url}`).waitFor();
  await team.page.getByRole("button", { name: "Folder: none" }).waitFor();
  expect(await draft(team.page).getAttribute("placeholder")).toBe("You don't have access to a machine yet");
  const members = [{ name: "scout", kind: "embedded" }];
  team.host.answers.set("/v1/defaults", { ...nowhere, cwd: "box:/src/project", members });
  await team.page.getByRole("button", { name: "Check again" }).click();
  await team.page.getByRole("heading", { name: "What are we working on?" }).waitFor();
  await team.page.getByRole("button", { name: "Folder: box:/src/project" }).waitFor();
  // Nobody in the team starts its server.
  await team.context.setOffline(true);
  const banner = team.page.getByRole("alert").filter({ hasText: "Disconnected" });
  await banner.getByText("If this continues, ask your team's administrator.").waitFor();
  expect(await banner.textContent()).not.toContain("roundtable web");
  await team.close();
});

test("on a team's server folders are named with their machine, and a device that only reads is not sent for one", async () => {
  const team = await openFakeHostPage();
  const { host, page: window } = team;
  const [desk, box] = ["desk:/src/project", "box:/src/project"];
  const members = [{ name: "scout", kind: "embedded" }];
  host.answers.set("/v1/sign-in", { isTeam: true }).set("/v1/defaults", { cwd: desk, settings: SETTINGS, members });
  host.answers.set("/v1/folders", { path: desk, folders: [], hasMore: false, others: [desk, box] });
  host.place.at = { runner: "box", person: "ada", isConnected: false };
  const sessionId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  appendDrafts(host, sessionId, [created({ cwd: "/src/project" })]);
  await window.reload();
  await window.getByRole("button", { name: `Folder: ${desk}` }).click();
  expect(await draft(window).getAttribute("placeholder")).toBe("Ask about project on desk, or describe a task…");
  // The folder of a session does not say where it is: nothing can be started in it.
  const menu = window.getByRole("group", { name: "Folder" });
  await menu.getByRole("button", { name: box }).waitFor();
  expect(await menu.getByRole("button").allInnerTexts()).toEqual([desk, box]);
  await window.goto(`${host.url}/#/s/${sessionId}`);
  await window.getByText("project on box (away)").waitFor();

  const me = { id: "01J000000000000000000000AD", name: "ada" };
  host.answers.set("/v1/team", { me, people: [me], scope: "read" });
  host.answers.set("/v1/defaults", { cwd: "/", settings: SETTINGS, members: [] });
  await window.goto(`${host.url}/#/`);
  await window.reload();
  await window.getByRole("heading", { name: "This device has read-only access" }).waitFor();
  expect(await draft(window).getAttribute("placeholder")).toBe("This device has read-only access");
  await team.close();
});
