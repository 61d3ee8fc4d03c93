import { expect, test } from "vitest";
import { empty, fold } from "../../transcript/index.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { findQuestion, isAnswered, isLeftToOthers } from "./answers.ts";

const MEMBERS = ["ada", "bob"];
/** Somebody else's question occupies ada; ours is steered into that turn and starts one of bob's. */
const asked: EventDraft[] = [
  created(),
  ...MEMBERS.map((member) => joined(member)),
  said("theirs", ["ada"]),
  started("t1", "ada", { messageIds: ["theirs"], rootMessageId: "theirs" }),
  said("ours", MEMBERS, { clientMessageId: "c1" }),
  { type: "steering", turnId: "t1", member: "ada", messageId: "ours" },
  started("t2", "bob", { messageIds: ["ours"], rootMessageId: "ours" }),
];

test("[X290] a question is left to others when no turn that it started is open, whatever it was steered into", () => {
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
