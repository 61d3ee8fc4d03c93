/** Keys that come before a request could be read, or that are meant for something else, at the whole app. */
import { expect, test } from "vitest";
import { started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { alt, ctrl, keys } from "../../../../test/tui/key-bytes.ts";
import { openApp, type AppOptions } from "../../../../test/tui/open-app.ts";
import { ANSWER_GRACE_MS } from "../../../client/request-queue.ts";
import type { EventDraft } from "../../../protocol/index.ts";

const asks: EventDraft = {
  type: "ui_request",
  requestId: "r1",
  member: "claude",
  turnId: "t1",
  timeoutMs: 600_000,
  default: false,
  request: {
    method: "approval",
    title: "Run this command?",
    tool: "shell",
    call: "rm -rf build",
    callHash: "h",
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Deny", value: "deny" },
    ],
  },
};

/** Beside a member that works. The time of the grace stands still until it is moved. */
async function sit(more: AppOptions["more"] = {}) {
  const time = { nowMs: 1_000 };
  const events = sessionLog([started("t1", "claude")]);
  const shown = await openApp({ events, now: START_TS, monotonic: () => time.nowMs, more });
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await shown.settle();
  };
  return {
    shown,
    time,
    until,
    isAsked: () => shown.app.requests.isShowing,
    ask: async () => {
      shown.peer.play(stamped([asks], shown.peer.transcript.head.seq));
      await shown.settle();
    },
    answers: async () => {
      await shown.settle();
      return shown.peer.commands.flatMap((command) => (command.type === "answer" ? [command.result] : []));
    },
  };
}

test("a request that comes while an editor has the terminal is announced after it, and the next key does not answer it", async () => {
  const editor = Promise.withResolvers<string | undefined>();
  const { shown, time, until, isAsked, ask, answers } = await sit({ editText: () => editor.promise });
  shown.type(ctrl("g"));
  await ask();
  expect(isAsked()).toBe(false);
  time.nowMs += 60_000;
  editor.resolve("what was written");
  await until(() => shown.app.prompt.text !== "");
  await shown.settle();
  expect(shown.screen().join("\n")).toMatch(/claude asks: \$ rm -rf build .* Alt\+I answers[^]*❯ what was written/u);
  shown.type(alt("i"));
  shown.type(keys.enter);
  expect(await answers()).toEqual([]);
  expect(shown.screen().join("\n")).toMatch(/\$ rm -rf build[^]*too soon and was ignored/);
  time.nowMs += ANSWER_GRACE_MS;
  shown.type(keys.enter);
  expect(await answers()).toEqual(["allow"]);
  expect(shown.app.prompt.text).toBe("what was written");
  await shown.close();
});

test("the same holds for one that comes while a shell has it, and for one that was there before", async () => {
  let isInForeground = true;
  const { shown, time, until, isAsked, ask, answers } = await sit({ isInForeground: () => isInForeground });
  const leave = async () => {
    isInForeground = false;
    // As if woken by the shell in the background.
    process.emit("SIGCONT", "SIGCONT");
    await until(() => shown.modes.screen !== "alternate");
  };
  const comeBack = async () => {
    time.nowMs += 60_000;
    isInForeground = true;
    await until(() => shown.modes.screen === "alternate");
  };
  await leave();
  await ask();
  expect(isAsked()).toBe(false);
  await comeBack();
  expect(isAsked()).toBe(true);
  shown.type(keys.enter);
  expect(await answers()).toEqual([]);
  time.nowMs += ANSWER_GRACE_MS;
  await leave();
  await comeBack();
  shown.type(keys.enter);
  expect(await answers()).toEqual([]);
  time.nowMs += ANSWER_GRACE_MS;
  shown.type(keys.enter);
  expect(await answers()).toEqual(["allow"]);
  await shown.close();
});

test("a user who keeps typing when a request opens writes a message and answers nothing", async () => {
  const { shown, time, until, isAsked, ask, answers } = await sit();
  await ask();
  await until(isAsked);
  const write = (text: string) => {
    for (const key of [...Array.from(text), keys.enter]) {
      time.nowMs += ANSWER_GRACE_MS - 100;
      shown.type(key);
    }
  };
  write("and mind the tests");
  await until(isAsked);
  write("of the room");
  expect(await answers()).toEqual([]);
  const sent = shown.peer.commands.flatMap((command) => (command.type === "steer" ? [command.text] : []));
  expect(sent).toEqual(["and mind the tests", "of the room"]);
  await until(isAsked);
  time.nowMs += ANSWER_GRACE_MS;
  shown.type(keys.enter);
  expect(await answers()).toEqual(["allow"]);
  await shown.close();
});

test("a key that is held goes into the draft, and the request is opened again", async () => {
  const { shown, time, until, isAsked, ask, answers } = await sit();
  await ask();
  await until(isAsked);
  for (let press = 0; press < 200; press++) {
    shown.type("x");
    time.nowMs += 30;
  }
  expect([await answers(), shown.app.prompt.text, isAsked()]).toEqual([[], "x".repeat(200), false]);
  shown.type(alt("i"));
  time.nowMs += ANSWER_GRACE_MS;
  shown.type("4");
  expect(await answers()).toEqual(["deny"]);
  await shown.close();
});
