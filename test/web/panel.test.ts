/** The right panel in a real browser: changes, files, members and minutes of a session with a real folder. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { axeFaults, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { SOON } from "./open-page.ts";

const BEFORE = `import { log } from "../log.ts";

/** Runs on SIGTERM; the supervisor kills us after 45 s. */
export async function shutdown(worker: Worker) {
  worker.state = "stopping";
  worker.stopClaiming();
  await releaseAll(worker.leases);
  await worker.inFlight.settled();
  await worker.pool.end();
  log.debug("shutdown: bye");
}
`;

const AFTER = BEFORE.replace(
  `  await releaseAll(worker.leases);
  await worker.inFlight.settled();
`,
  `  const done = await worker.inFlight.settled({ timeoutMs: DRAIN_MS });
  if (!done) log.warn("shutdown: %d cut off", worker.inFlight.size);
  await releaseAll(worker.leases);
`,
).replace('log.debug("shutdown: bye")', 'log.info("shutdown: %d ms", since(start))');

const ANSWER =
  "Done: see `shutdown.ts:7`, then src/config.ts and `gone.ts:3` in `Node.js`, by [the notes](https://e.invalid).";

let folder: string;
let on: FakeHostPage;
let page: FakeHostPage["page"];

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function call(turn: readonly [string, string], name: string, kind: "read" | "edit", path: string): EventDraft[] {
  const ids = { turnId: turn[0], member: turn[1], toolCallId: `${turn[0]} ${name} ${path}` };
  const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-export const limit = 1;\n+export const limit = 30;\n";
  return [
    { type: "tool_call_start", ...ids, name, kind, args: { path } },
    { type: "tool_result", ...ids, ok: true, ...(kind === "edit" ? { diff } : {}) },
  ];
}

function session(): EventDraft[] {
  const [first, second] = [["t1", "claude"] as const, ["t2", "codex"] as const];
  return [
    created({ title: "Drain before release", cwd: folder }),
    joined("claude", { spec: { name: "claude", kind: "claude", model: "opus" } }),
    joined("codex", { spec: { name: "codex", kind: "codex", model: "gpt-codex" } }),
    {
      type: "member_models",
      member: "claude",
      models: [
        { id: "opus", name: "Opus" },
        { id: "haiku", name: "Haiku" },
      ],
    },
    { type: "member_guard", member: "claude", guard: "sandbox" },
    { type: "context_update", member: "claude", used: 42_000, window: 200_000, measured: true },
    said("m1", ["claude", "codex"], {
      text: "Make workers finish their jobs before they give leases back.",
      toAll: true,
    }),
    started("t1", "claude"),
    ...call(first, "read", "read", "src/worker/shutdown.ts"),
    ...call(first, "edit", "edit", "src/config.ts"),
    ended("t1", "claude"),
    started("t2", "codex"),
    ...call(second, "read", "read", "src/worker/loop.ts"),
    ...call(second, "edit", "edit", "src/worker/shutdown.ts"),
    { type: "text_done", turnId: "t2", member: "codex", segmentId: "s", text: ANSWER },
    ended("t2", "codex"),
    { type: "minutes", text: "## Decided\n\nWait first, **then** release.", by: "claude" },
  ];
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "rt-panel-")));
  write("src/worker/shutdown.ts", BEFORE);
  write("src/worker/loop.ts", "export const loop = 1;\n");
  write("src/config.ts", "export const limit = 1;\n");
  write("docs/readme.md", "# Read me\n");
  const env = { ...process.env, GIT_COMMITTER_DATE: "2023-01-01T00:00:00Z", GIT_AUTHOR_DATE: "2023-01-01T00:00:00Z" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x");
  write("src/worker/shutdown.ts", AFTER);
  write("src/config.ts", "export const limit = 30;\n");
  write("src/new.ts", "export {};\n");
  on = await openFakeHostPage({ height: 900, hasAxe: true });
  ({ page } = on);
  await page.setViewportSize({ width: 1440, height: 900 });
});

afterAll(async () => {
  await on.close();
  rmSync(folder, { recursive: true, force: true });
});

const panel = () => page.locator(".panel");
const row = (name: string) => panel().locator(".frow", { hasText: name });

test("changes: files with who changed them, coloured diff with changed words, side by side, by member and turn", async () => {
  await show(on, "drain", session());
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  await expect.poll(() => panel().locator(".file-list .frow").allInnerTexts(), SOON).toHaveLength(3);
  const rows = await panel().locator(".file-list .frow").allInnerTexts();
  expect(rows.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
    "src/config.ts claude +1 −1",
    "src/new.ts added +1 −0",
    "src/worker/shutdown.ts codex +3 −2",
  ]);
  await expect.poll(() => panel().getByRole("tab", { name: "Changes" }).innerText(), SOON).toMatch(/Changes\s*3/);
  await row("shutdown.ts").click();
  const diff = panel().getByRole("group", { name: "Changes to src/worker/shutdown.ts" });
  await diff.locator(".dl.removed mark", { hasText: "debug" }).waitFor();
  await diff.locator(".dl.added .hl-keyword", { hasText: "const" }).waitFor();
  expect(await diff.locator(".dl.removed").count()).toBe(2);
  expect(await diff.locator(".dl.added").first().innerText()).toBe(
    "+\n  const done = await worker.inFlight.settled({ timeoutMs: DRAIN_MS });",
  );
  expect(await axeFaults(page)).toEqual([]);
  await panel().getByRole("button", { name: "Side by side" }).click();
  expect(await diff.locator(".dl.split").first().locator(".half").count()).toBe(2);
  await panel().getByRole("button", { name: "Unified" }).click();
  await panel().getByRole("combobox", { name: "Member" }).selectOption("claude");
  expect(await panel().locator(".file-list .frow").count()).toBe(1);
  await panel().getByRole("combobox", { name: "Member" }).selectOption("");
  await panel().getByRole("button", { name: "Last turn" }).click();
  await expect
    .poll(() => panel().locator(".file-list .frow .path").allInnerTexts(), SOON)
    .toEqual(["src/worker/shutdown.ts"]);
  await panel().getByRole("combobox", { name: "Turn" }).selectOption({ index: 1 });
  await expect.poll(() => panel().locator(".file-list .frow .path").allInnerTexts(), SOON).toEqual(["src/config.ts"]);
  await panel().getByRole("group", { name: "Changes to src/config.ts" }).locator(".added mark").waitFor();
});

test("a file named in an answer or a tool row opens at its line; what names no file stays text", async () => {
  await panel().getByRole("button", { name: "Close panel" }).click();
  const turn = page.getByRole("article", { name: "codex" });
  const answer = turn.locator(".markdown");
  await expect
    .poll(() => answer.getByRole("link").allInnerTexts(), SOON)
    .toEqual(["shutdown.ts:7", "src/config.ts", "the notes"]);
  await answer.getByRole("link", { name: "shutdown.ts:7" }).press("Enter");
  const hot = () => panel().locator(".dl.hot");
  await expect
    .poll(() => hot().locator("code").allInnerTexts(), SOON)
    .toEqual(["  const done = await worker.inFlight.settled({ timeoutMs: DRAIN_MS });"]);
  await turn.locator(".tool-group > summary").click();
  await turn.locator(".tool .ref", { hasText: "src/worker/loop.ts" }).click();
  await panel().locator(".file-text").getByText("export const loop = 1;").waitFor();
  expect(await turn.locator(".tool[open]").count()).toBe(0);
  await turn.locator(".tool", { hasText: "src/worker/loop.ts" }).locator("summary").press("Enter");
  await turn.getByRole("group", { name: "Arguments" }).getByRole("link", { name: "src/worker/loop.ts" }).waitFor();
  expect(await answer.getByRole("link", { name: "the notes" }).evaluate((node) => node.getAttribute("rel"))).toBe(
    "noopener noreferrer nofollow",
  );
  expect(await axeFaults(page)).toEqual([]);
});

test("files: what members touched, all files by directory, and a file at its line", async () => {
  await panel().getByRole("tab", { name: "Files" }).click();
  await panel().getByText("2 read, 2 edited").waitFor();
  await row("loop.ts").click();
  const file = () => panel().locator(".file-text");
  await file().locator(".hl-keyword", { hasText: "export" }).waitFor();
  expect(await file().locator(".dl").count()).toBe(1);
  on.host.files.push("src/worker/shutdown.ts");
  await panel().getByRole("button", { name: "Find a file" }).click();
  await panel().getByRole("textbox", { name: "Find a file" }).fill("shutd");
  await row("shutdown.ts").click();
  await expect.poll(() => file().locator(".dl.hot .signs").allInnerTexts(), SOON).toEqual(["codex"]);
  await file().getByText("1 member cites this file").waitFor();
  await panel().getByRole("button", { name: "All files" }).click();
  await row("docs").click();
  await row("readme.md").click();
  await file().getByText("# Read me").waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

test("a file in the panel is closed with its session: it would be looked for in the next one's folder", async () => {
  await panel().locator(".file-text").getByText("# Read me").waitFor();
  await show(on, "elsewhere", [created({ title: "Elsewhere", cwd: folder }), joined("claude")]);
  await panel().getByText("No member has read or edited a file yet.").waitFor();
  expect(await panel().locator(".file-text").count()).toBe(0);
  await page.goBack();
  await panel().getByText("2 read, 2 edited").waitFor();
  expect(await panel().locator(".file-text").count()).toBe(0);
});

test("members: facts, another model, muting, adding", async () => {
  await panel().getByRole("tab", { name: "Members" }).click();
  const claude = panel().getByRole("region", { name: "claude" });
  await claude.getByText("42k of 200k").waitFor();
  await claude.getByRole("combobox", { name: "Model of claude" }).selectOption("haiku");
  await claude.getByRole("combobox", { name: "Effort of claude" }).selectOption("high");
  await claude.getByRole("button", { name: "Mute claude" }).click();
  await panel().getByRole("button", { name: "Add a member" }).click();
  await page.getByRole("button", { name: /local/ }).click();
  await expect
    .poll(() => on.host.commands.slice(-4), SOON)
    .toMatchObject([
      { type: "switch_model", member: "claude", model: "haiku" },
      { type: "switch_effort", member: "claude", effort: "high" },
      { type: "mute", member: "claude" },
      { type: "add_member", spec: { name: "local" } },
    ]);
});

test("minutes are read here, and asked for", async () => {
  await panel().getByRole("tab", { name: "Minutes" }).click();
  await panel().getByText("Wait first, then release.").waitFor();
  await panel().getByRole("button", { name: "Write minutes" }).click();
  await expect.poll(() => on.host.commands.at(-1), SOON).toMatchObject({ type: "minutes" });
});

test("opened by its button it takes the focus; Escape closes it, leads back to the button, and interrupts nobody", async () => {
  const focused = () => page.evaluate(() => document.activeElement?.textContent.replace(/\d+$/, ""));
  const before = on.host.commands.length;
  await panel().getByRole("tab", { name: "Minutes" }).press("Escape");
  await panel().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await expect.poll(focused, SOON).toBe("Changes");
  await page.keyboard.press("Escape");
  await panel().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await panel().waitFor();
  expect(on.host.commands.slice(before)).toEqual([]);
});

test("on a phone it is a dialog over the whole screen, with targets of 44 pixels; Escape closes it", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const dialog = page.getByRole("dialog", { name: "Panel" });
  await dialog.getByRole("tab", { name: "Changes" }).click();
  await dialog.locator(".dl.added").first().waitFor();
  expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
  const small = await dialog.locator("button:visible, select:visible").evaluateAll((all) =>
    all
      .filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width < 44 || height < 44;
      })
      .map((one) => one.textContent),
  );
  expect(small).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(on.faults).toEqual([]);
});

test("a fault in the panel stays in the panel, and can be tried again", async () => {
  on.host.answers.set("/v1/sessions/drain/changes", { files: [{}] });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  const fault = page.getByRole("alert").filter({ hasText: "Something went wrong in this part of the page" });
  await fault.waitFor();
  await page.getByRole("article", { name: "codex" }).waitFor();
  on.host.answers.clear();
  await fault.getByRole("button", { name: "Try again" }).click();
  await panel().getByRole("tab", { name: "Files" }).waitFor();
});
