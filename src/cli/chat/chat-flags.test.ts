import { expect, test } from "vitest";
import { failureLine, toFailure } from "../failure.ts";
import { refuseQuestionOptions, type QuestionFlags } from "./chat-flags.ts";

function refusal(flags: QuestionFlags): string {
  try {
    refuseQuestionOptions(flags);
    return "taken";
  } catch (error) {
    return failureLine(toFailure(error));
  }
}

test("[X668] --allow, --fork and -m without a question are refused with what to do; files are not", () => {
  expect([refusal({ allow: ["shell"] }), refusal({ fork: true }), refusal({ model: ["x"] })]).toEqual([
    "roundtable: --allow is for a question with -p. In the terminal app you are asked; approvals.allow is for always.\n",
    "roundtable: --fork is for a question with -p. In the terminal app /fork goes on in a copy of the session.\n",
    "roundtable: -m is for a question with -p. In the terminal app /model changes the model of a member.\n",
  ]);
  expect(refusal({ file: ["a.png"], writable: true, name: "x" })).toBe("taken");
});
