/**
 * `node tooling/page-pictures.ts [--dark] [--to DIRECTORY] [NAME …]`: takes pictures of every view of the page in a real
 * browser at 390, 1440 and 2560 pixels, `docs/web/NAME-WIDTH.png`, of sessions made for them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import type { SearchAnswer, SearchHit } from "../src/protocol/index.ts";
import { SETTINGS } from "../test/generate/drafts.ts";
import { launchBrowser } from "../test/web/browser.ts";
import { openFakeHost } from "../test/web/fake-host.ts";
import { becomes, openContext, signIn } from "../test/web/open-page.ts";
import { appendSessions, changeRepository, makeRepository, makeSessions } from "./page-sessions.ts";

interface Scene {
  /** Address in the page. */
  readonly at: string;
  /** What a person does before the picture is taken. */
  readonly play?: (page: Page) => Promise<unknown>;
  readonly isSignedOut?: true;
}

const WIDTHS: readonly { readonly width: number; readonly height: number }[] = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1300 },
];

const panel = (tab: string) => async (page: Page) => {
  const isPhone = (page.viewportSize()?.width ?? 0) <= 640;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Panel", exact: true }).click();
  await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
  if (!isPhone) await page.mouse.move(0, 0);
};

const fileIn = (tab: string) => async (page: Page) => {
  await panel(tab)(page);
  await page.locator(".panel").getByText("shutdown.ts").first().click();
};

const scenes: Readonly<Record<string, Scene>> = {
  "01-live": { at: "#/s/jobs" },
  "02-empty": { at: "#/" },
  "02-empty-picker": {
    at: "#/",
    play: (page) => page.locator(".members-chip").click(),
  },
  "03-done": { at: "#/s/index" },
  "04-approval-edit": { at: "#/s/drain" },
  "04-approval-command": { at: "#/s/flaky" },
  "05-changes": { at: "#/s/timeout", play: fileIn("Changes") },
  "05-files": { at: "#/s/timeout", play: fileIn("Files") },
  "05-members": { at: "#/s/timeout", play: panel("Members") },
  "05-minutes": { at: "#/s/timeout", play: panel("Minutes") },
  "08-sessions": {
    at: "#/sessions",
    play: async (page) => {
      const row = page.locator(".session-row:visible").filter({ hasText: "Which index" }).last();
      await row.hover();
      await row.getByRole("button", { name: /^Actions for/ }).click();
    },
  },
  "08-search": {
    at: "#/s/index",
    play: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("lease");
    },
  },
  "08-settings": { at: "#/settings/members" },
  "09-inbox": { at: "#/inbox" },
  "10-replay": { at: "#/s/index/r" },
  "11-sign-in": { at: "#/", isSignedOut: true },
};

const hit = (rest: Pick<SearchHit, "sessionId" | "title" | "kind" | "snippet"> & Partial<SearchHit>): SearchHit => ({
  cwd: "/home/ada/saltmarsh",
  seq: 8,
  eventSeq: 8,
  ts: Date.now() - 600_000,
  marks: [...rest.snippet.matchAll(/lease/g)].map(({ index }) => [index, index + 5]),
  ...rest,
});

const found: SearchAnswer = {
  hits: [
    hit({
      sessionId: "jobs",
      title: "Jobs run twice",
      kind: "text",
      member: "claude",
      snippet: "…any other worker may claim the row, since the lease is given back before the job has ended…",
    }),
    hit({
      sessionId: "drain",
      title: "Drain before release",
      kind: "text",
      member: "codex",
      snippet: "…I kept leaseMs as it is and gave the wait its own limit of 30 s…",
    }),
    hit({
      sessionId: "rotate",
      title: "Rotate webhook keys",
      kind: "user",
      snippet: "Does the lease use the clock of the database?",
    }),
    hit({
      sessionId: "drain",
      title: "Drain before release",
      kind: "diff",
      member: "codex",
      tool: "edit",
      snippet: "src/lease/release.ts",
    }),
  ],
  hasMore: false,
  isComplete: true,
  sessionsLeft: 0,
};

const suggestions = {
  branch: "main",
  suggestions: [
    {
      about: "branch",
      text: "Review the branch retry-budget before it merges",
      detail: "7 files changed, 12 commits ahead of main",
    },
    {
      about: "churn",
      text: "Why does claim.test.ts fail one run in twenty?",
      detail: "Changed in 9 of the last 60 commits",
    },
    { about: "todo", text: "Finish the TODO in scheduler.ts:88", detail: "“jitter belongs here”" },
  ],
};

const ready = { kind: "claude", foundBy: "program", where: "PATH", canBeSeated: true, sitsDown: true };
const agents = [
  { ...ready, name: "claude", model: "Opus" },
  { ...ready, name: "codex", kind: "codex", model: "GPT Codex" },
  { ...ready, name: "gemini", kind: "openai", foundBy: "key", model: "Gemini Pro" },
  {
    ...ready,
    name: "qwen",
    kind: "openai",
    foundBy: "server",
    canBeSeated: false,
    sitsDown: false,
    whyNot: "Not reachable",
  },
];

const MODELS = ["Opus", "GPT Codex", "Gemini Pro"];

const { values, positionals } = parseArgs({
  options: { dark: { type: "boolean", default: false }, to: { type: "string", default: path.join("docs", "web") } },
  allowPositionals: true,
});
const scratch = await mkdtemp(path.join(tmpdir(), "rt-pictures-"));
const root = await makeRepository(scratch);
await changeRepository(root);
const KINDS = ["claude", "codex", "openai"];
const members = ["claude", "codex", "gemini"].map((name, at) => ({ name, kind: KINDS[at], model: MODELS[at] }));
const host = await openFakeHost({
  found,
  answers: {
    "/v1/suggestions": suggestions,
    "/v1/agents": agents,
    "/v1/defaults": { cwd: root, settings: { ...SETTINGS, writable: false }, members },
  },
});
appendSessions(host, makeSessions(root));
const browser = await launchBrowser();
/** Where it is afternoon: the sessions of the last hour are of today. */
const hoursFromUtc = Math.max(-12, 14 - new Date().getUTCHours());
const timezoneId = `Etc/GMT${hoursFromUtc < 0 ? "+" : "-"}${Math.abs(hoursFromUtc)}`;
for (const { width, height } of WIDTHS) {
  const place = { width, height, timezoneId, locale: "en-GB" };
  const look = values.dark ? { ...place, colorScheme: "dark" as const } : place;
  const context = await openContext(browser, host, look);
  const page = await context.newPage();
  await signIn(context, page, host);
  const stranger = await (await openContext(browser, host, look)).newPage();
  for (const [name, scene] of Object.entries(scenes)) {
    if (positionals.length === 0 || positionals.some((one) => name.includes(one)))
      await take(scene.isSignedOut === true ? stranger : page, name, scene);
  }
  await context.close();
}
await browser.close();
await host.close();
await rm(scratch, { recursive: true });

async function take(page: Page, name: string, { at, play }: Scene): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${host.url}/${at}`);
  const [, sessionId] = /^#\/s\/(\w+)$/.exec(at) ?? [];
  if (sessionId !== undefined) {
    const { seq } = host.transcript(sessionId).head;
    await becomes(() => page.locator("main").getAttribute("data-seq"), String(seq));
  } else await page.locator("main").first().waitFor();
  await play?.(page);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(500);
  // Colours of code come from a thread of their own.
  const code = page.locator(".code:visible .code-language:not(:empty), .code-rows:visible");
  if ((await code.count()) > 0)
    await page
      .locator('[class^="hl-"]:visible')
      .first()
      .waitFor({ timeout: 60_000 })
      .catch(() => process.stderr.write(`${name}: code without colours\n`));
  const width = page.viewportSize()?.width ?? 0;
  await page.screenshot({ path: path.join(values.to, `${name}-${width}${values.dark ? "-dark" : ""}.png`) });
}
