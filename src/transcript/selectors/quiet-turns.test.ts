import { describe, expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { DraftOf, EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { PAGE_SIZE, type Transcript } from "../model.ts";
import { saysNothingToAdd } from "./nothing-to-add.ts";
import { isQuietTurn, quietCost, quietRunAt, formatQuietRun, shownPosition } from "./quiet-turns.ts";
import { reduce } from "../reduce.ts";
import { loadedMessages } from "./messages.ts";

const QUIET = "Nothing to add.";
const ROOT = said("m1", ["ada", "bob"], { toAll: true });

interface Rest {
  readonly start?: Partial<DraftOf<"turn_start">>;
  readonly end?: Partial<DraftOf<"turn_end">>;
  readonly inside?: readonly EventDraft[];
}

function turn(turnId: string, member: string, text: string, { start, end, inside = [] }: Rest = {}): EventDraft[] {
  return [
    started(turnId, member, { cause: "round", round: 2, rootMessageId: "m1", ...start }),
    ...inside,
    { type: "text_done", turnId, member, segmentId: `s-${turnId}`, text },
    ended(turnId, member, end),
  ];
}

const eventsOf = (drafts: readonly EventDraft[]) => stamped([created(), joined("ada"), joined("bob"), ROOT, ...drafts]);
const told = (...drafts: readonly EventDraft[]): Transcript => fold(empty("session"), eventsOf(drafts));

/** The runs of a transcript by what they hold, each once. */
function runsOf(transcript: Transcript): string[][] {
  const runs = [...loadedMessages(transcript)].map(({ position }) => quietRunAt(transcript, position));
  return [...new Set(runs)].flatMap((run) => (run === undefined ? [] : [run.map(({ turnId }) => turnId)]));
}

test.each([
  ["Nothing to add.", true],
  ["I agree with @bob, and I have nothing to add.", true],
  ["Thanks! I don't have anything further to add.", true],
  ["No further comments from my side.", true],
  ["I agree.", false],
  ["No.", false],
  ["No. Nothing to add.", false],
  ["Yes, nothing to add.", false],
  ["No objections.", false],
  ["Nothing.", false],
  ["LGTM", false],
  ["Nothing to add. But look at line 12.", false],
])("%j says in so many words that there is nothing to add: %j", (text, expected) => {
  expect(saysNothingToAdd(text)).toBe(expected);
});

describe("a turn that adds nothing", () => {
  const isQuiet = (text: string, rest: Rest = {}): boolean =>
    [...loadedMessages(told(...turn("t1", "ada", text, rest)))].some((one) => one.kind === "turn" && isQuietTurn(one));
  const call = (kind: "read" | "edit", ok: boolean): EventDraft[] => [
    { type: "tool_call_start", turnId: "t1", member: "ada", toolCallId: "c", name: "tool", args: {}, kind },
    ok
      ? { type: "tool_result", turnId: "t1", member: "ada", toolCallId: "c", ok, result: "x" }
      : {
          type: "tool_result",
          turnId: "t1",
          member: "ada",
          toolCallId: "c",
          ok,
          error: { code: "tool_error", message: "no" },
        },
  ];

  test("has ended, belongs to a later round and may have thought and read", () => {
    expect(isQuiet(QUIET)).toBe(true);
    expect(isQuiet(QUIET, { inside: call("read", true) })).toBe(true);
    const thinking: EventDraft = { type: "thinking_delta", turnId: "t1", member: "ada", segmentId: "th", text: "Hm." };
    expect(isQuiet(QUIET, { inside: [thinking] })).toBe(true);
  });

  test("is not a first answer, a subagent's, failed, stopped or one that changed something", () => {
    expect(isQuiet("It is the lock.")).toBe(false);
    expect(isQuiet(QUIET, { start: { round: 1 } })).toBe(false);
    expect(isQuiet(QUIET, { start: { depth: 1, cause: "subagent" } })).toBe(false);
    expect(isQuiet(QUIET, { end: { outcome: "errored" } })).toBe(false);
    expect(isQuiet(QUIET, { end: { outcome: "interrupted" } })).toBe(false);
    expect(isQuiet(QUIET, { inside: call("edit", true) })).toBe(false);
    expect(isQuiet(QUIET, { inside: call("read", false) })).toBe(false);
    expect(isQuiet(QUIET, { inside: [{ type: "steering", turnId: "t1", member: "ada", messageId: "m1" }] })).toBe(
      false,
    );
  });

  test("does not count while it runs, whatever its text", () => {
    const transcript = told(...turn("t1", "ada", QUIET).slice(0, -1));
    expect(runsOf(transcript)).toEqual([]);
  });
});

describe("consecutive turns that add nothing", () => {
  const second = { start: { round: 3 } };
  const drafts = [
    ...turn("t1", "ada", QUIET),
    ...turn("t2", "bob", QUIET),
    ...turn("t3", "ada", QUIET, second),
    ...turn("t4", "bob", "It is the lock.", second),
    ...turn("t5", "ada", QUIET, second),
  ];

  test("form one run per round, split by a turn with a contribution", () => {
    expect(runsOf(told(...drafts))).toEqual([["t1", "t2"], ["t3"], ["t5"]]);
  });

  test("are the same runs live as read back, and the same array until a turn is added", () => {
    const events = eventsOf(drafts);
    let transcript = empty("session");
    let before: Transcript | undefined;
    for (const event of events) {
      transcript = reduce(transcript, event);
      expect(runsOf(transcript)).toEqual(runsOf(fold(empty("session"), events.slice(0, transcript.head.seq))));
      if (event.type === "turn_end" && event.turnId === "t2") before = transcript;
    }
    if (before === undefined) throw new Error("The second turn never ended.");
    const first = before.head.messageCount - 2;
    expect(quietRunAt(before, first)?.length).toBe(2);
    expect(quietRunAt(transcript, first)).toBe(quietRunAt(before, first));
    expect(quietRunAt(transcript, first + 1)).toBe(quietRunAt(before, first));
  });

  test("are drawn at the position of the first; everything else stays in place", () => {
    const transcript = told(...drafts);
    const count = transcript.head.messageCount;
    const shown = Array.from({ length: 5 }, (_, at) => shownPosition(transcript, count - 5 + at) - (count - 5));
    expect(shown).toEqual([0, 0, 2, 3, 4]);
    expect(shownPosition(transcript, -1)).toBe(-1);
    expect(shownPosition(transcript, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("end with their page, so that one page is enough to draw them", () => {
    const many = Array.from({ length: PAGE_SIZE }, (_, at) => turn(`n${at}`, at % 2 === 0 ? "ada" : "bob", QUIET));
    const runs = runsOf(told(...many.flat()));
    const before = told().head.messageCount;
    expect(runs.map((run) => run.length)).toEqual([PAGE_SIZE - before, before]);
  });

  test("name each member once, with their total usage", () => {
    const usage = { inputTokens: 100, outputTokens: 5, costUsd: 0.25 };
    const transcript = told(
      ...turn("t1", "ada", QUIET, { end: { durationMs: 400, usage } }),
      ...turn("t2", "bob", QUIET, { end: { durationMs: 600 } }),
      ...turn("t3", "ada", QUIET, { end: { durationMs: 1, usage: { inputTokens: 1, outputTokens: 1 } } }),
    );
    const run = quietRunAt(transcript, transcript.head.messageCount - 1) ?? [];
    expect(formatQuietRun(run)).toBe("ada and bob have nothing to add");
    expect(formatQuietRun(run.slice(0, 1))).toBe("ada has nothing to add");
    expect(quietCost(run)).toEqual({
      durationMs: 1001,
      usage: { inputTokens: 101, outputTokens: 6, costUsd: 0.25 },
    });
    expect(quietCost(run.slice(1, 2))).toEqual({ durationMs: 600 });
  });
});
