/** What a trial makes of the events of a member. */
import { expect, test } from "vitest";
import type { Agent, AgentEvent, AnswerResult } from "../../src/agents/index.ts";
import { runTrial, type Trial } from "../../src/cli/commands/agents/trial.ts";
import { NO_CAPABILITIES } from "../../src/protocol/index.ts";
import { createHandClock } from "../agents/hand-clock.ts";

interface Played {
  trial: Promise<Trial>;
  clock: ReturnType<typeof createHandClock>;
  stop: AbortController;
  calls: string[];
}

/** A member that says the given events when it is asked, and then whatever `later` says when it is answered. */
function play(events: readonly AgentEvent[], onAnswer: readonly AgentEvent[] = []): Played {
  const clock = createHandClock();
  const stop = new AbortController();
  const calls: string[] = [];
  let up: (event: AgentEvent) => void = () => {};
  const agent: Agent = {
    capabilities: NO_CAPABILITIES,
    start(listener) {
      up = listener;
      return Promise.resolve();
    },
    send(input) {
      calls.push(`${input.kind}: ${input.text}`);
      clock.advance(40);
      for (const event of events) up(event);
    },
    interrupt() {
      calls.push("interrupt");
    },
    answer(callId: string, { error }: AnswerResult) {
      calls.push(`answer ${callId}: ${error}`);
      for (const event of onAnswer) up(event);
    },
    close() {
      calls.push("close");
      return Promise.resolve();
    },
  };
  return { trial: runTrial({ agent, timeoutMs: 1_000, clock, signal: stop.signal }), clock, stop, calls };
}

const done = (more: Partial<Extract<AgentEvent, { type: "turn_done" }>> = {}): AgentEvent => ({
  type: "turn_done",
  turnId: "trial",
  outcome: "completed",
  ...more,
});
const asked = "turn: Answer with the word ready.";

test("a trial reports the final answer: without retracted text, with the last version of a segment", async () => {
  const usage = { inputTokens: 5, outputTokens: 1 };
  const { trial, calls, clock } = play([
    { type: "text_delta", text: "wrong" },
    { type: "text_retracted" },
    { type: "text_delta", text: "rea" },
    { type: "text_done", text: "ready" },
    { type: "warning", code: "odd", message: "a warning" },
    done({ usage }),
  ]);
  expect(await trial).toEqual({
    outcome: "answered",
    firstTextMs: 40,
    totalMs: 40,
    answer: "ready",
    usage,
    warnings: ["a warning"],
  });
  expect([calls, clock.waiting()]).toEqual([[asked, "close"], 0]);
});

test.each([
  ["a turn without a word", [done()], "The turn ended without an answer."],
  ["a turn that was ended", [{ type: "text_delta", text: "re" }, done({ outcome: "interrupted" })], "interrupted"],
  ["an errored turn", [done({ outcome: "errored", error: { code: "x", message: "No key." } })], "No key."],
] as const)("%s is a failure that says so", async (_what, events, message) => {
  const { trial } = play(events);
  expect(await trial).toMatchObject({ outcome: "failed", error: { message: expect.stringContaining(message) } });
});

test("every request of a member in a trial is rejected at once", async () => {
  const call: AgentEvent = { type: "host_call", callId: "c1", tool: "user_question", args: {} };
  const { trial, calls } = play([call], [{ type: "text_delta", text: "ready" }, done()]);
  expect((await trial).outcome).toBe("answered");
  expect(calls).toEqual([asked, "answer c1: This is only a trial.", "close"]);
});

test("at its limit a trial ends, names the retry it waited for, and closes the member", async () => {
  const { trial, clock, calls } = play([{ type: "retrying", attempt: 2, of: 10, delayMs: 900, reason: "429" }]);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  expect(await trial).toEqual({
    outcome: "timed_out",
    totalMs: 1_040,
    answer: "",
    warnings: [],
    error: {
      code: "timeout",
      message: "No answer within 1 s; it was retrying (429).",
      hint: "Give it more time with --timeout SECONDS.",
    },
  });
  expect(calls).toEqual([asked, "close"]);
});

test("a trial that is interrupted closes the member", async () => {
  const { trial, stop, calls } = play([]);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect([(await trial).outcome, calls]).toEqual(["interrupted", [asked, "close"]]);
});
