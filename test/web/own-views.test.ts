/** Views of their own, in a real browser: the models of the members, and the page of a subagent. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { started } from "../generate/drafts.ts";
import { spoke, subagentTree } from "../generate/subagent-tree.ts";
import { opening, appendDrafts } from "./made-session.ts";
import { axeFaults, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { draft, log, SOON } from "./open-page.ts";

let on: FakeHostPage;
let host: FakeHostPage["host"];
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 900, hasAxe: true });
  ({ host, page } = on);
});

afterAll(() => on.close());

async function write(text: string): Promise<void> {
  await draft(page).fill(text);
  await page.keyboard.press("Enter");
}

test("/model shows every member with the models its program offers; a click or a written name switches", async () => {
  const models = [{ id: "opus" }, { id: "sonnet-5", name: "Sonnet 5", description: "fast" }];
  await show(on, "models", [...opening, { type: "member_models", member: "claude", models }]);
  await write("/model");
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.waitFor();
  const claude = dialog.getByRole("region", { name: "Model of claude" });
  const offered = claude.getByRole("list", { name: "Models of claude" }).getByRole("button");
  expect(await offered.allTextContents()).toEqual(["opus", "Sonnet 5sonnet-5 · fast"]);
  expect(await axeFaults(page)).toEqual([]);
  await claude.getByRole("textbox", { name: "Model" }).fill("sonn");
  expect(await offered.count()).toBe(1);
  await offered.first().click();
  await expect
    .poll(() => host.commands.at(-1), SOON)
    .toMatchObject({ type: "switch_model", member: "claude", model: "sonnet-5" });
  await dialog.getByRole("region", { name: "Model of codex" }).getByRole("textbox", { name: "Model" }).fill("my own");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => host.commands.at(-1), SOON)
    .toMatchObject({ type: "switch_model", member: "codex", model: "my own" });
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  // Kept for the settings, where no session is open.
  const kept = await page.evaluate(() =>
    new Map(JSON.parse(localStorage.getItem("roundtable.models") ?? "[]")).get("claude"),
  );
  expect(kept).toBe(JSON.stringify([{ id: "opus" }, { id: "sonnet-5", name: "Sonnet 5" }]));
});

test("while a member runs it is said that another model is used from its next turn on", async () => {
  appendDrafts(host, "models", [started("t1", "claude", { messageIds: ["m1"] })]);
  await page.locator(".turn[aria-busy=true]").first().waitFor();
  await write("/model claude opus");
  await page.getByText("claude will use opus from its next turn. The current turn is not affected.").waitFor();
  await write("/model claude");
  const dialog = page.getByRole("dialog", { name: "Models" });
  await dialog.getByText("claude is answering. Another model takes effect with its next turn.").waitFor();
  await page.keyboard.press("Escape");
  await write("/model nobody x");
  await page.getByText('There is no member "nobody" at the table.').waitFor();
  await draft(page).fill("");
});

test("a subagent has a page of its own with its turn and those below it, which grows and has an address", async () => {
  await show(on, "agents", [...opening, ...subagentTree("claude")]);
  const seq = host.transcript("agents").head.openTurns["t2"]?.seq;
  await log(page).getByText("finder: look into finder").click();
  await page.getByRole("button", { name: "Open subagent" }).first().click();
  const own = page.getByRole("log", { name: "What the subagent did" });
  await own.getByText("Found it.").waitFor();
  await own.getByText("Read it.").waitFor();
  expect(await page.evaluate(() => location.hash)).toBe(`#/s/agents/a/${seq}`);
  expect(await page.getByText("Words of claude.").count()).toBe(0);
  expect(await page.getByText("Another thing.").count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  appendDrafts(host, "agents", [spoke("t2", "finder", " And more.")]);
  await own.getByText("Found it. And more.").waitFor();
  await page.reload();
  await own.getByText("Found it. And more.").waitFor();
  await page.getByRole("button", { name: "← Conversation" }).click();
  await log(page).getByText("Words of claude.").waitFor();
  await page.goto(`${host.url}/#/s/agents/a/2`);
  await page.getByText("This turn isn't in the session.").waitFor();
  expect(on.faults).toEqual([]);
});
