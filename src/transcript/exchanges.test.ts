import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import type { EventDraft } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import type { TurnMessage } from "./model.ts";
import { fold } from "./fold.ts";
import { loadedMessages, turnById } from "./selectors-messages.ts";
import { subagentTree } from "./selectors-subagents.ts";

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

test("[T39] a question to another member is in the asker's open turn, with its answer once there is one", () => {
  const question = { kind: "exchange", agentExchangeId: "x1", to: "codex", text: "Can you?" };
  expect(blocks({ ...asked, turnId: "t1" })).toStrictEqual([question]);
  expect(blocks(asked, answered)).toStrictEqual([{ ...question, answer: { ok: true, text: "I can." } }]);
  expect(blocks(asked, ended("t1", "claude"), answered)).toStrictEqual([
    { ...question, answer: { ok: true, text: "I can." } },
  ]);
});

test("[T39] a question without an open turn, an answer without its question and a second answer are notices", () => {
  const transcript = play(ended("t1", "claude"), asked, answered);
  expect([...loadedMessages(transcript)].map((message) => message.kind)).toStrictEqual(["turn", "notice", "notice"]);
  expect([...loadedMessages(play(asked, answered, answered))].map((message) => message.kind)).toStrictEqual([
    "turn",
    "notice",
  ]);
});

test("[T40] a subagent is in its parent's turn, with its outcome once it is back, also after the parent ended", () => {
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
