/** Escape, what is held after it, and who gets what is written, on the whole screen. */
import { expect, onTestFinished, test } from "vitest";
import { ended, said, started } from "../../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../../test/generate/stamped.ts";
import { until } from "../../../../test/host/open-host.ts";
import { sessionLog } from "../../../../test/tui/draw-panels.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import type { EventDraft, Json } from "../../../protocol/index.ts";

const RUNNING = [said("m1", ["claude"]), started("t1", "claude", { messageIds: ["m1"], rootMessageId: "m1" })];
const QUEUED: EventDraft = {
  type: "queue_updated",
  items: [{ messageId: "q1", text: "and the tests", to: ["claude"], attachments: [], ts: 0 }],
};

async function openWith(drafts: readonly EventDraft[]) {
  const events = sessionLog(drafts);
  const open = await openApp({ events, now: START_TS, columns: 100 });
  onTestFinished(() => open.close());
  const seen = async () => {
    await open.settle();
    return open.screen().join("\n");
  };
  const play = (more: readonly EventDraft[]) =>
    open.peer.play(stamped([...events.map(() => QUEUED), ...more]).slice(events.length));
  return { ...open, seen, play };
}

function othersRun(clientId: string): Json {
  return { stopped: 0, members: [], othersRunning: 1, others: [{ turnId: "t1", member: "claude", clientId }] };
}

test("Escape names what was started elsewhere, and a second one stops that too", async () => {
  const open = await openWith(RUNNING);
  open.peer.results.set("interrupt", othersRun("browser-01"));
  open.type(keys.escape);
  await until("the wish", () => open.peer.commands.length === 1);
  expect(await open.seen()).toContain("Started from another screen. Press Esc again to stop claude.");
  open.type(keys.escape);
  await until("the wish", () => open.peer.commands.length === 2);
  expect(open.peer.commands).toMatchObject([
    { type: "interrupt", scope: "own" },
    { type: "interrupt", scope: "all" },
  ]);
});

test("Escape right after a message stops the turn that the screen has not heard of yet", async () => {
  const open = await openWith([said("m1", ["claude"])]);
  const release = open.peer.holdAcks();
  open.type("look again");
  open.type(keys.enter);
  await until("the message", () => open.peer.commands.length === 1);
  open.type(keys.escape);
  await open.settle();
  release();
  await until("the wish", () => open.peer.commands.length === 2);
  expect(open.peer.commands).toMatchObject([{ type: "send" }, { type: "interrupt", scope: "own" }]);
  expect(await open.seen()).not.toContain("rewind");
});

test("what was not named yet is not stopped by a second Escape", async () => {
  const open = await openWith(RUNNING);
  open.peer.results.set("interrupt", { stopped: 1, members: ["claude"], othersRunning: 0, others: [] });
  open.type(keys.escape);
  await until("the wish", () => open.peer.commands.length === 1);
  open.type(keys.escape);
  await until("the wish", () => open.peer.commands.length === 2);
  expect(open.peer.commands).toMatchObject([{ scope: "own" }, { scope: "own" }]);
  expect(await open.seen()).toContain("Stopped claude.");
});

test("after a stop the queue is held: Enter in the empty box sends it, Alt+Up gives it back", async () => {
  const open = await openWith([...RUNNING, QUEUED]);
  expect(await open.seen()).toMatch(/◌ queued for claude: and the tests +Alt\+↑ edits · \/queue/);
  open.type(keys.enter);
  open.play([ended("t1", "claude", { outcome: "interrupted" })]);
  expect(await open.seen()).toMatch(
    /‖ held for claude: and the tests +Alt\+↑ edits · \/queue *\n─ to everyone ─+ *\n ❯ +A new message goes first; Enter sends what is held/,
  );
  expect(open.peer.wishes).toEqual([]);
  open.type(keys.enter);
  await until("the wish", () => open.peer.wishes.length === 1);
  expect(open.peer.wishes).toEqual(["queue_promote q1"]);
});

test("after a stop what was queued is back in the box, and one line says so", async () => {
  const open = await openWith([...RUNNING, QUEUED]);
  open.peer.results.set("interrupt", { stopped: 1, members: ["claude"], othersRunning: 0, others: [] });
  open.type(keys.escape);
  await until("the wish", () => open.peer.commands.length === 2);
  expect(open.peer.commands).toMatchObject([{ type: "interrupt" }, { type: "queue_remove", messageId: "q1" }]);
  const text = await open.seen();
  expect(text).toContain("■ Stopped claude. Your queued message is back in the box.");
  expect(text).toContain("❯ @claude and the tests");
});

test("a message that a stopped member was to be given is held, and Enter in the empty box lets it go", async () => {
  const pending: EventDraft = { type: "message_delivery", messageId: "m2", member: "claude", state: "pending" };
  const open = await openWith([
    ...RUNNING,
    ended("t1", "claude", { outcome: "interrupted" }),
    said("m2", ["claude"]),
    pending,
  ]);
  expect(await open.seen()).toMatch(/◌ claude is held until your next message/);
  open.type(keys.enter);
  await until("the wish", () => open.peer.wishes.length === 1);
  expect(open.peer.wishes).toEqual(["continue"]);
});

test("the box names who gets what is written while members work, and that is who gets it", async () => {
  const open = await openWith(RUNNING);
  expect(await open.seen()).toContain("─ to claude while it works ──");
  open.type("also look at the tests");
  open.type(keys.enter);
  await until("the wish", () => open.peer.commands.length === 1);
  expect(open.peer.commands).toMatchObject([{ type: "steer", text: "also look at the tests", to: ["claude"] }]);
  open.type("@pi and you?");
  expect(await open.seen()).toContain("─ to pi ──");
  open.type(keys.enter);
  await until("the wish", () => open.peer.commands.length === 2);
  expect(open.peer.commands[1]).toMatchObject({ type: "steer", text: "@pi and you?" });
  expect(open.peer.commands[1]).not.toHaveProperty("to");
});
