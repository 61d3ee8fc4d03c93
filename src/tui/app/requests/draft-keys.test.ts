/** Requests that come while somebody writes or reads elsewhere, at the whole app. */
import { expect, test } from "vitest";
import { started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { alt, keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import { ANSWER_GRACE_MS } from "../../../client/request-queue.ts";
import type { UiRequestBody } from "../../../protocol/index.ts";

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
    write: (text: string) => {
      for (const key of text) {
        time.nowMs += ANSWER_GRACE_MS + 100;
        shown.type(key);
      }
    },
    ask: async (request: UiRequestBody, requestId = "r1") => {
      const facts = { requestId, member: "claude", turnId: "t1", timeoutMs: 600_000, default: null };
      shown.peer.play(stamped([{ type: "ui_request", ...facts, request }], shown.peer.transcript.head.seq));
      return settled();
    },
    answered: async (requestId: string) => {
      const answer = { type: "ui_response", requestId, by: "terminal", result: "a", error: null } as const;
      shown.peer.play(stamped([answer], shown.peer.transcript.head.seq));
      return settled();
    },
    of: (type: "answer" | "steer") => shown.peer.commands.filter((command) => command.type === type),
  };
}

test.each(BODIES)(
  "$method: one that comes while somebody writes stands in the rule until it is opened",
  async (body) => {
    const { shown, time, settled, write, ask, answered, of } = await sit();
    write("see j");
    expect(await ask(body)).toMatch(/◆ claude asks: .* Alt\+I answers/u);
    write(" and 2 yes");
    expect([await settled(), shown.app.prompt.text]).toEqual([
      expect.stringMatching(/❯ see j and 2 yes[^]*Alt\+I answer claude/u),
      "see j and 2 yes",
    ]);
    shown.type(alt("i"));
    time.nowMs += ANSWER_GRACE_MS;
    expect(await settled()).not.toContain("see j and 2 yes");
    // What would act is only put aside by Escape.
    shown.type(body.method === "approval" ? "4" : body.method === "question" ? "0" : keys.escape);
    await settled();
    expect([of("answer").length, shown.app.prompt.text]).toEqual([1, "see j and 2 yes"]);
    expect(await answered("r1")).toContain("❯ see j and 2 yes");
    await shown.close();
  },
);

test("it opens by itself when the message was sent, and the Enter that sent it is no answer", async () => {
  const { shown, settled, write, ask, of } = await sit();
  write("half a mess");
  await ask({ method: "approval", title: "Asked", tool: "shell", call: "rm -rf build", callHash: "h", options });
  write("age");
  shown.type(keys.enter);
  shown.type(keys.enter);
  expect(await settled()).toMatch(/claude asks to run a command[^]*\$ rm -rf build[^]*too soon and was ignored/);
  expect([of("steer").length, of("answer")]).toEqual([1, []]);
  await shown.close();
});

test("a note beside what is allowed goes to the member as a message", async () => {
  const { shown, time, settled, ask, of } = await sit();
  const values = ["allow", "deny"].map((value) => ({ label: value, value }));
  await ask({ method: "approval", title: "Asked", tool: "shell", call: "make", callHash: "h", options: values });
  time.nowMs += ANSWER_GRACE_MS;
  for (const key of [keys.tab, "then test", keys.enter]) shown.type(key);
  await settled();
  expect(of("answer")).toMatchObject([{ result: "allow" }]);
  expect(of("answer")[0]).not.toHaveProperty("reason");
  expect(of("steer")).toMatchObject([{ text: "then test", to: ["claude"] }]);
  await shown.close();
});

test("text that is of no use to an open request begins a draft, and the request steps back", async () => {
  const { shown, time, settled, write, ask, of } = await sit();
  await ask({ method: "confirm", title: "Asked", message: "Really?" });
  expect(shown.app.requests.isShowing).toBe(true);
  time.nowMs += 10_000;
  write("only yes and no");
  expect(await settled()).toMatch(/claude asks[^]*❯ only yes and no/u);
  expect([shown.app.prompt.text, of("answer"), shown.app.requests.isShowing]).toEqual(["only yes and no", [], false]);
  for (const _ of "only yes and no") shown.type(keys.backspace);
  expect(await settled()).toContain("Really?");
  await shown.close();
});

test("one that comes over another view waits until that is closed", async () => {
  const { shown, settled, ask } = await sit();
  shown.type("?");
  await settled();
  expect(await ask({ method: "confirm", title: "Asked", message: "Really?" })).not.toContain("Really?");
  shown.type(keys.escape);
  expect(await settled()).toContain("Really?");
  await shown.close();
});

test("one that comes while a member has the focus is announced, and opens when the box has it again", async () => {
  const { shown, settled, ask } = await sit();
  shown.type(keys.tab);
  await settled();
  expect(await ask({ method: "confirm", title: "Asked", message: "Really?" })).toMatch(/◆ claude asks[^]*Alt\+I/u);
  expect(shown.app.requests.isShowing).toBe(false);
  shown.type(keys.escape);
  expect(await settled()).toContain("Really?");
  await shown.close();
});

test("a key that comes too early for the next request, after one was answered, is nobody's", async () => {
  const { shown, time, settled, ask, answered, of } = await sit();
  await ask({ method: "input", title: "Asked" });
  await ask({ method: "input", title: "Asked again" }, "r2");
  time.nowMs += ANSWER_GRACE_MS;
  shown.type("a");
  shown.type(keys.enter);
  await settled();
  await answered("r1");
  shown.type("b");
  expect(await settled()).toMatch(/Asked again[^]*too soon and was ignored/);
  expect([shown.app.prompt.text, of("answer").length]).toEqual(["", 1]);
  await shown.close();
});

test("after an answer over a draft the next request follows, then the draft", async () => {
  const { shown, time, settled, write, ask, answered } = await sit();
  write("a draft");
  await ask({ method: "input", title: "Asked" });
  await ask({ method: "input", title: "Asked again" }, "r2");
  for (const requestId of ["r1", "r2"]) {
    if (requestId === "r1") shown.type(alt("i"));
    time.nowMs += ANSWER_GRACE_MS;
    expect(await settled()).toContain(requestId === "r1" ? "Asked" : "Asked again");
    shown.type("a");
    shown.type(keys.enter);
    await settled();
    await answered(requestId);
  }
  expect(await settled()).toContain("❯ a draft");
  await shown.close();
});

test("the notice that a request waits is gone when it is shown again and when it is answered", async () => {
  const { shown, time, settled, ask, answered } = await sit();
  const notice = "claude is waiting for your answer.";
  const approval = { method: "approval", title: "Asked", tool: "shell", call: "make", callHash: "h", options } as const;
  await ask(approval);
  await ask(approval, "r2");
  for (const requestId of ["r1", "r2"]) {
    time.nowMs += ANSWER_GRACE_MS;
    shown.type(keys.escape);
    // Hidden by the next request while that one is open.
    expect((await settled()).includes(notice), requestId).toBe(requestId === "r2");
  }
  await answered("r1");
  expect(await settled()).toContain(notice);
  shown.type(alt("i"));
  expect(await settled()).not.toContain(notice);
  time.nowMs += ANSWER_GRACE_MS;
  shown.type(keys.escape);
  expect(await settled()).toContain(notice);
  await answered("r2");
  expect(await settled()).not.toContain(notice);
  await shown.close();
});
