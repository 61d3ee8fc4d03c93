import { expect, test } from "vitest";
import type { UiRequestBody } from "../protocol/index.ts";
import { ANSWER_GRACE_MS, createRequestQueue, REPEATS_MS_MAX } from "./request-queue.ts";

const options = [{ label: "Yes", value: "yes" }];
const bodies = {
  approval: { method: "approval", title: "Run?", tool: "shell", call: "ls", callHash: "h", options },
  confirm: { method: "confirm", title: "Sure?", message: "Really?" },
  select: { method: "select", title: "Which?", options },
} satisfies Record<string, UiRequestBody>;

function one(requestId: string, request: UiRequestBody = bodies.approval) {
  return { requestId, request };
}

function setUp() {
  const time = { nowMs: 5_000 };
  return { time, queue: createRequestQueue({ now: () => time.nowMs }) };
}

test("the oldest request is shown and the others are counted; an empty queue shows nothing", () => {
  const { queue } = setUp();
  expect([queue.current(), queue.waiting(), queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([
    undefined,
    0,
    false,
    0,
  ]);
  const [a, b, c] = [one("a"), one("b"), one("c")];
  queue.update([a, b, c]);
  expect([queue.current(), queue.waiting()]).toEqual([a, 2]);
  queue.update([b, c]);
  expect([queue.current(), queue.waiting()]).toEqual([b, 1]);
  queue.update([]);
  expect([queue.current(), queue.waiting()]).toEqual([undefined, 0]);
});

test.each(["approval", "confirm"] as const)("a newly shown %s accepts no answer for 500 ms", (method) => {
  const { time, queue } = setUp();
  queue.update([one("a", bodies[method])]);
  expect([queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([false, 500]);
  time.nowMs += ANSWER_GRACE_MS - 1;
  expect([queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([false, 1]);
  time.nowMs += 1;
  expect([queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([true, 0]);
});

test("the grace period restarts only when another request is shown first", () => {
  const { time, queue } = setUp();
  queue.update([one("a"), one("b")]);
  time.nowMs += ANSWER_GRACE_MS;
  queue.update([one("a"), one("b"), one("c")]);
  expect(queue.acceptsAnswer("a")).toBe(true);
  queue.update([one("b"), one("c")]);
  expect(queue.acceptsAnswer("b")).toBe(false);
  time.nowMs += ANSWER_GRACE_MS;
  expect(queue.acceptsAnswer("b")).toBe(true);
});

test("a question without an effect accepts an answer at once", () => {
  const { queue } = setUp();
  queue.update([one("a", bodies.select), one("b")]);
  expect([queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([true, 0]);
});

test("a request that was hidden accepts no answer for 500 ms after it is back", () => {
  const { time, queue } = setUp();
  queue.update([one("a")]);
  time.nowMs += 10 * ANSWER_GRACE_MS;
  queue.shownAgain();
  expect([queue.acceptsAnswer("a"), queue.graceLeftMs()]).toEqual([false, ANSWER_GRACE_MS]);
  time.nowMs += ANSWER_GRACE_MS;
  expect(queue.acceptsAnswer("a")).toBe(true);
});

test("every key of typed text restarts the grace period", () => {
  const { time, queue } = setUp();
  queue.update([one("a")]);
  for (const key of "go on with the other file, please, and then with the tests of the room".repeat(9)) {
    queue.onUnhandledKey(key);
    time.nowMs += ANSWER_GRACE_MS - 1;
    expect(queue.acceptsAnswer("a")).toBe(false);
  }
  time.nowMs += 1;
  expect(queue.acceptsAnswer("a")).toBe(true);
});

test("a repeated key restarts it for a limited time, per request and per press", () => {
  const { time, queue } = setUp();
  const hold = () => {
    const from = time.nowMs;
    for (; !queue.acceptsAnswer(queue.current()?.requestId ?? ""); time.nowMs += 30) queue.onUnhandledKey("x");
    return time.nowMs - from;
  };
  const isLong = (ms: number) => ms >= REPEATS_MS_MAX && ms <= REPEATS_MS_MAX + ANSWER_GRACE_MS;
  queue.update([one("a"), one("b")]);
  expect(hold()).toSatisfy(isLong);
  queue.onUnhandledKey("x");
  expect(queue.acceptsAnswer("a")).toBe(true);
  queue.update([one("b")]);
  expect(hold()).toSatisfy(isLong);
  time.nowMs += ANSWER_GRACE_MS;
  queue.onUnhandledKey("x");
  expect(hold()).toSatisfy(isLong);
});

test("only the visible request accepts an answer: not one behind it, not a closed one", () => {
  const { time, queue } = setUp();
  queue.update([one("a"), one("b")]);
  time.nowMs += ANSWER_GRACE_MS;
  expect(["a", "b", "z"].map((id) => queue.acceptsAnswer(id))).toEqual([true, false, false]);
  queue.update([one("b")]);
  time.nowMs += ANSWER_GRACE_MS;
  expect(["a", "b"].map((id) => queue.acceptsAnswer(id))).toEqual([false, true]);
});
