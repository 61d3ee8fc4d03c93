/**
 * `node tooling/page-pictures.ts [NAME …]`: takes the pictures of the page, docs/web/NAME.png, in a real browser, of
 * sessions made for them.
 */
import path from "node:path";
import type { Page } from "playwright-core";
import type { EventDraft, SearchAnswer, SearchHit } from "../src/protocol/index.ts";
import { openBrowser } from "../test/web/browser.ts";
import { openFakeHost } from "../test/web/fake-host.ts";
import { ANSWER, answered, asking, begun, minutes, opening, appendDrafts, worked } from "../test/web/made-session.ts";
import { becomes, openContext, openPage } from "../test/web/open-page.ts";

interface Scene {
  readonly drafts: readonly EventDraft[];
  readonly look?: Partial<{ width: number; height: number; colorScheme: "dark" }>;
  /** What a person does before the picture is taken. */
  readonly play?: (page: Page) => Promise<unknown>;
}

const TITLES = ["Rename the export flags", "A flaky test on slow disks", "Which parser for the config file?"] as const;
const SETTLE_MS = 1_500;

const streaming: readonly EventDraft[] = [
  ...opening,
  begun("s1", "claude"),
  begun("s2", "codex"),
  begun("s3", "scout"),
  { type: "text_delta", turnId: "s1", member: "claude", segmentId: "a", text: ANSWER.slice(0, -60) },
  {
    type: "tool_call_start",
    turnId: "s2",
    member: "codex",
    toolCallId: "k1",
    name: "read",
    args: {},
    title: "src/log/lock.ts",
    kind: "read",
  },
  { type: "tool_result", turnId: "s2", member: "codex", toolCallId: "k1", ok: true, durationMs: 80, result: "…" },
  {
    type: "tool_call_start",
    turnId: "s2",
    member: "codex",
    toolCallId: "k2",
    name: "run",
    args: {},
    title: "npx vitest run src/log",
    kind: "execute",
  },
  { type: "tool_output_delta", turnId: "s2", member: "codex", toolCallId: "k2", text: "test 1 ok\ntest 2 ok\n" },
  { type: "thinking_start", turnId: "s3", member: "scout", segmentId: "b" },
  { type: "thinking_delta", turnId: "s3", member: "scout", segmentId: "b", text: "Who calls takeLock?" },
];

const failed: readonly EventDraft[] = [
  ...opening,
  begun("e1", "claude"),
  {
    type: "retrying",
    turnId: "e1",
    member: "claude",
    attempt: 2,
    of: 3,
    delayMs: 4_000,
    reason: "the provider is overloaded",
  },
  {
    type: "turn_end",
    turnId: "e1",
    member: "claude",
    outcome: "errored",
    durationMs: 9_000,
    error: {
      code: "provider_error",
      message: "The provider answered 529 (overloaded) three times.",
      hint: "Ask again in a moment, or switch the model with /model.",
    },
  },
  ...answered.filter((one) => "member" in one && one.member === "codex"),
];

/** The second round: who has nothing to add is one line. */
const agreed: readonly EventDraft[] = ["claude", "codex", "scout"].flatMap((member, at): EventDraft[] => {
  const of = { turnId: `a${at}`, member };
  return [
    begun(of.turnId, member, { cause: "round", messageIds: [], round: 2 }),
    { type: "text_done", ...of, segmentId: of.turnId, text: "Nothing to add." },
    {
      type: "turn_end",
      ...of,
      outcome: "completed",
      durationMs: 900 + 200 * at,
      usage: { inputTokens: 9_100, outputTokens: 6, costUsd: 0.0091 },
    },
  ];
});

const whole = [...opening, ...answered];
const goUp = (page: Page, words: string) => page.getByText(words).first().scrollIntoViewIfNeeded();

const hit = (at: number, rest: Pick<SearchHit, "title" | "kind" | "snippet"> & Partial<SearchHit>): SearchHit => ({
  sessionId: `other${at}`,
  cwd: "/home/ada/roundtable",
  seq: 8,
  eventSeq: 8,
  ts: Date.now() - (at + 1) * 86_400_000,
  marks: [...rest.snippet.matchAll(/lock/g)].map(({ index }) => [index, index + 4]),
  ...rest,
});
const found: SearchAnswer = {
  hits: [
    hit(0, {
      title: TITLES[0],
      kind: "text",
      member: "claude",
      snippet: "…the record is written before the lock is given out…",
    }),
    hit(1, { title: TITLES[1], kind: "call", member: "codex", tool: "edit", snippet: "Edit src/log/lock.ts" }),
    hit(1, { title: TITLES[1], kind: "user", snippet: "Two starts at once sometimes leave both without the lock." }),
    hit(2, {
      title: TITLES[2],
      kind: "output",
      member: "scout",
      tool: "search",
      snippet: "src/log/lock.ts:14 takeLock(path)",
    }),
  ],
  hasMore: false,
  isComplete: true,
  sessionsLeft: 0,
};

const scenes: Readonly<Record<string, Scene>> = {
  empty: { drafts: [] },
  streaming: { drafts: streaming },
  approval: { drafts: [...streaming, { ...asking, timeoutMs: 900_000 } as EventDraft] },
  diff: {
    drafts: whole,
    play: async (page) => {
      const codex = page.locator(".turn").filter({ hasText: "I would mend the order" });
      await codex.locator("summary").first().click();
      await codex.getByText("Edit src/log/lock.ts").first().click();
      await goUp(page, "I would mend the order instead");
    },
  },
  error: { drafts: failed },
  work: { drafts: [...whole, ...worked] },
  minutes: { drafts: [...whole, ...agreed, ...minutes] },
  replay: {
    drafts: [...whole, ...agreed, ...minutes],
    play: async (page) => {
      await page.getByRole("button", { name: "Replay", exact: true }).click();
      const slider = page.getByRole("slider", { name: "Event" });
      await slider.fill(String(opening.length + answered.length + agreed.length - 1));
      await page.getByText("have nothing to add").waitFor();
    },
  },
  phone: { drafts: whole, look: { width: 390, height: 844 } },
  dark: { drafts: streaming, look: { colorScheme: "dark" } },
  search: {
    drafts: whole,
    play: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("lock");
    },
  },
};

const wanted = process.argv.slice(2);
const browser = await openBrowser();
for (const [name, scene] of Object.entries(scenes)) {
  if (wanted.length === 0 || wanted.includes(name)) await take(name, scene);
}
await browser.close();

async function take(name: string, { drafts, look, play }: Scene): Promise<void> {
  const desk = await openFakeHost({ found });
  for (const [at, title] of TITLES.entries()) {
    appendDrafts(desk, `other${at}`, [{ ...opening[0], title } as EventDraft, ...opening.slice(1), ...answered]);
  }
  if (drafts.length > 0) appendDrafts(desk, name, drafts);
  const context = await openContext(browser, desk, { width: 1280, height: 800, ...look });
  const page = await openPage(context, desk, drafts.length > 0 ? name : undefined);
  if (drafts.length > 0) {
    const { seq } = desk.transcript(name).head;
    await becomes(() => page.locator("main").getAttribute("data-seq"), String(seq));
  }
  await play?.(page);
  // Colours of code come from a thread of their own.
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: path.join("docs", "web", `${name}.png`) });
  await context.close();
  await desk.close();
}
