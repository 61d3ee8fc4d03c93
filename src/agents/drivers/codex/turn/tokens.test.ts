import { expect, test } from "vitest";
import { running, Conversation } from "../../../../../test/agents/codex/conversation.ts";

const counts = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: inputTokens + outputTokens,
});

/** A report of the thread's tokens and those of the last call, a tenth of each as output. */
function count(talk: Conversation, { threadId = "t", turnId, total, last }: Counted): Conversation {
  const tokenUsage = { total: counts(total, total / 10), last: counts(last, last / 10), modelContextWindow: 1_000 };
  return talk.receive({ method: "thread/tokenUsage/updated", params: { threadId, turnId, tokenUsage } });
}

interface Counted {
  readonly threadId?: string;
  readonly turnId: string;
  readonly total: number;
  readonly last: number;
}

function end(talk: Conversation, id: string, threadId = "t"): void {
  talk.receive({ method: "turn/completed", params: { threadId, turn: { id, status: "completed" } } });
}

const used = (inputTokens: number) => [{ usage: { inputTokens, outputTokens: inputTokens / 10 } }];

/** A thread with 1000 tokens from an earlier turn, closed by Codex since. */
function closed(): Conversation {
  const talk = count(running(), { turnId: "n", total: 1_000, last: 200 });
  end(talk, "n");
  talk.notify("thread/closed", {}).send("next", "turn-2");
  talk.events.length = 0;
  return talk;
}

test("tokens counted before a thread was resumed are not this turn's, also when Codex repeats them", () => {
  const talk = new Conversation("t").send().receive({ id: "a.1", result: { thread: { id: "t" } } });
  count(talk, { turnId: "old", total: 500, last: 100 }).receive({ id: "a.2", result: { turn: { id: "n" } } });
  count(talk, { turnId: "n", total: 500, last: 100 });
  end(count(talk, { turnId: "n", total: 700, last: 150 }), "n");
  expect(talk.ends()).toMatchObject(used(200));
});

test("tokens of another thread, or counted late for the previous turn, are not this turn's", () => {
  const talk = closed().receive({ id: "a.3", result: { thread: { id: "t" } } });
  count(talk, { turnId: "elsewhere", total: 2_000, last: 100 }).receive({ id: "a.4", result: { turn: { id: "m" } } });
  count(talk, { turnId: "elsewhere", total: 2_100, last: 100 });
  end(count(talk, { turnId: "m", total: 2_150, last: 50 }), "m");
  expect(talk.ends()).toMatchObject(used(50));
});

test("a new thread counts from zero, also after a lost one", () => {
  const first = count(running(), { turnId: "n", total: 300, last: 100 });
  end(first, "n");
  expect(first.ends()).toMatchObject(used(300));
  const lost = closed().receive({ id: "a.3", error: { code: 1, message: "no rollout found" } });
  lost.receive({ id: "a.4", result: { thread: { id: "u" } } }).receive({ id: "a.5", result: { turn: { id: "m" } } });
  end(count(lost, { threadId: "u", turnId: "m", total: 30, last: 10 }), "m", "u");
  expect(lost.ends()).toMatchObject(used(30));
});
