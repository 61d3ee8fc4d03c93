/** What models like to write beyond plain Markdown is shown, or said to be left out; and the whole of a session on paper. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { begun, opening } from "./made-session.ts";
import { openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { becomes, draft, isSettled, log } from "./open-page.ts";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({
    before: () => {
      window.print = () => {
        const { dataset } = document.documentElement;
        dataset["printed"] = String(Number(dataset["printed"] ?? 0) + 1);
      };
    },
  });
  ({ page } = on);
});

afterAll(() => on.close());

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function answer(text: string): EventDraft[] {
  const of = { turnId: "t", member: "claude" };
  return [...opening, begun("t", "claude"), { type: "text_done", ...of, segmentId: "s", text }, ended("t", "claude")];
}

test("a picture inside of an answer is shown when it is one, and else said not to be", async () => {
  const svg = `data:image/svg+xml;base64,${btoa("<svg/>")}`;
  await show(on, "pictures", answer(`![](data:image/png;base64,${PIXEL}) and ![chart](${svg})`));
  const text = log(page).locator(".turn .markdown");
  await becomes(() => text.locator("img").evaluate((node: HTMLImageElement) => node.naturalWidth), 1);
  expect((await text.locator("img").boundingBox())?.width).toBeGreaterThan(8);
  expect(await text.innerText()).toContain("chart (not shown: SVG)");
});

test("folds, line breaks and footnotes are drawn instead of their source", async () => {
  const fold = "<details>\n<summary>More <b>here</b></summary>\n\nInner **text**\n\n</details>";
  await show(on, "folds", answer(`${fold}\n\nA claim[^1] and<br>a break.\n\n[^1]: The proof.\n[^2]: Another.`));
  const text = log(page).locator(".turn .markdown");
  expect(await text.innerText()).toMatch(/^More <b>here<\/b>\s+A claim1 and\na break\.\s+1 The proof\.\s+2 Another\.$/);
  await text.locator("summary").press("Enter");
  await text.locator("details strong", { hasText: "text" }).waitFor();
  expect(await text.locator("b").count()).toBe(0);
  expect(await text.locator(".footnote").allTextContents()).toEqual(["1", "1", "2"]);
});

test("tasks of a list have boxes where its other items have their marks, those below a task further in", async () => {
  await show(on, "tasks", answer("- [x] done\n- [ ] to do\n  - [ ] below it\n- no task"));
  const text = log(page).locator(".turn .markdown");
  const left = (words: string) =>
    text.getByText(words, { exact: true }).evaluate((node) => {
      const range = document.createRange();
      range.selectNodeContents([...node.childNodes].find((one) => one.nodeType === Node.TEXT_NODE) ?? node);
      return Math.round(range.getBoundingClientRect().left);
    });
  const [done, below, plain] = [await left("☑ done"), await left("☐ below it"), await left("no task")];
  expect(done).toBe(plain);
  expect(below).toBeGreaterThan(done);
  expect(await text.locator(".check").evaluateAll((all) => all.map((one) => one.clientWidth > 8))).toEqual([
    true,
    true,
    true,
  ]);
});

test("formulas are drawn as MathML, prices stay text, a mistake is shown as written, and none is wider than its text", async () => {
  const wide = `$$${Array.from({ length: 80 }, (_, at) => `x_{${at}}`).join("+")}$$`;
  await show(
    on,
    "math",
    answer(`It costs $5 and $10 in $HOME/$USER. So $x \\le \\frac{a}{b}$, \\(y\\) and $\\frac{a$.\n\n${wide}`),
  );
  const text = log(page).locator(".turn .markdown");
  await becomes(() => text.locator("math").count(), 3);
  expect(await text.locator("math").first().locator("mfrac > mi").allTextContents()).toEqual(["a", "b"]);
  expect(await text.locator("p").first().innerText()).toContain("It costs $5 and $10 in $HOME/$USER. So ");
  expect(await text.locator(".math:not(.drawn)").allTextContents()).toEqual(["$\\frac{a$"]);
  const [outer, inner] = [await text.boundingBox(), await text.locator(".math.drawn").last().boundingBox()];
  expect(inner?.width).toBeLessThanOrEqual(outer?.width ?? 0);
  expect(on.faults).toEqual([]);
});

test("what can be done with an answer stands at its end", async () => {
  await show(on, "long", answer(Array.from({ length: 120 }, (_, at) => `paragraph ${at}`).join("\n\n")));
  const turn = log(page).locator(".turn");
  await turn.getByText("paragraph 119").hover();
  const copy = turn.getByRole("button", { name: "Copy" });
  await becomes(() => copy.evaluate((node) => getComputedStyle(node.parentElement ?? node).opacity), "1");
  const [last, below] = [await turn.getByText("paragraph 119").boundingBox(), await copy.boundingBox()];
  expect(below?.y).toBeGreaterThan(last?.y ?? Infinity);
});

const printed = () => page.evaluate(() => document.documentElement.dataset["printed"]);

test("Ctrl+P and /print give the printer the whole session, which is gone from the page afterwards", async () => {
  const count = 150;
  const past = Array.from({ length: count }, (_, at): EventDraft[] => [
    said(`p${at}`, ["ada"], { text: `question ${at}` }),
    started(`pt${at}`, "ada", { messageIds: [`p${at}`] }),
    { type: "text_done", turnId: `pt${at}`, member: "ada", segmentId: `s${at}`, text: `answer ${at}` },
    ended(`pt${at}`, "ada"),
  ]).flat();
  await show(on, "paper", [created({ title: "On paper" }), joined("ada"), ...past]);
  for (const [text, key] of [
    ["", "Control+p"],
    ["/print", "Enter"],
  ] as const) {
    await draft(page).fill(text);
    await draft(page).press(key);
    await becomes(printed, "1");
    await page.emulateMedia({ media: "print" });
    expect(
      await page
        .locator(".paper")
        .getByText(/^(?:question|answer) \d+$/)
        .count(),
    ).toBe(2 * count);
    expect(await page.locator(".paper").getByText("question 0", { exact: true }).isVisible()).toBe(true);
    expect(await page.locator("#root").isVisible()).toBe(false);
    await page.evaluate(() => {
      delete document.documentElement.dataset["printed"];
      dispatchEvent(new Event("afterprint"));
    });
    await page.emulateMedia({ media: "screen" });
    await becomes(() => page.locator(".paper").count(), 0);
    await draft(page).fill("");
  }
});

test("a long command is wrapped on paper, beside how it ended, and what could be pressed is left out", async () => {
  const of = { turnId: "w", member: "claude", toolCallId: "c" };
  const command = `npm test -- ${"--grep lease ".repeat(60)}`;
  await show(on, "wide", [
    ...opening,
    begun("w", "claude"),
    { type: "tool_call_start", ...of, name: "shell", args: { command }, title: command },
    { type: "tool_result", ...of, ok: true, result: "done" },
    { type: "turn_end", turnId: "w", member: "claude", outcome: "interrupted", durationMs: 5 },
  ]);
  await draft(page).press("Control+p");
  await becomes(printed, "1");
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 600, height: 800 });
  const paper = page.locator(".paper");
  await paper.locator(".tool-title").first().waitFor();
  expect(await paper.evaluate((node) => node.scrollWidth <= node.clientWidth)).toBe(true);
  expect(await paper.getByRole("button").count()).toBe(0);
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.evaluate(() => {
    delete document.documentElement.dataset["printed"];
    dispatchEvent(new Event("afterprint"));
  });
});

test("Ctrl+P pressed again while the session is being prepared prints it once", async () => {
  const past = Array.from({ length: 400 }, (_, at) => said(`i${at}`, ["ada"], { text: `question ${at}` }));
  await show(on, "impatient", [created({ title: "Impatient" }), joined("ada"), ...past]);
  const held = on.host.hold("page");
  await draft(page).press("Control+p");
  await becomes(() => held.count() > 0, true);
  const before = held.count();
  await draft(page).press("Control+p");
  await isSettled(page);
  // A second print would ask for the same messages again.
  expect(held.count()).toBe(before);
  held.release();
  await becomes(printed, "1");
  await page.evaluate(() => {
    delete document.documentElement.dataset["printed"];
    dispatchEvent(new Event("afterprint"));
  });
  await isSettled(page);
  expect([await printed(), await page.locator(".paper").count()]).toEqual([undefined, 0]);
  // It can be printed again.
  await draft(page).press("Control+p");
  await becomes(printed, "1");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
});

test("a session that is too long to print says so, and what to do instead", async () => {
  const past = Array.from({ length: 50_001 }, (_, at) => said(`e${at}`, ["ada"], { text: "again" }));
  await show(on, "endless", [created({ title: "Endless" }), joined("ada"), ...past]);
  await page.evaluate(() => delete document.documentElement.dataset["printed"]);
  await draft(page).press("Control+p");
  await page.getByRole("alert").getByText("This session has 50,001 messages, too many to print.").waitFor();
  expect([await printed(), await page.locator(".paper").count()]).toEqual([undefined, 0]);
});
