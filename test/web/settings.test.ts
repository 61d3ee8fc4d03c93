/** Settings and imports against the real server: every section, what each of them changes, and what none of them can. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome } from "../cli/program.ts";
import { fixtureOf } from "../import/import-file.ts";
import { axeFaults, openServedPage, type ServedPage } from "./one-page.ts";
import { choose, draft, log, openContext, send, sessionOf, SOON } from "./open-page.ts";

/** What starts programs, moves keys or weakens the sandbox. */
const FIXED = {
  agents: {
    tool: { kind: "acp", command: ["my-agent", "--fast"], env: { TOOL_KEY: "s3cret-of-the-tool" }, sandbox: "require" },
    local: { kind: "openai", baseUrl: "http://me:s3cret@127.0.0.1:9/v1", model: "small" },
  },
  mcpServers: { notes: { command: ["notes-server"], env: { NOTES_KEY: "s3cret-of-the-notes" } } },
};

const home = createHome();
let on: ServedPage;
let page: ServedPage["page"];

beforeAll(async () => {
  home.configure({
    council: { members: ["scout"] },
    ...FIXED,
    approvals: { deny: ["read: .env*"], allow: ["shell: npm test*"] },
    sandbox: "auto",
  });
  on = await openServedPage({ home, hasAxe: true, height: 900 });
  ({ page } = on);
});

afterAll(() => on.close());

interface Config {
  council: { members: string[] };
  agents: Record<string, Record<string, unknown>>;
  mcpServers: unknown;
  sandbox: unknown;
  approvals: Record<string, string[]>;
}

const config = () => parse(readFileSync(home.configFile, "utf8")) as Config;
const section = (name: string) => page.getByRole("region", { name, exact: true });
const row = (name: string, text: string | RegExp) => section(name).locator(".set-row").filter({ hasText: text });

async function openSettings(name = "general"): Promise<void> {
  await page.goto(`${on.serving.url}/#/settings/${name}`);
  await row("Members", "tool").first().waitFor();
}

test("nine sections, reached by their links and by their addresses", async () => {
  await openSettings();
  const links = page.getByRole("navigation", { name: "Settings" }).getByRole("button");
  const names = await links.allTextContents();
  expect(names).toEqual([
    "General",
    "Members",
    "Rules",
    "Sandbox",
    "Notifications",
    "Devices",
    "Usage",
    "Shortcuts",
    "Data",
  ]);
  for (const name of names) {
    await links.filter({ hasText: name }).click();
    await expect.poll(() => section(name).evaluate(isInView), SOON).toBe(true);
    expect(await page.evaluate(() => location.hash)).toBe(`#/settings/${name.toLowerCase()}`);
  }
});

function isInView(node: Element): boolean {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

test("general: the theme is applied at once and kept in this browser", async () => {
  await openSettings();
  const look = () =>
    page.evaluate(() => [document.documentElement.dataset["theme"], getComputedStyle(document.body).backgroundColor]);
  const [, light] = await look();
  await page.getByLabel("Theme").selectOption("Dark");
  const [theme, dark] = await look();
  expect(theme).toBe("dark");
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByLabel("Theme").waitFor();
  expect(await look()).toEqual(["dark", dark]);
  await page.getByLabel("Theme").selectOption("System");
  expect((await look())[1]).toBe(light);
});

test("members: a model is written into the configuration, and what starts programs is shown with its file, no secret among it", async () => {
  await openSettings("members");
  await page.getByLabel("Model of local").fill("larger");
  await row("Members", "local").first().getByRole("button", { name: "Save" }).click();
  await expect.poll(() => config().agents["local"]?.["model"], SOON).toBe("larger");
  await row("Members", "agents.tool.command").getByText("my-agent --fast").waitFor();
  await row("Members", "agents.tool.command").getByText(`Set in ${home.configFile}`).waitFor();
  await row("Members", "agents.tool.env").getByText("TOOL_KEY").waitFor();
  await row("Members", "agents.local.baseUrl").waitFor();
  await row("Members", "mcpServers.notes").waitFor();
  expect(await page.locator("body").textContent()).not.toContain("s3cret");
  expect(await row("Members", "agents.tool.command").locator("input, select, button").count()).toBe(0);
});

test("members: models that an agent has offered in a session are offered here, also when none is open", async () => {
  const stored = [["local", JSON.stringify([{ id: "large", name: "Large" }, { id: "small" }])]];
  await page.evaluate((models) => localStorage.setItem("roundtable.models", JSON.stringify(models)), stored);
  await page.reload();
  await openSettings("members");
  const field = page.getByLabel("Model of local");
  const offered = await field.evaluate((node) =>
    [...((node as HTMLInputElement).list?.options ?? [])].map((one) => [one.value, one.text]),
  );
  expect(offered).toEqual([
    ["large", "Large"],
    ["small", "small"],
  ]);
});

test("members: a found or configured agent is added to new sessions and left out again; the last one stays", async () => {
  await openSettings("members");
  await section("Members").getByRole("button", { name: "Add a member" }).click();
  await section("Members").getByRole("group", { name: "Add a member" }).getByRole("button", { name: "local" }).click();
  await expect.poll(() => config().council.members, SOON).toEqual(["scout", "local"]);
  await row("Members", "local").first().getByText("joins new sessions").waitFor();
  await choose(row("Members", "scout").first(), "Leave out of new sessions");
  await expect.poll(() => config().council.members, SOON).toEqual(["local"]);
  // Its row is another one now, and moving a row closes its menu.
  await row("Members", "scout").first().getByText("joins new sessions").waitFor({ state: "detached" });
  await choose(row("Members", "local").first(), "Leave out of new sessions");
  await page.getByRole("alert").getByText("A session needs at least one member.").waitFor();
  expect(config().council.members).toEqual(["local"]);
  await section("Members").getByRole("button", { name: "Add a member" }).click();
  await section("Members").getByRole("group", { name: "Add a member" }).getByRole("button", { name: "scout" }).click();
  await expect.poll(() => config().council.members, SOON).toEqual(["local", "scout"]);
  await choose(row("Members", "local").first(), "Leave out of new sessions");
  await expect.poll(() => config().council.members, SOON).toEqual(["scout"]);
});

test("rules: one is added and removed in the configuration; one that is no rule is refused in words", async () => {
  await openSettings("rules");
  await row("Rules", "read: .env*").getByText("Deny").waitFor();
  await section("Rules").getByRole("button", { name: "Add a rule" }).click();
  await section("Rules").getByLabel("What the rule does").selectOption("Ask");
  await section("Rules").getByRole("textbox", { name: "Rule" }).fill("no rule: :");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(config().approvals["ask"]).toBe(undefined);
  await section("Rules").getByRole("textbox", { name: "Rule" }).fill("shell: git push*");
  await page.keyboard.press("Enter");
  await row("Rules", "shell: git push*").waitFor();
  expect(config().approvals["ask"]).toEqual(["shell: git push*"]);
  await page.getByRole("button", { name: "Remove the rule shell: git push*" }).click();
  await expect.poll(() => config().approvals["ask"] ?? [], SOON).toEqual([]);
});

test("sandbox, notifications, shortcuts: shown, with where they are changed", async () => {
  await openSettings("sandbox");
  await section("Sandbox").getByText("On, where this system supports it").waitFor();
  await section("Sandbox").getByText(`Set in ${home.configFile}`, { exact: false }).waitFor();
  expect(await section("Sandbox").locator("input, select, button").count()).toBe(0);
  await section("Notifications").getByText("Browser notifications").waitFor();
  expect(await section("Notifications").locator(".set-row").textContent()).toMatch(/Notify me|On|Blocked/);
  await row("Shortcuts", "this help").waitFor();
});

test("devices: a code signs in another browser, which is listed and revoked", async () => {
  await openSettings("devices");
  await section("Devices").getByText("This browser").waitFor();
  await section("Devices").getByRole("button", { name: "Add a device" }).click();
  const shown = section("Devices").locator(".set-code", { hasText: /^\w{4}-\w{4}$/ });
  await shown.waitFor();
  const code = await shown.textContent();
  const other = await openContext(on.browser, on.serving);
  const second = await other.newPage();
  await second.goto(on.serving.url);
  await second.getByLabel("Sign-in code").fill(code ?? "");
  await second.keyboard.press("Enter");
  await draft(second).waitFor();
  await page.reload();
  await section("Devices")
    .getByRole("button", { name: /^Revoke / })
    .click();
  await second.getByRole("alert").getByText("This browser is no longer signed in.").waitFor();
  await expect.poll(() => section("Devices").locator(".set-row").count(), SOON).toBe(1);
  await other.close();
});

const SESSION_FILE = join(fixtureOf("pi-everything"), "--home-you-project--");

test("data: a session file is imported, opens and is in the list; the same one again adds nothing; others are refused in words", async () => {
  await openSettings("data");
  await row("Data", "Data directory").getByText(home.dataDir).waitFor();
  const importing = page.getByRole("dialog", { name: "Import a session" });
  const give = async (file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> => {
    await importing.getByLabel("Session file").setInputFiles(file);
    await importing.getByRole("button", { name: "Import" }).click();
  };
  await row("Data", "Import").getByRole("button", { name: "Import…" }).click();
  await importing.getByText("Up to 64").waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await importing.getByRole("button", { name: "Import" }).click();
  await importing.getByRole("alert").getByText("Choose a file first.").waitFor();
  await give({ name: "../../notes.md", mimeType: "text/plain", buffer: Buffer.from("# Notes\n") });
  await importing.getByRole("alert").getByText("is not a session file of a known format. Known formats:").waitFor();
  await give({ name: "empty.jsonl", mimeType: "text/plain", buffer: Buffer.alloc(0) });
  await importing.getByRole("alert").getByText("The file is empty.").waitFor();
  const [name = ""] = readdirSync(SESSION_FILE);
  await give(join(SESSION_FILE, name));
  await importing.waitFor({ state: "detached" });
  await page.getByText(/^Imported: \d+ messages\./).waitFor();
  const sessionId = await sessionOf(page);
  await log(page).getByRole("article").first().waitFor();
  await expect.poll(() => page.locator(".side .session-row").count(), SOON).toBe(1);
  await choose(page.locator(".side-foot"), "Import…");
  await page.goto(`${on.serving.url}/#/`);
  await give(join(SESSION_FILE, name));
  await importing
    .getByRole("alert")
    .getByText("This conversation was imported before, and its session is open.")
    .waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator(".side .session-row").count()).toBe(1);
  expect(sessionId).toHaveLength(26);
});

test("usage and trash: what a session has used, and a deleted one restored from the settings", async () => {
  await page.goto(`${on.serving.url}/#/`);
  await page.reload();
  await send(page, "/try short");
  const sessionId = await sessionOf(page);
  await expect.poll(() => log(page).getByRole("article").nth(1).getAttribute("data-outcome"), SOON).toBe("completed");
  await openSettings("usage");
  await row("Usage", "/try short").getByText("1 answer").waitFor();
  const open = page.locator(`.side .session-row`).filter({ hasText: "/try short" }).locator(".session-open");
  await open.press("Delete");
  await expect.poll(() => open.count(), SOON).toBe(0);
  await openSettings("data");
  await row("Data", "Trash").getByRole("button", { name: "Open trash" }).click();
  await page.getByRole("dialog", { name: "Trash" }).getByRole("button", { name: "Restore" }).first().click();
  await expect.poll(() => sessionOf(page), SOON).toBe(sessionId);
});

test("nothing that starts programs, moves keys or weakens the sandbox can be posted", async () => {
  const before = readFileSync(home.configFile, "utf8");
  const broken = 'x", "command": ["sh", "-c", "touch /tmp/owned"], "model": "x';
  const attacks: object[] = [
    ...["command", "args", "env", "baseUrl", "mcpServers", "sandbox", "dataDir"].flatMap((key) => [
      { change: key, member: "tool", [key]: "sh", value: "sh" },
      { change: "model", member: "tool", model: "m", [key]: ["sh"] },
      { change: "model", member: "tool", model: { [key]: "sh" } },
      { change: "effort", member: "tool", effort: "low", [key]: "off" },
      { change: "add_member", member: "tool", [key]: "sh" },
      { change: "add_rule", verdict: "allow", rule: "shell: ls", [key]: "off" },
      { change: "set", path: `agents.tool.${key}`, value: "sh" },
    ]),
    { change: "model", member: "__proto__", model: "m" },
    { change: "model", member: "tool.command", model: "m" },
    { change: "add_member", member: "nobody" },
    { change: "add_member", member: { name: "tool", command: ["sh"] } },
    { change: "model", member: 'tool"],["command', model: "m" },
    { change: "add_rule", verdict: "sandbox", rule: "off" },
    { change: "add_rule", verdict: "allow", rule: 'shell: ls"], "sandbox": "off", "x": ["' },
  ];
  const post = (body: object) =>
    page.evaluate(
      async ([text, token]) => {
        const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
        return (await fetch("/v1/configuration", { method: "POST", headers, body: text })).status;
      },
      [JSON.stringify(body), on.serving.token] as const,
    );
  const answers: [string, number][] = [];
  for (const body of attacks.slice(0, -1)) answers.push([JSON.stringify(body), await post(body)]);
  expect(answers.filter(([, status]) => status !== 400 && status !== 404)).toEqual([]);
  expect(readFileSync(home.configFile, "utf8")).toBe(before);
  // A text is a text, whatever is in it.
  for (const body of [attacks.at(-1) ?? {}, { change: "model", member: "local", model: broken }]) await post(body);
  const { agents, mcpServers, sandbox } = config();
  const withoutModel = (agent: object | undefined) => ({ ...agent, model: "" });
  expect([withoutModel(agents["local"]), agents["tool"], mcpServers, sandbox]).toEqual([
    withoutModel(FIXED.agents.local),
    FIXED.agents.tool,
    FIXED.mcpServers,
    "auto",
  ]);
  expect(Object.keys(agents).toSorted()).toEqual(["local", "tool"]);
});

test("no import is taken from a stranger, from another site, or as another type", async () => {
  const url = `${on.serving.url}/v1/import?name=a.jsonl`;
  const authorization = `Bearer ${on.serving.token}`;
  const type = { "content-type": "application/octet-stream" };
  const statusOf = async (headers: Record<string, string>, to = url) =>
    (await fetch(to, { method: "POST", headers, body: "x" })).status;
  const before = await page.locator(".side .session-row").count();
  expect([
    await statusOf(type),
    await statusOf({ ...type, authorization: "Bearer wrong" }),
    await statusOf({ ...type, authorization, origin: "http://evil.example" }),
    await statusOf({ ...type, authorization, "sec-fetch-site": "cross-site" }),
    await statusOf({ "content-type": "text/plain", authorization }),
    await statusOf({ ...type, authorization }, `${on.serving.url}/v1/import`),
    await statusOf({ ...type, authorization }, `${on.serving.url}/v1/import?name=${"x".repeat(256)}`),
  ]).toEqual([401, 401, 403, 403, 415, 400, 400]);
  expect(await page.locator(".side .session-row").count()).toBe(before);
});

test("axe finds no fault in any section", async () => {
  await openSettings();
  expect(await axeFaults(page)).toEqual([]);
});
