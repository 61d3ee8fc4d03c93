/** What is approved is shown as it will happen, on a phone too, and what came of it is a word on the row of the call. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { begun, DIFF, opening } from "./made-session.ts";
import { openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, card, isSettled, log } from "./open-page.ts";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage();
  ({ page } = on);
});

afterAll(() => on.close());

const of = { turnId: "t", member: "codex" };
const options = [
  { label: "Allow once", value: "once" },
  { label: "Allow this command for this session", value: "session" },
  { label: "Always allow in this directory", value: "always" },
  { label: "Allow all edits for this session", value: "edits" },
  { label: "Deny", value: "deny" },
];

function asked(toolCallId: string, tool: string, args: Record<string, string>, diff?: string): EventDraft[] {
  const call = JSON.stringify({
    args,
    bound: { before: "a766fdc1".repeat(8) },
    cwd: "/project",
    member: "codex",
    tool,
  });
  const request = {
    method: "approval" as const,
    title: `codex: ${tool}`,
    tool,
    call,
    callHash: "f00d".repeat(16),
    options,
  };
  return [
    { type: "tool_call_start", ...of, toolCallId, name: tool, args, kind: tool === "edit" ? "edit" : "execute" },
    {
      type: "ui_request",
      ...of,
      requestId: `r-${toolCallId}`,
      toolCallId,
      timeoutMs: 3_600_000,
      default: false,
      request: diff === undefined ? request : { ...request, diff },
    },
  ];
}

const edit = asked("c1", "edit", { path: "src/log/lock.ts", old_text: "a", new_text: "b" }, DIFF);
const run = asked("c2", "shell", { command: "npm test -- src/log" });

function isInView(selector: string): Promise<boolean> {
  return page.locator(selector).evaluateAll(
    (all) =>
      all.length > 0 &&
      all.every((node) => {
        const { left, top, height } = node.getBoundingClientRect();
        const found = document.elementFromPoint(left + 4, top + height / 2);
        return found !== null && (node.contains(found) || found.contains(node));
      }),
  );
}

test("an edit is its diff and a command is its line and directory; JSON and hashes are behind Details", async () => {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    await show(on, `edit${width}`, [...opening, begun("t", "codex"), ...edit]);
    await isSettled(page);
    await card(page).getByRole("heading", { name: "codex wants to edit lock.ts", exact: true }).waitFor();
    expect(await card(page).getByRole("list", { name: "Files" }).innerText()).toBe("src/log/lock.ts");
    await card(page).locator(".dl.added .hl-keyword", { hasText: "const" }).waitFor();
    expect(await card(page).locator(".dl.added mark").first().innerText()).toBe(", { waitMs: LOCK_WAIT_MS }");
    expect([width, await isInView(".request .dl.added")]).toEqual([width, true]);
    expect([width, await isInView(".request .choices > .choice")]).toEqual([width, true]);
    expect(await card(page).innerText()).not.toMatch(/[{}"]args|a766fdc1|f00d/);
    expect(await card(page).getByRole("button", { name: "Dismiss" }).count()).toBe(0);
    await card(page).getByText("Details").click();
    await card(page).getByText("a766fdc1").waitFor();
  }
  await show(on, "run", [...opening, begun("t", "codex"), ...run]);
  await card(page).getByText("$ npm test -- src/log").waitFor();
  await card(page).getByText("in /project").waitFor();
});

test("what was answered stands on the row of the call, a denied call has not failed, and no JSON is left in the conversation", async () => {
  const answer = (id: string, result: string, more: { reason?: string } = {}): EventDraft => ({
    type: "ui_response",
    ...of,
    requestId: `r-${id}`,
    result,
    error: null,
    by: "browser FR6B",
    clientId: "another",
    ...more,
  });
  await show(on, "settled", [
    ...opening,
    begun("t", "codex"),
    ...edit,
    answer("c1", "once"),
    { type: "tool_result", ...of, toolCallId: "c1", ok: true, result: "done", diff: DIFF, durationMs: 12 },
    ...run,
    answer("c2", "deny", { reason: "use pnpm" }),
    {
      type: "tool_result",
      ...of,
      toolCallId: "c2",
      ok: false,
      error: { code: "tool_denied", message: "The user did not allow it." },
      durationMs: 3,
    },
    { type: "turn_end", ...of, outcome: "completed", durationMs: 900 },
  ]);
  const group = log(page).locator(".tool-group");
  expect(await group.locator("> summary").innerText()).not.toContain("failed");
  await group.locator("> summary").click();
  const rows = group.locator(".tool");
  // What a fold holds is drawn once it is open.
  await becomes(() => rows.locator(".tool-asked").allTextContents(), ["allowed once"]);
  expect(await rows.locator(".tool-state").allTextContents()).toEqual(["", "denied: use pnpm"]);
  expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-state")))).toEqual([
    "success",
    "denied",
  ]);
  for (const row of await rows.all()) await row.locator("summary").click();
  await becomes(() => rows.locator(".tool-args").count(), 2);
  expect(await log(page).innerText()).not.toMatch(/\{"|a766fdc1|f00d/);
});
