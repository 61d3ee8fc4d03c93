/** Sessions as files from the page, and the exported page itself, in a real browser. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { exportSession } from "../../src/host/index.ts";
import { exporterOf } from "../edge-parts.ts";
import type { EventDraft } from "../../src/protocol/index.ts";
import { createHome } from "../cli/program.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { stamped } from "../generate/stamped.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { attacksOn } from "./attacks.ts";
import { openBrowser } from "./browser.ts";
import { choose, draft, openContext, openPage } from "./open-page.ts";

const SINK = "http://sink.invalid";

/** Every attack as words of the user, as an answer, as a thought and as what a tool was given and gave back. */
function hostileSession(): EventDraft[] {
  const turns = attacksOn(SINK).flatMap(({ text }, index): EventDraft[] => {
    const turn = { turnId: `t${index}`, member: "scout" };
    return [
      said(`m${index}`, ["scout"], { text }),
      started(turn.turnId, "scout", { messageIds: [`m${index}`] }),
      { type: "thinking_done", ...turn, segmentId: `a${index}`, text },
      { type: "tool_call_start", ...turn, toolCallId: `c${index}`, name: "read", title: text, args: { text } },
      { type: "tool_result", ...turn, toolCallId: `c${index}`, ok: true, result: text, diff: text },
      { type: "text_done", ...turn, segmentId: `b${index}`, text },
      ended(turn.turnId, "scout"),
    ];
  });
  return [created({ title: "<img src=x onerror=alert(1)>" }), joined("scout"), ...turns];
}

const home = createHome();
let browser: Browser;
let serving: Serving;
let file: string;

beforeAll(async () => {
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  await writeSession(home.dataDir, stamped(hostileSession()));
  file = join(home.directory, "session.html");
  const made = await exportSession({ dataDir: home.dataDir, sessionId: SESSION_ID, exporter: exporterOf("html") });
  let html = "";
  for await (const piece of made.chunks) html += piece;
  writeFileSync(file, html);
  [serving, browser] = await Promise.all([startServing({ home }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await serving.stop();
});

async function openFile(hasPolicy: boolean): Promise<{ page: Page; asked: string[]; faults: string[] }> {
  const page = await browser.newPage();
  const asked: string[] = [];
  const faults: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => faults.push(message.text()));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => faults.push("a dialog")));
  const shown = hasPolicy ? file : `${file}.bare.html`;
  if (!hasPolicy)
    writeFileSync(shown, readFileSync(file, "utf8").replace(/<meta http-equiv="content-security[^>]*>/, ""));
  await page.goto(pathToFileURL(shown).href);
  return { page, asked, faults };
}

test("[W250] an exported page runs nothing and asks nobody, with its own policy and without it", async () => {
  for (const hasPolicy of [true, false]) {
    const { page, asked, faults } = await openFile(hasPolicy);
    const found = await page.evaluate(() => {
      for (const fold of document.querySelectorAll("details")) fold.open = true;
      return {
        ran: "__pwn" in window,
        controls: document.querySelectorAll("script,iframe,object,embed,form,input,button,svg,link,base,video").length,
        pictures: [...document.querySelectorAll("img")].filter(
          (one) => !/^data:image\/(?:png|jpe?g|gif|webp);base64,/.test(one.src),
        ).length,
        handlers: [...document.querySelectorAll("*")].filter((one) =>
          [...one.attributes].some(({ name }) => name.startsWith("on") || name === "style" || name === "srcset"),
        ).length,
        links: [...document.querySelectorAll("a")].filter((one) => !/^(?:https?|mailto|file):/.test(one.protocol))
          .length,
        articles: document.querySelectorAll("article").length,
        styled: getComputedStyle(document.querySelector("article") ?? document.body).borderLeftWidth,
      };
    });
    expect(found).toEqual({
      ran: false,
      controls: 0,
      pictures: 0,
      handlers: 0,
      links: 0,
      articles: 2 * attacksOn(SINK).length,
      styled: "4px",
    });
    expect([asked.filter((url) => !url.startsWith("file:")), faults]).toEqual([[], []]);
    await page.close();
  }
});

test("the page saves a session as a file, by the menu of its row and by /export", async () => {
  const context = await openContext(browser, serving);
  const page = await openPage(context, serving, SESSION_ID);
  const byMenu = page.waitForEvent("download");
  // Opening it is news of today, and its row moves up.
  await choose(page.getByRole("group", { name: "Ready" }).locator(".session-row"), "Export…");
  await page.getByRole("dialog", { name: "Export session" }).getByRole("button", { name: "Export" }).click();
  const html = await byMenu;
  expect(html.suggestedFilename()).toMatch(/\.html$/);
  // Opening the session has settled what nobody had answered; what was said is the same.
  const main = (text: string) => text.slice(text.indexOf("<main>"), text.indexOf("</main>"));
  expect(main(readFileSync(await html.path(), "utf8"))).toBe(main(readFileSync(file, "utf8")));
  const byCommand = page.waitForEvent("download");
  await draft(page).fill("/export jsonl");
  await draft(page).press("Enter");
  const lines = await byCommand;
  expect(lines.suggestedFilename()).toMatch(/\.jsonl$/);
  expect(readFileSync(await lines.path(), "utf8").split("\n")[0]).toContain(`"sessionId":"${SESSION_ID}"`);
  await context.close();
});
