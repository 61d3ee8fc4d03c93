/** Whoever writes when a request comes up over the draft, at the whole app. */
import { expect, test } from "vitest";
import { started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import { ANSWER_GRACE_MS } from "../../../client/request-queue.ts";
import type { UiRequestBody } from "../../../protocol/index.ts";
import { WRITING_REST_MS } from "./request-controller.ts";

const options = [
  { label: "The first", value: "first" },
  { label: "The second", value: "second" },
];

const BODIES: readonly UiRequestBody[] = [
  { method: "select", title: "Asked", options },
  { method: "confirm", title: "Asked", message: "Really?" },
  { method: "approval", title: "Asked", tool: "shell", call: "rm -rf build", callHash: "h", options },
  { method: "input", title: "Asked" },
  { method: "editor", title: "Asked", prefill: "given" },
  {
    method: "question",
    title: "Asked",
    questions: [{ id: "q", text: "Which?", options, multiple: false, freeText: true }],
  },
];

/** Beside a member that works; time stands still until it is moved. */
async function sit() {
  const time = { nowMs: 1_000 };
  const shown = await openApp({
    events: sessionLog([started("t1", "claude")]),
    now: START_TS,
    monotonic: () => time.nowMs,
  });
  const settled = async () => {
    await shown.settle();
    return shown.screen().join("\n");
  };
  return {
    shown,
    time,
    settled,
    write: (text: string, everyMs = ANSWER_GRACE_MS + 100) => {
      for (const key of text) {
        time.nowMs += everyMs;
        shown.type(key);
      }
    },
    ask: async (request: UiRequestBody, requestId = "r1") => {
      const facts = { requestId, member: "claude", turnId: "t1", timeoutMs: 600_000, default: null };
      shown.peer.play(stamped([{ type: "ui_request", ...facts, request }], shown.peer.transcript.head.seq));
      await settled();
      expect(shown.app.requests.isShowing).toBe(true);
    },
    of: (type: "answer" | "steer") => shown.peer.commands.filter((command) => command.type === type),
  };
}

test.each(BODIES)("$method: a request that comes while somebody writes takes no key of it", async (body) => {
  const { shown, time, settled, write, ask, of } = await sit();
  write("see j");
  await ask(body);
  write(" and 2 yes");
  expect(await settled()).toMatch(/You write on in your draft: › see j and 2 yes▏[^]*Rest a moment to answer/);
  expect([shown.app.prompt.text, of("answer")]).toEqual(["see j and 2 yes", []]);
  time.nowMs += WRITING_REST_MS;
  expect(await settled()).not.toMatch(/You write on|Rest a moment/);
  // What would act is only put aside.
  shown.type(body.method === "approval" ? "4" : body.method === "question" ? "0" : keys.escape);
  await settled();
  expect(of("answer")).toHaveLength(1);
  expect(shown.app.prompt.text).toBe("see j and 2 yes");
  await shown.close();
});

test("an Enter in the flow of writing sends the draft; a later one sends nothing and answers nothing", async () => {
  const { shown, time, settled, write, ask, of } = await sit();
  write("half a mess");
  await ask({ method: "input", title: "Asked" });
  write("age");
  time.nowMs += ANSWER_GRACE_MS;
  shown.type(keys.enter);
  expect(await settled()).toContain("Too early, not taken");
  expect([of("steer"), of("answer"), shown.app.prompt.text]).toEqual([[], [], "half a message"]);
  write("!", 100);
  shown.type(keys.enter);
  await settled();
  expect(of("steer")).toMatchObject([{ text: "half a message!" }]);
  time.nowMs += ANSWER_GRACE_MS;
  write("Ada");
  shown.type(keys.enter);
  await settled();
  expect(of("answer")).toMatchObject([{ result: "Ada" }]);
  await shown.close();
});

test("text that is of no use to a request that listens is the beginning of something for the draft", async () => {
  const { shown, time, write, ask, of } = await sit();
  await ask({ method: "confirm", title: "Asked", message: "Really?" });
  time.nowMs += 10 * WRITING_REST_MS;
  write("only yes and no");
  expect([shown.app.prompt.text, of("answer")]).toEqual(["only yes and no", []]);
  await shown.close();
});

test("a key that comes too early for the next request, after one was answered, is nobody's", async () => {
  const { shown, time, settled, ask, of } = await sit();
  await ask({ method: "input", title: "Asked" });
  await ask({ method: "input", title: "Asked again" }, "r2");
  time.nowMs += WRITING_REST_MS;
  shown.type("a");
  shown.type(keys.enter);
  await settled();
  shown.peer.play(
    stamped(
      [{ type: "ui_response", requestId: "r1", by: "terminal", result: "a", error: null }],
      shown.peer.transcript.head.seq,
    ),
  );
  await settled();
  shown.type("b");
  expect(await settled()).toMatch(/Asked again[^]*Too early, not taken/);
  expect([shown.app.prompt.text, of("answer").length]).toEqual(["", 1]);
  await shown.close();
});
