import { expect, test } from "vitest";
import type { AgentEvent } from "../../agents/index.ts";
import { empty, fold, subagentTree, turnText, type TurnMessage } from "../../transcript/index.ts";
import { createDisk } from "../../../test/session/memory-log.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { reopenOn, startSession, type SessionRun } from "../../../test/session/session-run.ts";
import { checkLog } from "../../../test/session/session-checker.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { SUBAGENTS_OPEN_MAX } from "../limits.ts";

const inside = (subagentId: string, event: AgentEvent): AgentEvent => ({ type: "subagent_event", subagentId, event });
const says = (text: string): AgentEvent => ({ type: "text_delta", text });
const start = (subagentId: string, nativeToolId?: string): AgentEvent => ({
  type: "subagent_start",
  subagentId,
  name: `name of ${subagentId}`,
  task: "look",
  ...(nativeToolId === undefined ? {} : { nativeToolId }),
});
const done = (subagentId: string, text = "found"): AgentEvent => ({
  type: "subagent_done",
  subagentId,
  outcome: "completed",
  usage: { inputTokens: 2, outputTokens: 1 },
  text,
});
const call: AgentEvent = { type: "tool_call_start", nativeId: "n", name: "spawn_subagent", args: {} };
const script = (...steps: Step[]): Behaviour => ({ script: () => steps });

/** A turn with two subagents, one of which starts another and asks the user. */
const busy: Step[] = [
  says("I send two. "),
  call,
  start("a", "n"),
  start("b", "n"),
  inside("a", says("a looks")),
  inside("a", { type: "tool_call_start", nativeId: "n", name: "read", args: null }),
  inside("b", says("b looks")),
  inside("a", { type: "tool_result", nativeId: "n", ok: true, result: "text" }),
  inside("b", { type: "tool_call_start", nativeId: "m", name: "spawn_subagent", args: {} }),
  inside("b", start("c", "m")),
  inside("b", inside("c", says("c looks"))),
  inside("b", inside("c", { type: "request", callId: "q", request: { method: "confirm", title: "?", message: "?" } })),
];
const turns = (state: SessionRun): TurnMessage[] =>
  state.session.transcript.live
    .flatMap((page) => page.messages)
    .flatMap((message) =>
      message.kind === "turn"
        ? [message]
        : message.kind === "open-turn"
          ? [state.session.transcript.head.openTurns[message.turnId]!]
          : [],
    );
const isFoldOfItsLog = (state: SessionRun): void =>
  expect(fold(empty(state.session.sessionId), state.all())).toEqual(state.session.transcript);

test("[S86] a subagent has a turn of its own in the log, under its parent, with depth, call and name", async () => {
  const state = await startSession({
    ada: script(
      ...busy,
      { untilAnswer: "q" },
      inside("b", done("c", "c's report")),
      inside("b", { type: "tool_result", nativeId: "m", ok: true, result: "c's report" }),
      done("b"),
      done("a", "a's report"),
      { type: "tool_result", nativeId: "n", ok: true, result: "both" },
      says("Done."),
    ),
  });
  await state.send("go");
  const { requestId, turnId: asker } = state.events("ui_request")[0]!;
  await state.command({ type: "answer", requestId, result: true });
  await settle();
  checkLog(state.all(), { settled: true });
  isFoldOfItsLog(state);
  const [own, a, b, c] = turns(state);
  const rootMessageId = own?.rootMessageId;
  const { toolCallId } = state.events("tool_call_start")[0]!;
  const sub = { member: "ada", cause: "subagent", messageIds: [], rootMessageId };
  expect(turns(state)).toMatchObject([
    { member: "ada", depth: 0, end: { outcome: "completed" } },
    { ...sub, depth: 1, parentTurnId: own?.turnId, toolCallId },
    { ...sub, depth: 1, parentTurnId: own?.turnId, toolCallId },
    { ...sub, depth: 2, parentTurnId: b?.turnId },
  ]);
  expect([own, a, b, c].map((turn) => turnText(turn!))).toEqual([
    "I send two. \n\nDone.",
    "a looks",
    "b looks",
    "c looks",
  ]);
  expect(asker).toBe(c?.turnId);
  expect(own?.blocks.filter((block) => block.kind === "subagent")).toEqual([
    {
      kind: "subagent",
      subagentTurnId: a?.turnId,
      name: "name of a",
      task: "look",
      outcome: "completed",
      text: "a's report",
    },
    {
      kind: "subagent",
      subagentTurnId: b?.turnId,
      name: "name of b",
      task: "look",
      outcome: "completed",
      text: "found",
    },
  ]);
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: true, error: null } }]);
  expect(state.session.transcript.head.totals).toMatchObject({ turns: 4, inputTokens: 6, outputTokens: 3 });
  expect(subagentTree(state.session.transcript, own?.turnId ?? "")).toBeDefined();
});

test("[S87] an interrupt ends the whole tree, the deepest first, and cancels what it asks", async () => {
  const state = await startSession({ ada: script(...busy, { hang: true }) });
  await state.send("go");
  await state.command({ type: "interrupt", scope: "all" });
  await settle();
  checkLog(state.all(), { settled: true });
  isFoldOfItsLog(state);
  const [own, a, b, c] = turns(state).map((turn) => turn.turnId);
  expect(state.events("turn_end").map(({ turnId, outcome }) => [turnId, outcome])).toEqual([
    [a, "interrupted"],
    [c, "interrupted"],
    [b, "interrupted"],
    [own, "interrupted"],
  ]);
  expect(state.events("ui_cancelled").map((event) => event.reason)).toEqual(["cancelled"]);
  expect(state.events("subagent_result").map((event) => event.outcome)).toEqual([
    "interrupted",
    "interrupted",
    "interrupted",
  ]);
});

test("[S87] a subagent left open ends with its parent, and its later output is dropped", async () => {
  const state = await startSession({ ada: script(call, start("a", "n"), inside("a", says("on"))) });
  await state.send("go");
  checkLog(state.all(), { settled: true });
  expect(state.events("turn_end").map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["interrupted", "parent_ended"],
    ["completed", undefined],
  ]);
  isFoldOfItsLog(state);
});

test("[S88] wherever the log is cut, opening it settles every subagent once, before its parent", async () => {
  const state = await startSession({ ada: script(...busy, { hang: true }) });
  await state.send("go");
  const events = state.all();
  const from = events.findIndex((event) => event.type === "turn_start");
  for (let cut = from + 1; cut <= events.length; cut++) {
    const disk = createDisk();
    disk.events.push(...events.slice(0, cut));
    const again = await reopenOn(disk, {});
    checkLog(again.all(), { settled: true });
    isFoldOfItsLog(again);
    const spawned = again.events("subagent_spawned").map((event) => event.subagentTurnId);
    expect(
      again
        .events("subagent_result")
        .map((event) => event.subagentTurnId)
        .sort(),
    ).toEqual(spawned.sort());
    await again.session.close();
  }
});

test("too many subagents, a duplicate id and output of an unknown subagent cause a warning and nothing else", async () => {
  const many = Array.from({ length: SUBAGENTS_OPEN_MAX + 1 }, (_, at) => start(`s${at}`));
  const state = await startSession({
    ada: script(
      ...many,
      start("s0"),
      inside("nobody", says("hi")),
      done("nobody"),
      done("s1"),
      done("s1"),
      inside("s1", says("late")),
    ),
  });
  await state.send("go");
  checkLog(state.all(), { settled: true });
  expect(state.events("warning").map((event) => event.message)).toEqual([
    `Subagent "name of s${SUBAGENTS_OPEN_MAX}" is not shown: ${SUBAGENTS_OPEN_MAX} are already running.`,
    'Subagent "name of s0" is not shown: its id is already in use.',
  ]);
  expect(state.events("subagent_result")).toHaveLength(SUBAGENTS_OPEN_MAX);
});
