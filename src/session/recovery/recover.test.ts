import { expect, test } from "vitest";
import type { SessionEvent } from "../../protocol/index.ts";
import { empty, fold, type Transcript } from "../../transcript/index.ts";
import { createDisk, MemoryLog, type MemoryDisk } from "../../../test/session/memory-log.ts";
import { reopenOn, startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import { checkLog } from "../../../test/session/session-checker.ts";
import { openSession } from "../session.ts";

const busy: Behaviour = {
  script: () => [
    { type: "thinking_delta", text: "hm" },
    { type: "text_delta", text: "I will " },
    { type: "text_delta", text: "look" },
    { type: "tool_call_start", nativeId: "a", name: "read", args: null },
    { type: "tool_call_start", nativeId: "b", name: "read", args: null },
    { type: "tool_result", nativeId: "b", ok: true, result: "B" },
    { type: "request", callId: "q", request: { method: "confirm", title: "Go?", message: "On?" } },
    { type: "text_delta", text: "meanwhile" },
    { hang: true },
  ],
};

function diskOf(events: readonly SessionEvent[]): MemoryDisk {
  return { ...createDisk(), events: structuredClone([...events]), epoch: 1 };
}

/** The transcript without times and ids, which differ between runs. */
function pictureOf(state: SessionRun): unknown {
  const { head, live } = state.session.transcript;
  const strip = (key: string, value: unknown): unknown =>
    ["ts", "seq", "id", "epoch", "updatedTs", "durationMs", "startTs", "seenSeq"].includes(key) ? undefined : value;
  return JSON.parse(JSON.stringify({ head, live }, strip));
}

test("[S36] opening a session that was cut off closes requests, text, tools and turns, with one notice", async () => {
  const state = await startSession({ ada: busy, bob: { script: () => [{ hang: true }] } });
  await state.send("go");
  const { seq } = state.session.transcript.head;
  const [ada, bob] = state.events("turn_start").map((event) => event.turnId) as [string, string];
  const later = await state.reopen();
  const after = later.all().filter((event) => event.seq > seq);
  expect(after.map((event) => event.type)).toEqual([
    "ui_cancelled",
    "tool_result",
    "text_done",
    "turn_end",
    "turn_end",
    "message_delivery",
    "message_delivery",
    "recovered",
    "council_paused",
  ]);
  expect(after).toMatchObject([
    { reason: "restart", turnId: ada },
    { turnId: ada, ok: false, error: { code: "tool_interrupted" } },
    { turnId: ada, text: "meanwhile", interrupted: true },
    { turnId: ada, outcome: "interrupted", reason: "restart" },
    { turnId: bob, outcome: "interrupted", reason: "restart" },
    { member: "ada", state: "dropped", reason: "restart" },
    { member: "bob", state: "dropped", reason: "restart" },
    { turnIds: [ada, bob], tornBytes: 0 },
    { why: "restart", message: expect.stringContaining("A restart interrupted the discussion.") },
  ]);
  checkLog(later.all(), { settled: true });
  const again = await later.reopen();
  expect(again.all().length).toBe(later.all().length);
});

test("[S36] a recovery that is cut at any event and run again gives the same transcript", async () => {
  const state = await startSession({
    ada: busy,
    bob: { script: () => [{ wait: 10 }, { type: "text_delta", text: "b" }, { hang: true }] },
  });
  await state.send("one");
  await state.send("two");
  await state.clock.advance(50);
  const cut = state.all().length;
  const whole = await reopenOn(diskOf(state.all()), {});
  const picture = pictureOf(whole);
  for (let kept = cut; kept <= whole.all().length; kept += 1) {
    const again = await reopenOn(diskOf(whole.all().slice(0, kept)), {});
    expect(pictureOf(again)).toEqual(picture);
    const twice = await reopenOn(diskOf(again.all().slice(0, kept + 1)), {});
    expect(pictureOf(twice)).toEqual(picture);
  }
});

test("[S36] a log cut after any event opens and is settled, and nothing is lost or duplicated", async () => {
  const slow: Behaviour = { script: ({ text }) => [{ wait: 10 }, { type: "text_delta", text }, { wait: 40 }] };
  const state = await startSession({ ada: slow, bob: { ...slow, capabilities: { steer: true } } });
  for (const text of ["one", "two", "@ada three", "@bob four"]) await state.send(text);
  await state.clock.advance(30);
  await state.send("@ada five");
  await state.clock.advance(1_000);
  const events = state.all();
  for (let kept = 3; kept <= events.length; kept += 1) {
    const opened = await reopenOn(diskOf(events.slice(0, kept)), { ada: {}, bob: {} });
    checkLog(opened.all(), { settled: true });
    const started = opened.events("turn_start").length;
    const known = new Set(
      opened.all().flatMap((event) => {
        if (event.type === "user_message") return [event.messageId];
        return event.type === "queue_updated" ? event.items.map((item) => item.messageId) : [];
      }),
    );
    await opened.clock.advance(60_000);
    expect(opened.events("turn_start").length).toBe(started);
    await opened.send("go on");
    await opened.clock.advance(1_000);
    checkLog(opened.all(), { settled: true });
    const said = new Set(opened.events("user_message").map((event) => event.messageId));
    for (const messageId of known) expect(said.has(messageId)).toBe(true);
    const unsettled = Object.keys(opened.session.transcript.head.deliveries);
    expect([unsettled, opened.session.transcript.head.queue]).toEqual([[], []]);
    const replayed: Transcript = fold(empty(opened.log.sessionId), structuredClone(opened.all()));
    expect(opened.session.transcript.head).toEqual(replayed.head);
    expect(opened.session.transcript.live).toEqual(replayed.live);
  }
});

test("[S37] after opening, queued messages stay queued with a notice, and nothing starts automatically", async () => {
  const hanging: Behaviour = { script: () => [{ hang: true }] };
  const state = await startSession({ ada: hanging, bob: {} });
  await state.send("@ada busy");
  await state.send("both");
  await state.send("@ada queued");
  expect(state.session.transcript.head.queue.length).toBe(1);
  const later = await state.reopen({ behaviours: { ada: {}, bob: {} } });
  await later.clock.advance(600_000);
  expect(later.events("turn_start").length).toBe(state.events("turn_start").length);
  expect(later.events("council_paused")).toMatchObject([{ why: "restart" }]);
  expect(later.session.transcript.head.members["ada"]?.state).toBe("waiting");
  // A later opening does not repeat the notice while it still applies.
  await later.session.close();
  const third = await later.reopen({ behaviours: { ada: {}, bob: {} } });
  expect(third.events("council_paused").length).toBe(1);
  await third.send("@bob hello");
  expect(third.events("turn_start").at(-1)).toMatchObject({ member: "bob" });
  await third.send("@ada go on");
  expect(third.agents.last("ada").inputs.map((input) => input.text)).toEqual(["both\n\nqueued\n\ngo on"]);
});

test("[S36] a torn tail that the log cut off is named in `recovered`; a clean session gets none", async () => {
  const state = await startSession({ ada: {} });
  await state.send("hello");
  await state.session.close();
  const clean = await state.reopen();
  expect(clean.events("recovered")).toEqual([]);
  const log = new MemoryLog(clean.log.disk);
  log.recovery = { tornBytes: 12, tornFile: "x.torn", damages: [] };
  await openSession({ log, clock: clean.clock, agentFactory: clean.agents.factory });
  expect(log.disk.events.at(-1)).toMatchObject({ type: "recovered", turnIds: [], tornBytes: 12, tornFile: "x.torn" });
});
