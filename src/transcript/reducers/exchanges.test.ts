import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import type { TurnMessage } from "../messages.ts";
import { fold } from "../fold.ts";
import { keyedBlocks } from "../selectors/turn.ts";
import { loadedMessages, turnById, answeringTurn, exchangeTools, subagentTree } from "../selectors/messages.ts";

const play = (...drafts: EventDraft[]) =>
  fold(empty("session"), stamped([created(), joined("claude"), started("t1", "claude"), ...drafts]));
const blocks = (...drafts: EventDraft[]) => (turnById(play(...drafts), "t1") as TurnMessage).blocks;
const asked: EventDraft = {
  type: "agent_message",
  agentExchangeId: "x1",
  member: "claude",
  to: "codex",
  text: "Can you?",
  wait: false,
};
const answered: EventDraft = {
  type: "agent_callback_result",
  agentExchangeId: "x1",
  member: "codex",
  ok: true,
  text: "I can.",
};
const spawned: EventDraft = {
  type: "subagent_spawned",
  turnId: "t1",
  member: "claude",
  subagentTurnId: "t2",
  name: "helper",
  task: "Look.",
  depth: 1,
};
const returned: EventDraft = {
  type: "subagent_result",
  turnId: "t1",
  member: "claude",
  subagentTurnId: "t2",
  outcome: "completed",
  text: "Found.",
};

test("a question to another member is in the asker's open turn, with its answer once there is one", () => {
  const question = { kind: "exchange", agentExchangeId: "x1", to: "codex", text: "Can you?", wait: false };
  expect(blocks({ ...asked, turnId: "t1" })).toStrictEqual([question]);
  expect(blocks(asked, answered)).toStrictEqual([{ ...question, answer: { ok: true, text: "I can." } }]);
  expect(blocks(asked, ended("t1", "claude"), answered)).toStrictEqual([
    { ...question, answer: { ok: true, text: "I can." } },
  ]);
});

test("a question without an open turn, an answer without its question and a second answer are notices", () => {
  const transcript = play(ended("t1", "claude"), asked, answered);
  expect([...loadedMessages(transcript)].map((message) => message.kind)).toStrictEqual(["turn", "notice", "notice"]);
  expect([...loadedMessages(play(asked, answered, answered))].map((message) => message.kind)).toStrictEqual([
    "turn",
    "notice",
  ]);
});

test("a subagent is in its parent's turn, with its outcome once it is back, also after the parent ended", () => {
  const sent = { kind: "subagent", subagentTurnId: "t2", name: "helper", task: "Look." };
  expect(blocks(spawned)).toStrictEqual([sent]);
  expect(blocks(spawned, ended("t1", "claude"), returned)).toStrictEqual([
    { ...sent, outcome: "completed", text: "Found." },
  ]);
  expect(blocks(returned)).toMatchObject([{ kind: "event", event: { type: "subagent_result" } }]);
});

test("[T41] the subagent tree has every turn below a turn, by parentTurnId, oldest first", () => {
  const child = (turnId: string, parentTurnId: string, depth: number) =>
    started(turnId, "claude", { cause: "subagent", parentTurnId, depth });
  const transcript = play(
    child("t2", "t1", 1),
    child("t3", "t2", 2),
    started("t4", "codex"),
    child("t5", "t1", 1),
    ended("t2", "claude"),
  );
  const tree = subagentTree(transcript, "t1");
  expect(tree?.turn.turnId).toBe("t1");
  expect(
    tree?.children.map((node) => [node.turn.turnId, node.children.map((inner) => inner.turn.turnId)]),
  ).toStrictEqual([
    ["t2", ["t3"]],
    ["t5", []],
  ]);
  expect(subagentTree(transcript, "unknown")).toBeUndefined();
});

test("[T41] a log that names a cycle of parents still has a finite tree", () => {
  const transcript = play(
    started("t2", "claude", { parentTurnId: "t2", depth: 1 }),
    started("t3", "claude", { parentTurnId: "t4", depth: 1 }),
    started("t4", "claude", { parentTurnId: "t3", depth: 1 }),
  );
  expect(subagentTree(transcript, "t2")?.children).toStrictEqual([]);
  expect(subagentTree(transcript, "t3")?.children.map((node) => node.children)).toStrictEqual([[]]);
});

const calls: EventDraft = {
  type: "tool_call_start",
  turnId: "t1",
  member: "claude",
  toolCallId: "c1",
  name: "agents_message",
  args: { to: "codex", text: "Can you?" },
};

test("[T80] the block of an exchange leads to the turn that answers it and to the calls made there", () => {
  const transcript = play(
    asked,
    started("t2", "codex", { cause: "exchange", depth: 1, parentTurnId: "t1", agentExchangeId: "x1" }),
    { ...calls, turnId: "t2", member: "codex", toolCallId: "c2", name: "read" },
  );
  const block = turnById(transcript, "t1")?.blocks.find((one) => one.kind === "exchange");
  expect(block).toMatchObject({ agentExchangeId: "x1", answerTurnId: "t2" });
  expect(block === undefined ? [] : exchangeTools(transcript, block).map((tool) => tool.name)).toEqual(["read"]);
  expect(block === undefined ? undefined : answeringTurn(transcript, block)?.agentExchangeId).toBe("x1");
});

test("[T80] a turn in which the asker is told the answer is not the one that answers", () => {
  const told = started("t3", "claude", { cause: "exchange", parentTurnId: "t1", agentExchangeId: "x1" });
  const transcript = play(asked, ended("t1", "claude"), answered, told);
  expect(turnById(transcript, "t1")?.blocks).toMatchObject([{ kind: "exchange" }]);
  expect(turnById(transcript, "t1")?.blocks[0]).not.toHaveProperty("answerTurnId");
});

test("the call that asked a member knows its exchange, which is shown instead of it", () => {
  const question: EventDraft = { ...asked, turnId: "t1", toolCallId: "c1" };
  const result: EventDraft = {
    type: "tool_result",
    turnId: "t1",
    member: "claude",
    toolCallId: "c1",
    ok: true,
    result: "I can.",
  };
  const other: EventDraft = { ...calls, toolCallId: "c2", name: "read" };
  const shown = blocks(calls, other, question, answered, result);
  expect(shown).toMatchObject([
    { kind: "tool", toolCallId: "c1", agentExchangeId: "x1", state: "agent-callback" },
    { kind: "tool", toolCallId: "c2" },
    { kind: "exchange", toolCallId: "c1" },
  ]);
  expect(keyedBlocks(shown).map(({ key }) => key)).toEqual(["tool c2/0", "exchange x1/0"]);
});

test("a member that answers another has seen its context; a subagent's turn does not mark its sender's", () => {
  const given = { fromSeq: 1, toSeq: 4 };
  const seen = (cause: "exchange" | "subagent") =>
    play(joined("codex"), started("t2", "codex", { cause, depth: 1, given })).head.members["codex"]?.seenSeq;
  expect([seen("exchange"), seen("subagent")]).toEqual([4, 0]);
});
