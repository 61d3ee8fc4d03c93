/** Answers read aloud and drafts dictated, in a real browser of which only the voice and the ear are stubs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning, loadedMessages, type TurnMessage } from "../../src/transcript/index.ts";
import { openServedPage, type ServedPage } from "./one-page.ts";
import { draft, log, openContext, openPage, openProgram, send, sessionOf, SOON, type Program } from "./open-page.ts";

interface Stubs {
  readonly spoken: string[];
  cancelled: number;
  finish(): void;
  finishAll(): void;
  hear(text: string): void;
}

let on: ServedPage;
let page: ServedPage["page"];
let program: Program;

beforeAll(async () => {
  on = await openServedPage({ before: putStubs });
  ({ page } = on);
});

afterAll(async () => {
  program.client.close();
  await on.close();
});

/** Runs in the page. */
function putStubs(): void {
  let current: SpeechSynthesisUtterance | undefined;
  const stubs: Stubs = {
    spoken: [],
    cancelled: 0,
    finish() {
      const ended = current;
      current = undefined;
      ended?.dispatchEvent(new Event("end"));
    },
    finishAll() {
      // The next sentence begins when one has ended.
      for (let sentences = 0; sentences < 1_000; sentences += 1) this.finish();
    },
    hear: () => {},
  };
  const voice = {
    speak(utterance: SpeechSynthesisUtterance) {
      current = utterance;
      stubs.spoken.push(utterance.text);
      setTimeout(() => utterance.dispatchEvent(new Event("start")));
    },
    cancel: () => (stubs.cancelled += 1),
  };
  class Ear extends EventTarget {
    start(): void {
      stubs.hear = (transcript) => {
        const results = [Object.assign([{ transcript }], { isFinal: true })];
        this.dispatchEvent(Object.assign(new Event("result"), { resultIndex: 0, results }));
      };
    }
    stop(): void {
      this.dispatchEvent(new Event("end"));
    }
    abort(): void {}
  }
  Object.assign(globalThis, { stubs });
  Object.defineProperty(globalThis, "speechSynthesis", { value: voice });
  Object.defineProperty(globalThis, "SpeechRecognition", { value: Ear });
}

const spoken = () => page.evaluate(() => (globalThis as unknown as { stubs: Stubs }).stubs.spoken);
const finish = () => page.evaluate(() => (globalThis as unknown as { stubs: Stubs }).stubs.finish());
const turns = () => [...loadedMessages(program.transcript())].filter((one): one is TurnMessage => one.kind === "turn");

test("an answer is read aloud while it is still written, one sentence after the other", async () => {
  await send(page, "/try slow 400");
  program = await openProgram(on.serving, await sessionOf(page));
  const turn = log(page).locator(".turn").first();
  await turn.getByText("Step 1 of 400").waitFor();
  await turn.getByRole("button", { name: "Read aloud" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(spoken, SOON).toEqual(["Step 1 of 400, at leisure."]);
  await turn.getByText("Step 3 of 400").waitFor();
  expect(await spoken()).toHaveLength(1);
  await finish();
  await expect.poll(spoken, SOON).toEqual(["Step 1 of 400, at leisure.", "Step 2 of 400, at leisure."]);
  expect(isRunning(program.transcript().head)).toBe(true);
});

test("an interrupt stops the voice, reports how far it got, and marks the turn with that, also after a reload", async () => {
  await page.keyboard.press("Escape");
  const mark = log(page).getByText(/This answer was stopped · read aloud for/);
  await mark.waitFor();
  await expect.poll(() => turns()[0]?.end?.audioTruncatedAtMs ?? 0, SOON).toBeGreaterThan(0);
  expect(await page.evaluate(() => (globalThis as unknown as { stubs: Stubs }).stubs.cancelled)).toBe(1);
  expect(await log(page).getByRole("button", { name: "Read aloud" }).count()).toBe(1);
  const said = await mark.innerText();
  await page.reload();
  await mark.waitFor();
  expect(await mark.innerText()).toBe(said);
});

test("an answer that was interrupted is read aloud as far as it got", async () => {
  const before = (await spoken()).length;
  const turn = log(page).locator('.turn[data-outcome="interrupted"]').first();
  await turn.getByRole("button", { name: "Read aloud" }).click();
  await expect.poll(async () => (await spoken()).slice(before), SOON).toEqual(["Step 1 of 400, at leisure."]);
  await turn.getByRole("button", { name: "Stop reading" }).click();
  await page.evaluate(() => {
    (globalThis as unknown as { stubs: Stubs }).stubs.spoken.length = 0;
  });
});

test("code is not read, the button stops it, and a turn that has ended is read to its end", async () => {
  await send(page, "/try long 1500");
  const turn = log(page).locator('.turn[data-outcome="completed"]').first();
  await turn.waitFor();
  const read = turn.getByRole("button", { name: /Read aloud|Stop reading/ });
  await read.click();
  await expect.poll(async () => (await spoken()).length, SOON).toBe(1);
  expect(await read.getAttribute("aria-pressed")).toBe("true");
  await read.click();
  expect(await read.getAttribute("aria-pressed")).toBe("false");
  await read.click();
  await page.evaluate(() => (globalThis as unknown as { stubs: Stubs }).stubs.finishAll());
  await expect.poll(() => read.getAttribute("aria-pressed"), SOON).toBe("false");
  const all = (await spoken()).slice(1);
  expect(all.length).toBeGreaterThan(1);
  const code = turn.locator("pre").first();
  await code.waitFor();
  const line = (await code.innerText()).split("\n").find((one) => one.trim() !== "") ?? "";
  expect(line).not.toBe("");
  expect(all.join("\n")).not.toContain(line.trim());
});

test("what is dictated is written behind the draft; the button says when it listens", async () => {
  await draft(page).fill("Please");
  await page.getByRole("button", { name: "Dictate" }).click();
  await page.getByRole("button", { name: "Stop dictating" }).waitFor();
  await page.evaluate(() => (globalThis as unknown as { stubs: Stubs }).stubs.hear(" look at the tests"));
  await expect.poll(() => draft(page).inputValue(), SOON).toBe("Please look at the tests");
  await page.getByRole("button", { name: "Stop dictating" }).click();
  await page.getByRole("button", { name: "Dictate" }).waitFor();
  expect(on.faults).toEqual([]);
});

test("where the browser can neither speak nor hear, neither is offered", async () => {
  const mute = await openContext(on.browser, on.serving);
  await mute.addInitScript(() => {
    Reflect.deleteProperty(globalThis, "speechSynthesis");
    Reflect.deleteProperty(globalThis, "webkitSpeechRecognition");
    Reflect.deleteProperty(globalThis, "SpeechRecognition");
  });
  const other = await openPage(mute, on.serving, program.transcript().head.sessionId);
  await log(other).locator(".turn").first().waitFor();
  expect(await other.getByRole("button", { name: "Read aloud" }).count()).toBe(0);
  expect(await other.getByRole("button", { name: "Dictate" }).count()).toBe(0);
  await mute.close();
});
