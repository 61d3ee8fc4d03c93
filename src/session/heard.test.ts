import { expect, test } from "vitest";
import { seat, type Seated } from "../../test/session/seated-session.ts";
import type { Behaviour } from "../../test/session/scripted-agent.ts";
import type { TurnInput } from "../agents/index.ts";
import { PAGE_SIZE, reduce } from "../transcript/index.ts";
import { encodedBytes } from "./encoded-size.ts";
import { missedBy } from "./heard.ts";
import { HEARD_BYTES_MAX, PAGES_KEPT } from "./limits.ts";

/** Says what it was asked, with its name before it. */
function named(name: string): Behaviour {
  return { script: ({ text }) => [{ type: "text_delta", text: `${name}: ${text}` }] };
}

/** What a member was told beside what it was asked, one entry a turn. */
function told(table: Seated, member: string): (readonly string[])[] {
  return table.agents
    .of(member)
    .flatMap((agent) => agent.inputs)
    .map(({ heard = [] }) => heard.map(short));
}

function short({ speaker, text }: NonNullable<TurnInput["heard"]>[number]): string {
  return `${speaker.kind === "user" ? "you" : speaker.name}> ${text}`;
}

test("[S50] a turn is told what others said and what others were asked since its member was last given anything", async () => {
  const table = await seat({ ada: named("ada"), bob: named("bob") });
  await table.say("one");
  await table.say("@bob two");
  await table.say("@bob three");
  await table.say("four");
  expect(told(table, "ada")).toEqual([
    [],
    ["bob> bob: one", "you> two", "bob> bob: two", "you> three", "bob> bob: three"],
  ]);
  expect(told(table, "bob")).toEqual([[], ["ada> ada: one"], [], []]);
  expect(table.agents.last("ada").inputs.map(({ text, round }) => [text, round])).toEqual([
    ["one", 1],
    ["four", 1],
  ]);
  expect(table.agents.last("bob").inputs.map(({ round }) => round)).toEqual([1, undefined, undefined, 1]);
});

test("[S50] nothing is told twice: what a member overheard counts as given to it, also after a restart", async () => {
  const table = await seat({ ada: named("ada"), bob: named("bob") });
  await table.say("@bob one");
  await table.say("@ada two");
  const [, second] = table.events("turn_start");
  const end = table.events("turn_end")[0]!;
  const asked = table.events("user_message")[1]!;
  expect(second?.given).toEqual({ fromSeq: asked.seq, toSeq: Math.max(asked.seq, end.seq) });
  await table.say("@ada three");
  await table.session.close();
  const reopened = await table.reopen();
  await reopened.say("@ada four");
  expect(told(table, "ada")).toEqual([["you> one", "bob> bob: one"], []]);
  expect(told(reopened, "ada")).toEqual([[]]);
});

test("[S50] what ends while a member speaks is told to it with its next turn", async () => {
  const slow: Behaviour = { script: ({ text }) => [{ wait: 100 }, { type: "text_delta", text: `bob: ${text}` }] };
  const table = await seat({ ada: named("ada"), bob: slow });
  await table.say("one");
  await table.say("@ada two");
  await table.clock.advance(100);
  await table.say("@ada three");
  expect(told(table, "ada")).toEqual([[], [], ["bob> bob: one"]]);
});

test("[S50] messages that wait for a member are asked of it, never overheard by it", async () => {
  const slow: Behaviour = { script: () => [{ wait: 100 }] };
  const table = await seat({ ada: slow, bob: named("bob") });
  await table.say("@ada busy");
  await table.say("both");
  await table.clock.advance(100);
  expect(table.agents.last("ada").inputs.map(({ text }) => text)).toEqual(["busy", "both"]);
  expect(told(table, "ada")).toEqual([[], ["bob> bob: both"]]);
  await table.clock.advance(100);
  await table.say("@ada more");
  expect(told(table, "ada")).toEqual([[], ["bob> bob: both"], []]);
});

test("[S51] an interrupted turn is told as far as it was said; an empty or open one is not", async () => {
  const cut: Behaviour = { script: () => [{ type: "text_delta", text: "half" }, { hang: true }] };
  const silent: Behaviour = { script: () => [{ end: "errored", reason: "no network" }] };
  const table = await seat({ ada: named("ada"), bob: cut, cyd: silent, dan: cut });
  await table.say("@bob @cyd @dan go");
  await table.command({ type: "interrupt", scope: "member", member: "bob" });
  await table.say("@ada and you?");
  expect(told(table, "ada")).toEqual([["you> go", "bob> half"]]);
});

test("[S51] a newcomer is told the whole conversation; after a clear nothing from before it", async () => {
  const table = await seat({ ada: named("ada"), bob: named("bob"), cyd: named("cyd") }, { members: ["ada", "bob"] });
  await table.say("one");
  await table.command({ type: "add_member", spec: { name: "cyd", kind: "embedded" } });
  await table.say("@cyd two");
  expect(told(table, "cyd")).toEqual([["you> one", "ada> ada: one", "bob> bob: one"]]);
  const { transcript } = table.session;
  const envelope = { seq: transcript.head.seq + 1, epoch: 1, id: "clear", ts: 0, sessionId: transcript.head.sessionId };
  const cleared = reduce(transcript, { ...envelope, type: "session_clear" });
  const asking = { member: "cyd", messages: [], replaces: table.agents.last("cyd").inputs[0]!.turnId };
  expect(missedBy(transcript, asking).heard.map(short)).toEqual(["you> one", "ada> ada: one", "bob> bob: one"]);
  expect(missedBy(cleared, asking)).toEqual({ heard: [], cut: 0, toSeq: 0 });
});

test("[S52] a retry is told what the turn it replaces was told, and nothing since", async () => {
  const failing: Behaviour = { script: (_, turn) => (turn === 2 ? [{ end: "errored", reason: "no network" }] : []) };
  const table = await seat({ ada: failing, bob: named("bob") });
  await table.say("@ada zero");
  await table.say("@bob one");
  await table.say("two");
  await table.command({ type: "retry", member: "ada" });
  await table.clock.advance(0);
  await table.say("@ada three");
  const before = ["you> one", "bob> bob: one"];
  expect(told(table, "ada")).toEqual([[], before, before, ["bob> bob: two"]]);
});

test("[S53] the newest 64 KiB are told and older entries counted; one that is larger alone is shortened with a mark", async () => {
  const table = await seat({ ada: named("ada"), bob: { script: () => [] } });
  const long = "x".repeat(HEARD_BYTES_MAX / 4);
  for (let at = 0; at < 6; at += 1) await table.say(`@bob ${at}${long}`);
  await table.say("@ada now");
  const [input] = table.agents.last("ada").inputs;
  expect(input?.heard?.map(({ text }) => text[0])).toEqual(["3", "4", "5"]);
  expect(input?.heardCut).toBe(3);
  await table.say(`@bob 6${"\u0001".repeat(HEARD_BYTES_MAX / 4)}`);
  await table.say("@ada again");
  const [, next] = table.agents.last("ada").inputs;
  const [only] = next?.heard ?? [];
  expect([next?.heard?.length, next?.heardCut, only?.text.slice(-4)]).toEqual([1, undefined, " […]"]);
  expect(encodedBytes(only?.text ?? "")).toBeLessThanOrEqual(HEARD_BYTES_MAX + 2);
  await table.say("@ada nothing more");
  expect(table.agents.last("ada").inputs[2]?.heard).toBeUndefined();
});

test("[S53] only what is in memory is told: pages that have left it are not read again", async () => {
  const table = await seat({ ada: named("ada"), bob: { script: () => [] } });
  for (let at = 0; at < PAGE_SIZE * (PAGES_KEPT + 2); at += 1) await table.say(`@bob ${at}`);
  await table.session.close();
  const reopened = await table.reopen();
  const absent = reopened.session.transcript.frozen.filter((page) => page === undefined).length;
  expect(absent).toBeGreaterThan(0);
  const { transcript } = reopened.session;
  const messages = transcript.live.at(-1)?.messages.filter((one) => one.kind === "user") ?? [];
  // A client has asked for an old page meanwhile: that must not change what a member is told.
  const strange = transcript.frozen.with(0, { index: 0, messages });
  expect(messages.length).toBeGreaterThan(0);
  const asking = { member: "ada", messages: [] };
  expect(missedBy({ ...transcript, frozen: strange }, asking)).toEqual(missedBy(transcript, asking));
  await reopened.say("@ada now");
  const [heard = []] = told(reopened, "ada");
  expect(heard.at(-1)).toBe(`you> ${PAGE_SIZE * (PAGES_KEPT + 2) - 1}`);
  const first = Number(heard[0]?.split(" ").at(1));
  expect(first).toBeGreaterThanOrEqual((absent * PAGE_SIZE) / 2 - 1);
});
