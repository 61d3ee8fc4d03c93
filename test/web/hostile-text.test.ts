/** Words of agents in every place of the page that shows them, not only in messages: they stay words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { attacksOn } from "./attacks.ts";
import { answered, asking, minutes, opening, appendDrafts, worked } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { card, log, SOON } from "./open-page.ts";

const SINK = "http://sink.invalid";

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: 6_000 });
  ({ page } = on);
});

afterAll(() => on.close());

const request = { type: "ui_request", member: "claude", timeoutMs: 300_000, default: false } as const;
const around: readonly EventDraft[] = [
  { type: "ui_notify", message: "x", notifyType: "error" },
  { type: "ui_status", key: "x", text: "x" },
  { type: "ui_widget", key: "x", content: ["x", "x"], opts: {} },
  { type: "ui_working", message: "x" },
  { type: "ui_set_title", title: "x" },
  { type: "warning", code: "x", message: "x", detail: "x" },
  { type: "read_only", fromTs: 1, toTs: 2, reason: "x", dropped: 1 },
  { type: "session_renamed", title: "x" },
  {
    type: "user_message",
    messageId: "m9",
    text: "x",
    to: ["claude"],
    toAll: false,
    origin: "x",
    attachments: [{ name: "x", mime: "text/html", blob: { sha256: "b".repeat(64), bytes: 3 } }],
  },
  {
    ...request,
    requestId: "__proto__",
    request: {
      method: "question",
      title: "x",
      questions: [
        {
          id: "constructor",
          text: "x",
          options: [{ label: "x", value: "__proto__", description: "x" }],
          multiple: true,
          freeText: true,
        },
      ],
    },
  },
];
const everything: readonly EventDraft[] = [...opening, ...answered, ...worked, ...minutes, ...around, asking];

const WORDS =
  /^(?:title|text|task|explanation|summary|message|result|call|label|path|description|detail|reason|tool|origin|content|command|key)$/;

/** The same events with other words in them; ids, members and kinds stay. */
function withText(drafts: readonly EventDraft[], next: () => string): EventDraft[] {
  const walk = (value: unknown, key: string, type: string): unknown => {
    if (typeof value === "string") {
      const isName = key === "name" && /^(?:tool_call_start|subagent_spawned|user_message)$/.test(type);
      return WORDS.test(key) || isName ? next() : value;
    }
    if (Array.isArray(value)) return value.map((one) => walk(one, key, type));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name, type)]));
  };
  return drafts.map((draft) => walk(draft, "", draft.type) as EventDraft);
}

/**
 * Every element of the page but those that Markdown makes, the list of sessions beside it, the paragraph of a message's
 * further lines, and colours of a diff, which come when they are ready; what stands in that paragraph counts.
 */
function elements(): Promise<string[]> {
  return page.evaluate(() => {
    const isLeftOut = (node: Element) => node.parentElement?.closest(".markdown, .side-list") !== null;
    return [...document.body.querySelectorAll("*")]
      .filter((node) => !isLeftOut(node) && !node.matches(".user > .text > p.asked-more"))
      .filter((node) => !node.matches('.code-rows code :is(span[class^="hl-"], span:not([class]), mark)'))
      .map((node) => {
        const handlers = [...node.attributes].filter(
          ({ name }) => name.startsWith("on") || /^(?:href|src)$/.test(name),
        );
        return [node.tagName, node.getAttribute("class"), ...handlers.map(({ name }) => name)].join(" ");
      });
  });
}

async function showAll(sessionId: string, drafts: readonly EventDraft[]): Promise<string[]> {
  await show(on, sessionId, drafts);
  const closed = () => page.locator(".row details:not([open])").count();
  await expect
    .poll(async () => {
      await page.evaluate(() => {
        for (const one of document.querySelectorAll<HTMLElement>(".row details:not([open]) > summary")) one.click();
      });
      return await closed();
    }, SOON)
    .toBe(0);
  await expect.poll(() => page.locator(".row").count(), SOON).toBe(on.host.transcript(sessionId).head.messageCount);
  await expect.poll(() => page.locator("pre.code-rows").count(), SOON).toBe(0);
  return await elements();
}

test("whatever agents write into titles, tools, paths, plans, notices, widgets, requests and names, the page is made of the very same elements", async () => {
  const asked: string[] = [];
  page.on("request", (one) => asked.push(one.url()));
  const harmless = await showAll(
    "harmless",
    withText(everything, () => "word"),
  );
  const attacks = attacksOn(SINK).filter(({ text }) => text.length < 150);
  let at = 0;
  const next = () => attacks[(at += 1) % attacks.length]?.text ?? "";
  for (const sessionId of ["hostile1", "hostile2", "hostile3"])
    expect(await showAll(sessionId, withText(everything, next))).toEqual(harmless);
  expect(at).toBeGreaterThan(attacks.length);
  expect(await page.evaluate(() => "__pwn" in window)).toBe(false);
  expect(asked.filter((url) => !url.startsWith(`${on.host.url}/`) && !url.startsWith("data:"))).toEqual([]);
  expect(on.faults).toEqual([]);
});

test("a question whose id is the name of something that forms can do is answered like any other, and the page stays", async () => {
  const question = (id: string) => ({
    id,
    text: "Which?",
    options: [
      { label: "This", value: "a" },
      { label: "That", value: "b" },
    ],
    multiple: false,
    freeText: true,
  });
  const questions = ["appendChild", "removeChild", "nodeName", "parentNode"].map(question);
  await show(on, "forms", [
    ...opening,
    { ...request, requestId: "f1", request: { method: "question", title: "Forms", questions } },
  ]);
  await page.locator('.request[data-ready="true"]').waitFor();
  for (const one of await card(page).getByRole("radio", { name: "That" }).all()) await one.check();
  await card(page).getByRole("button", { name: "Answer" }).click();
  await expect
    .poll(() => on.host.commands.at(-1), SOON)
    .toMatchObject({ type: "answer", result: { appendChild: "b", removeChild: "b", nodeName: "b", parentNode: "b" } });
  expect(on.faults).toEqual([]);
});

test("what would turn other characters round or hide them is shown by its number: in commands, paths and titles any such character, in prose those that reorder", async () => {
  const trick = "rm \u202Eg\u200Bpj.x\u0007";
  await show(on, "tricks", [
    ...opening,
    {
      ...request,
      requestId: "t1",
      request: {
        method: "approval",
        title: trick,
        tool: "shell",
        call: trick,
        callHash: "h",
        diff: `+${trick}`,
        options: [{ label: trick, value: "a" }],
        opts: { reason: trick },
      },
    },
  ]);
  const shown = "rm ⟨U+202E⟩g⟨U+200B⟩pj.x⟨U+0007⟩";
  expect(await card(page).locator(".about-fact").allTextContents()).toEqual([shown]);
  expect(await card(page).getByRole("group", { name: "Command" }).textContent()).toBe(`$ ${shown}`);
  await expect.poll(() => card(page).locator(".dl.added > code").allTextContents(), SOON).toEqual([shown]);
  expect(await card(page).locator(".choice-label").filter({ hasText: "rm" }).textContent()).toBe(shown);
  await card(page).locator(".request-details > summary").click();
  const details = card(page).getByRole("group", { name: "Details" });
  expect(await details.textContent()).toBe(`Title: ${shown}\nCall: ${shown}`);
  appendDrafts(on.host, "tricks", [
    { type: "turn_start", turnId: "t1", member: "claude", cause: "user", messageIds: ["m1"], depth: 0 },
    {
      type: "text_delta",
      turnId: "t1",
      member: "claude",
      segmentId: "s",
      text: "see [a\u202Eb](https://e.invalid/\u2066c)",
    },
  ]);
  await isDrawn(on, "tricks");
  const link = log(page).locator(".markdown a");
  expect(await link.textContent()).toBe("a⟨U+202E⟩b");
  expect(await link.getAttribute("title")).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
});

test("an event of another version that is called like what every object has is shown as any other", async () => {
  const strange = ["constructor", "toString", "__proto__"].map((type) => ({ type }) as unknown as EventDraft);
  await show(on, "strange", [...opening, ...strange]);
  await log(page).getByText("Event constructor").waitFor();
  await log(page).getByText("Event toString").waitFor();
  expect(on.faults).toEqual([]);
});
