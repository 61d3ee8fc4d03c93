import { expect, test } from "vitest";
import { empty, fold, findQuestion, isAnswered, isLeftToOthers } from "../../transcript/index.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { answersTo } from "./answers.ts";

const MEMBERS = ["ada", "bob"];
/** Another client's question occupies ada; ours is steered into that turn and starts one of bob's. */
const asked: EventDraft[] = [
  created(),
  ...MEMBERS.map((member) => joined(member)),
  said("theirs", ["ada"]),
  started("t1", "ada", { messageIds: ["theirs"], rootMessageId: "theirs" }),
  said("ours", MEMBERS, { clientMessageId: "c1" }),
  { type: "steering", turnId: "t1", member: "ada", messageId: "ours" },
  started("t2", "bob", { messageIds: ["ours"], rootMessageId: "ours" }),
];

test("leaves a request to other clients when it belongs to no open turn that this run started, steered turns included", () => {
  const answered = (member: string): EventDraft => ({
    type: "message_delivery",
    messageId: "ours",
    member,
    state: "answered",
  });
  const stages: EventDraft[][] = [
    [],
    [ended("t2", "bob", { outcome: "interrupted" }), answered("bob")],
    [ended("t1", "ada"), answered("ada")],
  ];
  const states = stages.map((_, at) => {
    const transcript = fold(empty("session"), stamped([...asked, ...stages.slice(0, at + 1).flat()]));
    const question = findQuestion(transcript, "c1");
    if (question === undefined) throw new Error("the question is not there");
    return { isLeft: isLeftToOthers(transcript, question), isAnswered: isAnswered(transcript, question) };
  });
  expect(states).toEqual([
    { isLeft: false, isAnswered: false },
    { isLeft: true, isAnswered: false },
    { isLeft: true, isAnswered: true },
  ]);
});

test("leaves a round without a contribution out of the answer and lists it beside it", () => {
  const turn = (turnId: string, member: string, round: number, text: string): EventDraft[] => [
    started(turnId, member, { messageIds: ["ours"], rootMessageId: "ours", round }),
    { type: "text_delta", turnId, member, segmentId: turnId, text },
    ended(turnId, member),
  ];
  const drafts = [
    created(),
    ...MEMBERS.map((member) => joined(member)),
    said("ours", MEMBERS, { clientMessageId: "c1" }),
    ...turn("t1", "ada", 1, "It is in the log."),
    ...turn("t2", "bob", 1, "Nothing to add."),
    ...turn("t3", "ada", 2, "Nothing to add."),
    ...turn("t4", "bob", 2, "Line 7 is wrong."),
    ...turn("t5", "ada", 3, "Bob is right about line 7."),
    ...turn("t6", "bob", 3, "I have nothing more to add."),
    ...turn("t7", "ada", 4, "Nothing to add."),
  ];
  const transcript = fold(empty("session"), stamped(drafts));
  const question = findQuestion(transcript, "c1");
  if (question === undefined) throw new Error("the question is not there");
  expect(answersTo(transcript, question)).toEqual([
    {
      member: "ada",
      outcome: "completed",
      text: "It is in the log.\n\nBob is right about line 7.",
      turns: 4,
      quietRounds: [2, 4],
      durationMs: 4000,
    },
    {
      member: "bob",
      outcome: "completed",
      text: "Nothing to add.\n\nLine 7 is wrong.",
      turns: 3,
      quietRounds: [3],
      durationMs: 3000,
    },
  ]);
});
