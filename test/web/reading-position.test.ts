/** Where the view stands while the conversation changes around it, in a real browser. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { appendDrafts } from "./made-session.ts";
import { isDrawn, openFakeHostPage, show, type FakeHostPage } from "./one-page.ts";
import { draft, SOON } from "./open-page.ts";

const SIZE = { width: 1280, height: 700 };
const MEMBERS = ["ada", "bob", "cyd"];

let on: FakeHostPage;
let page: FakeHostPage["page"];

beforeAll(async () => {
  on = await openFakeHostPage({ height: SIZE.height });
  ({ page } = on);
});

beforeEach(() => page.setViewportSize(SIZE));

afterAll(() => on.close());

const joins: readonly EventDraft[] = [created(), ...MEMBERS.map((member) => joined(member))];
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `paragraph ${at} ${"word ".repeat(60)}`).join("\n\n");

function words(turnId: string, member: string, text: string): EventDraft {
  return { type: "text_delta", turnId, member, segmentId: `s-${turnId}`, text };
}

/** Messages of many heights. */
function past(count: number): EventDraft[] {
  return Array.from({ length: count }, (_, at): EventDraft[] => [
    said(`p${at}`, ["ada"], { text: `question ${at}` }),
    started(`pt${at}`, "ada", { messageIds: [`p${at}`] }),
    words(`pt${at}`, "ada", `answer ${at}\n\n${"some words of it. ".repeat((at * 53) % 120)}`),
    ended(`pt${at}`, "ada"),
  ]).flat();
}

const fromEnd = () =>
  page.locator(".scroller").evaluate((node) => Math.round(node.scrollHeight - node.scrollTop - node.clientHeight));

/** The paragraph that crosses the upper edge of the view, and how far from the edge it begins. */
function reading(): Promise<{ text: string; top: number }> {
  return page.locator(".scroller").evaluate((node) => {
    const edge = node.getBoundingClientRect().top;
    const found = [...node.querySelectorAll(".markdown p")].find(
      (one) => one.getBoundingClientRect().bottom > edge + 1,
    );
    const top = found === undefined ? 0 : found.getBoundingClientRect().top - edge;
    return { text: (found?.textContent ?? "").slice(0, 20), top };
  });
}

/** The view has stood still for longer than the page needs to take the place. */
async function standsStill(): Promise<void> {
  await page.locator(".scroller").evaluate(async (node) => {
    let top = Number.NaN;
    for (let still = 0; still < 20; still += 1) {
      await new Promise((done) => requestAnimationFrame(done));
      if (node.scrollTop !== top) still = 0;
      top = node.scrollTop;
    }
  });
}

async function wheelUp(pixels: number): Promise<{ text: string; top: number }> {
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -pixels);
  await page.locator(".jump").waitFor();
  await standsStill();
  return await reading();
}

async function staysAt(position: { text: string; top: number }): Promise<void> {
  await expect
    .poll(async () => {
      const { text, top } = await reading();
      return { text, isThere: Math.abs(top - position.top) <= 2 };
    }, SOON)
    .toEqual({ text: position.text, isThere: true });
}

/** From now on: how often the view stepped back, and the rows that were dropped and drawn again. */
async function watch(): Promise<() => Promise<{ stepsBack: number; drawnAgain: string[] }>> {
  const watched = await page.locator(".scroller").evaluateHandle((scroller) => {
    const seen = { stepsBack: 0, drawnAgain: [] as string[], stop: () => {} };
    const dropped = new Set<string>();
    const indexes = (nodes: NodeList) =>
      [...nodes].flatMap((node) => (node instanceof HTMLElement ? [node.dataset["index"] ?? ""] : []));
    const rows = new MutationObserver((changes) => {
      for (const { addedNodes, removedNodes } of changes) {
        seen.drawnAgain.push(...indexes(addedNodes).filter((index) => dropped.has(index)));
        for (const index of indexes(removedNodes)) dropped.add(index);
      }
    });
    rows.observe(scroller.querySelector(".messages") ?? scroller, { childList: true });
    let top = scroller.scrollTop;
    let frame = requestAnimationFrame(function look() {
      if (scroller.scrollTop < top - 1) seen.stepsBack += 1;
      top = scroller.scrollTop;
      frame = requestAnimationFrame(look);
    });
    seen.stop = () => {
      rows.disconnect();
      cancelAnimationFrame(frame);
    };
    return seen;
  });
  return () =>
    watched.evaluate(({ stop, stepsBack, drawnAgain }) => {
      stop();
      return { stepsBack, drawnAgain };
    });
}

test("while many members speak the view only moves on, and no row is drawn twice", async () => {
  const many = Array.from({ length: 8 }, (_, at) => `m${at}`);
  const round = (id: string): EventDraft[] => [
    said(id, many),
    ...many.map((member) => started(`${id}-${member}`, member, { messageIds: [id] })),
  ];
  const speak = async (id: string, text: string): Promise<void> => {
    appendDrafts(
      on.host,
      "many",
      many.map((member) => words(`${id}-${member}`, member, text)),
    );
    await isDrawn(on, "many");
    await standsStill();
  };
  await show(on, "many", [created(), ...["ada", ...many].map((member) => joined(member)), ...past(6), ...round("a")]);
  await speak("a", paragraphs(2));
  const seen = await watch();
  for (let more = 0; more < 5; more += 1) await speak("a", `\n\nmore ${more} ${"word ".repeat(30)}`);
  const next = [...many.map((member) => ended(`a-${member}`, member)), ...round("b")];
  appendDrafts(on.host, "many", next);
  for (let more = 0; more < 3; more += 1) await speak("b", `\n\nmore ${more} ${"word ".repeat(30)}`);
  expect(await seen()).toEqual({ stepsBack: 0, drawnAgain: [] });
  expect(await fromEnd()).toBeLessThan(2);
});

test("while three members speak the end stays in view; scrolled up, what is read does not move", async () => {
  const turns = MEMBERS.map((member) => started(`t-${member}`, member, { messageIds: ["m"] }));
  await show(on, "three", [...joins, ...past(12), said("m", MEMBERS), ...turns]);
  const speak = async (text: string): Promise<void> => {
    appendDrafts(
      on.host,
      "three",
      MEMBERS.map((member) => words(`t-${member}`, member, text)),
    );
    await isDrawn(on, "three");
  };
  for (const text of ["Some words. ".repeat(40), "\n\n## head\n\n```js\ncode\n```\n\n", paragraphs(8)]) {
    await speak(text);
    await expect.poll(fromEnd, SOON).toBeLessThan(2);
  }
  const position = await wheelUp(500);
  for (let more = 0; more < 8; more += 1) {
    await speak(`\n\nmore ${more} ${"word ".repeat(30)}`);
    await staysAt(position);
    // The next words come to a view at rest: what rounding costs must not add up.
    await standsStill();
  }
  await page.getByRole("button", { name: "New messages", exact: true }).click();
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
});

test("in the middle of an answer the view stays when the answer ends and its tools above fold, and when the window becomes narrower and wider", async () => {
  const tools = ["c1", "c2", "c3"].flatMap((toolCallId): EventDraft[] => {
    const of = { turnId: "t", member: "ada", toolCallId };
    return [
      { type: "tool_call_start", ...of, name: "run", args: {}, title: toolCallId },
      { type: "tool_result", ...of, ok: true, result: "done" },
    ];
  });
  const turn = [started("t", "ada", { messageIds: ["m"] }), ...tools, words("t", "ada", paragraphs(40))];
  await show(on, "folds", [...joins, ...past(5), said("m", ["ada"]), ...turn]);
  const position = await wheelUp(1_500);
  appendDrafts(on.host, "folds", [ended("t", "ada")]);
  await isDrawn(on, "folds");
  await expect.poll(() => page.locator(".tool-group[open]").count(), SOON).toBe(0);
  await staysAt(position);
  for (const size of [{ width: 900, height: 700 }, SIZE, { width: 390, height: 800 }, SIZE]) {
    const before = await wheelUp(1);
    await page.setViewportSize(size);
    await staysAt(before);
    expect(await page.locator(".jump").count()).toBe(1);
  }
});

test("a key that leads to the end leads there over rows that were never drawn, and the end is followed again", async () => {
  await show(on, "far", [...joins, ...past(150), said("m", ["ada"]), started("t", "ada", { messageIds: ["m"] })]);
  await page.goto(`${on.host.url}/#/s/far/m/200`);
  await expect.poll(() => page.locator(".row").first().getAttribute("data-index").then(Number), SOON).toBeLessThan(200);
  await page.locator(".jump").waitFor();
  await draft(page).focus();
  await page.keyboard.press("Control+End");
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
  await page.locator(".jump").waitFor({ state: "detached" });
  appendDrafts(on.host, "far", [words("t", "ada", paragraphs(6))]);
  await isDrawn(on, "far");
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
});

test("a view at the end stays there, although the disappearing button moves it up and text arrives before that is noticed", async () => {
  await show(on, "back", [...joins, ...past(12)]);
  await wheelUp(900);
  const log = page.locator(".scroller");
  await log.evaluate(async (scroller) => {
    const isGone = new Promise<void>((resolve) => {
      new MutationObserver((_, observer) => {
        if (scroller.querySelector(".jump") !== null) return;
        observer.disconnect();
        // Without the button the text is shorter and the view is moved up; the words are there before that is told.
        setTimeout(() => {
          const words = document.createElement("p");
          words.textContent = "word ".repeat(1_000);
          scroller.querySelector(".row:last-child .blocks")?.append(words);
          resolve();
        });
      }).observe(scroller, { childList: true });
    });
    scroller.dispatchEvent(new Event("wheel"));
    scroller.scrollTop = scroller.scrollHeight;
    await isGone;
    for (let frame = 0; frame < 5; frame += 1) await new Promise((done) => requestAnimationFrame(done));
  });
  expect(await page.locator(".jump").count()).toBe(0);
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
});

test("while answers grow at the end, no row that went out of view is drawn again", async () => {
  const turns = MEMBERS.map((member) => started(`t-${member}`, member, { messageIds: ["m"] }));
  await show(on, "steady", [...joins, ...past(12), said("m", MEMBERS), ...turns]);
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
  await standsStill();
  const drawnAgain = await page.locator(".messages").evaluateHandle((rows) => {
    const found: string[] = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node instanceof HTMLElement) found.push(node.dataset["index"] ?? "");
    }).observe(rows, { childList: true });
    return found;
  });
  for (let more = 0; more < 12; more += 1) {
    appendDrafts(
      on.host,
      "steady",
      MEMBERS.map((member) => words(`t-${member}`, member, `\n\nmore ${more} ${"word ".repeat(90)}`)),
    );
    await isDrawn(on, "steady");
    await expect.poll(fromEnd, SOON).toBeLessThan(2);
  }
  expect(await drawnAgain.jsonValue()).toEqual([]);
});

test("Home and Ctrl+Home lead to the first message of a long session, whose rows were never drawn", async () => {
  const first = () => page.locator(".row").first().getAttribute("data-index");
  for (const [session, key] of [
    ["home", "Home"],
    ["control", "Control+Home"],
  ] as const) {
    await show(on, session, [...joins, ...past(400)]);
    await expect.poll(fromEnd, SOON).toBeLessThan(2);
    await page.locator(".scroller").focus();
    await page.keyboard.press(key);
    await expect.poll(first, SOON).toBe("0");
    await page.getByText("question 0", { exact: true }).waitFor();
    await standsStill();
    expect(await page.locator(".scroller").evaluate((node) => node.scrollTop)).toBe(0);
  }
});

test("what is queued or goes into a running turn leaves the view with what is read; a new message leads to the end", async () => {
  const session = "places";
  await show(on, session, [...joins, ...past(12), said("m", ["ada"]), started("t", "ada", { messageIds: ["m"] })]);
  const position = await wheelUp(900);
  for (const key of ["Tab", "Enter"]) {
    await draft(page).fill(`by ${key}`);
    await draft(page).press(key);
    await expect.poll(() => on.host.commands.at(-1), SOON).toMatchObject({ text: `by ${key}` });
    await standsStill();
    await staysAt(position);
  }
  expect(on.host.commands.slice(-2).map(({ type }) => type)).toEqual(["queue_add", "steer"]);
  appendDrafts(on.host, session, [ended("t", "ada")]);
  await isDrawn(on, session);
  await draft(page).fill("another");
  await draft(page).press("Enter");
  await expect.poll(fromEnd, SOON).toBeLessThan(2);
});
