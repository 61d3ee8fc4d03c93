import { expect, test } from "vitest";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import type { AgentEvent, TurnInput } from "../../agents/index.ts";
import { PAGE_SIZE, reduce } from "../../transcript/index.ts";
import { encodedBytes } from "../../kit/text/encoded-size.ts";
import { missedBy } from "./missed-messages.ts";
import { BYTES_PER_TOKEN, LEFT_OUT_LINES_MAX, PAGES_RETAINED, WINDOW_FILL_MAX } from "../limits.ts";

/** Echoes its prompt after its name. */
function named(name: string): Behaviour {
  return { script: ({ text }) => [{ type: "text_delta", text: `${name}: ${text}` }] };
}

/** Context given to a member beside its prompts, one entry per turn. */
function told(state: SessionRun, member: string): (readonly string[])[] {
  return state.agents
    .of(member)
    .flatMap((agent) => agent.inputs)
    .map(({ missed: received = [] }) => received.map(short));
}

function short({ speaker, text }: NonNullable<TurnInput["missed"]>[number]): string {
  return `${speaker.kind === "user" ? "you" : speaker.name}> ${text}`;
}

test("[S50] a prompt contains what others wrote and were asked since the member's previous prompt", async () => {
  const state = await startSession({ ada: named("ada"), bob: named("bob") });
  await state.send("one");
  await state.send("@bob two");
  await state.send("@bob three");
  await state.send("four");
  expect(told(state, "ada")).toEqual([
    [],
    ["bob> bob: one", "you> two", "bob> bob: two", "you> three", "bob> bob: three"],
  ]);
  expect(told(state, "bob")).toEqual([[], ["ada> ada: one"], [], []]);
  expect(state.agents.last("ada").inputs.map(({ text, round }) => [text, round])).toEqual([
    ["one", 1],
    ["four", 1],
  ]);
  expect(state.agents.last("bob").inputs.map(({ round }) => round)).toEqual([1, undefined, undefined, 1]);
});

test("[S50] nothing is passed on twice, also after a restart", async () => {
  const native: AgentEvent = { type: "member_session", nativeSessionId: "n1" };
  const resuming: Behaviour = { script: ({ text }) => [native, { type: "text_delta", text: `ada: ${text}` }] };
  const state = await startSession({ ada: resuming, bob: named("bob") });
  await state.send("@bob one");
  await state.send("@ada two");
  const [, second] = state.events("turn_start");
  const end = state.events("turn_end")[0]!;
  const asked = state.events("user_message")[1]!;
  const overheard = state.events("user_message")[0]!;
  expect(second?.given).toEqual({ fromSeq: overheard.seq, toSeq: Math.max(asked.seq, end.seq) });
  await state.send("@ada three");
  await state.session.close();
  const reopened = await state.reopen();
  await reopened.send("@ada four");
  expect(told(state, "ada")).toEqual([["you> one", "bob> bob: one"], []]);
  expect(told(reopened, "ada")).toEqual([[]]);
});

test("[S50] a turn that ends during another member's turn is passed on with that member's next turn", async () => {
  const slow: Behaviour = { script: ({ text }) => [{ wait: 100 }, { type: "text_delta", text: `bob: ${text}` }] };
  const state = await startSession({ ada: named("ada"), bob: slow });
  await state.send("one");
  await state.send("@ada two");
  await state.clock.advance(100);
  await state.send("@ada three");
  expect(told(state, "ada")).toEqual([[], [], ["bob> bob: one"]]);
});

test("[S50] messages queued for a member are delivered as messages, not passed on as context", async () => {
  const slow: Behaviour = { script: () => [{ wait: 100 }] };
  const state = await startSession({ ada: slow, bob: named("bob") });
  await state.send("@ada busy");
  await state.send("both");
  await state.clock.advance(100);
  expect(state.agents.last("ada").inputs.map(({ text }) => text)).toEqual(["busy", "both"]);
  expect(told(state, "ada")).toEqual([[], ["bob> bob: both"]]);
  await state.clock.advance(100);
  await state.send("@ada more");
  expect(told(state, "ada")).toEqual([[], ["bob> bob: both"], []]);
});

test("[S51] partial text of an interrupted turn is passed on; empty and open turns are not", async () => {
  const cut: Behaviour = { script: () => [{ type: "text_delta", text: "half" }, { hang: true }] };
  const silent: Behaviour = { script: () => [{ end: "errored", reason: "no network" }] };
  const state = await startSession({ ada: named("ada"), bob: cut, cyd: silent, dan: cut });
  await state.send("@bob @cyd @dan go");
  await state.command({ type: "interrupt", scope: "member", member: "bob" });
  await state.send("@ada and you?");
  expect(told(state, "ada")).toEqual([["you> go", "bob> half"]]);
});

test("[S51] a new member gets the whole conversation since the last clear", async () => {
  const state = await startSession(
    { ada: named("ada"), bob: named("bob"), cyd: named("cyd") },
    { members: ["ada", "bob"] },
  );
  await state.send("one");
  await state.command({ type: "add_member", spec: { name: "cyd", kind: "embedded" } });
  await state.send("@cyd two");
  expect(told(state, "cyd")).toEqual([["you> one", "ada> ada: one", "bob> bob: one"]]);
  const { transcript } = state.session;
  const envelope = { seq: transcript.head.seq + 1, epoch: 1, id: "clear", ts: 0, sessionId: transcript.head.sessionId };
  const cleared = reduce(transcript, { ...envelope, type: "session_clear" });
  const query = { member: "cyd", messages: [], replaces: state.agents.last("cyd").inputs[0]!.turnId };
  expect(missedBy(transcript, query).messages.map(short)).toEqual(["you> one", "ada> ada: one", "bob> bob: one"]);
  expect(missedBy(cleared, query)).toEqual({ messages: [], cut: 0, fromSeq: 0, toSeq: 0 });
});

test("a retry gets the same context as the turn it replaces", async () => {
  const failing: Behaviour = { script: (_, turn) => (turn === 2 ? [{ end: "errored", reason: "no network" }] : []) };
  const state = await startSession({ ada: failing, bob: named("bob") });
  await state.send("@ada zero");
  await state.send("@bob one");
  await state.send("two");
  await state.command({ type: "retry", member: "ada" });
  await state.clock.advance(0);
  await state.send("@ada three");
  const before = ["you> one", "bob> bob: one"];
  expect(told(state, "ada")).toEqual([[], before, before, ["bob> bob: two"]]);
});

const WINDOW = 40_000;
const ROOM = Math.floor(WINDOW * WINDOW_FILL_MAX * BYTES_PER_TOKEN);
const knows: AgentEvent = { type: "context_update", used: 0, window: WINDOW, measured: true };

test("[S53] the newest entries up to 80 % of the window are passed on; the rest is counted and summarised", async () => {
  const ada: Behaviour = { script: ({ text }) => [knows, { type: "text_delta", text: `ada: ${text}` }] };
  const state = await startSession({ ada, bob: { script: () => [{ type: "text_delta", text: "hm" }] } });
  await state.send("@ada hello");
  const long = "x".repeat(Math.floor(ROOM / 4));
  for (let at = 0; at < 6; at += 1) await state.send(`@bob ${at}\nmore ${long}`);
  await state.send("@ada now");
  const [, input] = state.agents.last("ada").inputs;
  const told = input?.missed?.filter(({ speaker }) => speaker.kind === "user");
  expect(told?.map(({ text }) => text[0])).toEqual(["3", "4", "5"]);
  expect(input?.missedCut).toBe(input?.leftOut?.entries);
  expect(input?.leftOut).toEqual({
    entries: 5,
    older: 0,
    bySpeaker: [
      { name: undefined, entries: 3 },
      { name: "bob", entries: 2 },
    ],
    firstLines: ["0", "hm", "1", "hm", "2"].map((text) => ({
      speaker: text === "hm" ? { kind: "member", name: "bob" } : { kind: "user" },
      text,
    })),
  });
  const start = state.events("turn_start").findLast((event) => event.member === "ada");
  const third = state.events("turn_end").filter((event) => event.member === "bob")[2];
  expect(start?.given?.fromSeq).toBe(third?.seq);
});

test("[S53] an oversized entry is truncated with a mark, and nothing is repeated", async () => {
  const ada: Behaviour = { script: () => [knows] };
  const state = await startSession({ ada, bob: { script: () => [] } });
  await state.send("@ada hello");
  await state.send(`@bob 6${"\u0001".repeat(ROOM)}`);
  await state.send("@ada again");
  const [, next] = state.agents.last("ada").inputs;
  const [only] = next?.missed ?? [];
  expect([next?.missed?.length, next?.missedCut, only?.text.slice(-4)]).toEqual([1, undefined, " […]"]);
  expect(encodedBytes(only?.text ?? "")).toBeLessThanOrEqual(ROOM);
  await state.send("@ada nothing more");
  expect(state.agents.last("ada").inputs[2]?.missed).toBeUndefined();
});

test("[S53] only messages in memory are passed on; evicted pages are not read again", async () => {
  const state = await startSession({ ada: named("ada"), bob: { script: () => [] } });
  for (let at = 0; at < PAGE_SIZE * (PAGES_RETAINED + 2); at += 1) await state.send(`@bob ${at}`);
  await state.session.close();
  const reopened = await state.reopen();
  const absent = reopened.session.transcript.frozen.filter((page) => page === undefined).length;
  expect(absent).toBeGreaterThan(0);
  const { transcript } = reopened.session;
  const messages = transcript.live.at(-1)?.messages.filter((one) => one.kind === "user") ?? [];
  // A client has asked for an old page meanwhile: that must not change what a member is told.
  const strange = transcript.frozen.with(0, { index: 0, messages });
  expect(messages.length).toBeGreaterThan(0);
  const query = { member: "ada", messages: [] };
  expect(missedBy({ ...transcript, frozen: strange }, query)).toEqual(missedBy(transcript, query));
  await reopened.send("@ada now");
  const [received = []] = told(reopened, "ada");
  expect(received.at(-1)).toBe(`you> ${PAGE_SIZE * (PAGES_RETAINED + 2) - 1}`);
  const first = Number(received[0]?.split(" ").at(1));
  expect(first).toBeGreaterThanOrEqual((absent * PAGE_SIZE) / 2 - 1);
});

test("[S120] an agent without context of its own gets the whole conversation every time, its own text included", async () => {
  const forgetful: Behaviour = { ...named("ada"), capabilities: { keepsContext: false } };
  const state = await startSession({ ada: forgetful, bob: named("bob") });
  await state.send("one");
  await state.send("@ada two");
  const first = ["you> one", "ada> ada: one", "bob> bob: one"];
  expect(told(state, "ada")).toEqual([[], first]);
  await state.send("@ada three");
  expect(told(state, "ada").at(-1)).toEqual([...first, "you> two", "ada> ada: two"]);
});

test("[S120] so does an agent that was recreated without a session to resume", async () => {
  const state = await startSession({ ada: named("ada"), bob: named("bob") });
  await state.send("@ada one");
  await state.session.close();
  const reopened = await state.reopen();
  await reopened.send("@ada two");
  await reopened.send("@ada three");
  expect(told(reopened, "ada")).toEqual([["you> one", "ada> ada: one"], []]);
});

test("the system prompt names the other members and what may be changed, without contradictions", async () => {
  const briefOf = async (members: Parameters<typeof startSession>[0], writable: boolean) => {
    const state = await startSession(members, { settings: { writable } });
    await state.send("one");
    return state.agents.last("ada").inputs[0]?.systemPrompt ?? "";
  };
  const [alone, several] = [{ ada: {} }, { ada: {}, bob: {} }];
  const cases = [
    [await briefOf(alone, false), "the only agent", "read-only"],
    [await briefOf(alone, true), "the only agent", "writable"],
    [await briefOf(several, false), "one of several agents", "read-only"],
    [await briefOf(several, true), "one of several agents", "writable"],
  ] as const;
  for (const [systemPrompt, place, access] of cases) {
    expect([systemPrompt.includes("the only agent"), systemPrompt.includes("one of several")]).toEqual(
      place === "the only agent" ? [true, false] : [false, true],
    );
    expect([systemPrompt.includes("do not change files"), systemPrompt.includes("you may change files")]).toEqual(
      access === "read-only" ? [true, false] : [false, true],
    );
  }
});

test("[S121] the system prompt is sent with the first turn, and again only when it changed or the agent lost it", async () => {
  const native: AgentEvent = { type: "member_session", nativeSessionId: "n1" };
  const state = await startSession(
    { ada: { script: () => [native] }, bob: { capabilities: { keepsContext: false } } },
    { settings: { preamble: "Be kind.", prompt: "We plan." } },
  );
  await state.send("one");
  await state.send("two");
  const briefs = (member: string) => state.agents.last(member).inputs.map((input) => input.systemPrompt !== undefined);
  expect([briefs("ada"), briefs("bob")]).toEqual([
    [true, false],
    [true, true],
  ]);
  const [input] = state.agents.last("ada").inputs;
  expect(input?.systemPrompt?.split("\n\n").slice(0, 2)).toEqual(["Be kind.", "We plan."]);
  expect(input?.systemPrompt).toContain(
    "You are ada, one of several agents who work with one user; the others are bob.",
  );
  expect(input?.systemPrompt).toContain('answer only "Nothing to add."');
  expect(input?.self).toBe("ada");
  await state.command({ type: "set_settings", settings: { preamble: "Be brief." } });
  await state.send("three");
  expect(state.agents.last("ada").inputs.at(-1)?.systemPrompt?.startsWith("Be brief.")).toBe(true);
  await state.session.close();
  const reopened = await state.reopen();
  await reopened.send("four");
  expect(reopened.agents.last("ada").inputs.map((one) => one.systemPrompt !== undefined)).toEqual([false]);
  const hashes = reopened.events("turn_start").filter((event) => event.member === "ada");
  expect(hashes.map((event) => event.brief !== undefined)).toEqual([true, false, true, false]);
});

test("at most LEFT_OUT_LINES_MAX omitted entries are listed by their first line, and older pages are counted", async () => {
  const state = await startSession({ ada: { script: () => [knows] }, bob: { script: () => [] } });
  await state.send("@ada hello");
  for (let at = 0; at < LEFT_OUT_LINES_MAX + 5; at += 1) await state.send(`@bob ${at}`);
  await state.send(`@bob ${"y".repeat(ROOM - 8)}`);
  await state.send("@ada now");
  const { leftOut } = state.agents.last("ada").inputs[1]!;
  expect(leftOut?.firstLines.length).toBe(LEFT_OUT_LINES_MAX);
  expect(leftOut?.firstLines[0]?.text).toBe("0");
  expect(leftOut?.entries).toBeGreaterThan(LEFT_OUT_LINES_MAX);
});
