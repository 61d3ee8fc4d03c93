import { expect, test } from "vitest";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import { checkAnswer } from "./check-answer.ts";
import { ANSWER_BYTES_MAX } from "../limits.ts";

const options = [
  { label: "Yes", value: "yes" },
  { label: "Always", value: "always" },
];
const requests: Record<string, UiRequestBody> = {
  select: { method: "select", title: "Which?", options },
  confirm: { method: "confirm", title: "Sure?", message: "Really?" },
  input: { method: "input", title: "Name?" },
  editor: { method: "editor", title: "Text?" },
  approval: { method: "approval", title: "Run?", tool: "bash", call: "ls", callHash: "h", options },
  question: {
    method: "question",
    title: "Some questions",
    questions: [
      { id: "one", text: "One?", options, multiple: false, freeText: false },
      { id: "many", text: "Many?", options, multiple: true, freeText: false },
      { id: "free", text: "Free?", options: [], multiple: false, freeText: true },
    ],
  },
};

test("[S30] an answer is validated against its request, and the refusal names the valid answers", () => {
  const good: [string, Json][] = [
    ["select", "yes"],
    ["select", null],
    ["confirm", false],
    ["confirm", null],
    ["input", ""],
    ["editor", null],
    ["approval", "always"],
    ["approval", false],
    ["question", null],
    ["question", { one: "yes", many: ["yes", "always"], free: "whatever" }],
  ];
  for (const [method, result] of good) expect(() => checkAnswer(requests[method]!, result)).not.toThrow();

  const bad: [string, Json, string][] = [
    ["select", "no", '"Which?" was not answered: the answer must be one of "yes", "always", or null for none.'],
    [
      "confirm",
      "yes",
      '"Sure?" was not answered: the answer to a confirmation must be true or false, or null for none.',
    ],
    ["input", 3, '"Name?" was not answered: the answer must be text, or null for none.'],
    ["approval", true, '"Run?" was not answered: the answer must be one of "yes", "always", or false to deny.'],
    ["question", { two: "yes" }, '"Some questions" was not answered: there is no question "two".'],
    ["question", { one: ["yes"] }, '"Some questions" was not answered: question "one" takes one of "yes", "always".'],
    ["question", { free: 1 }, '"Some questions" was not answered: question "free" takes text.'],
    [
      "question",
      ["yes"],
      '"Some questions" was not answered: the answer to questions must be an object with an answer per question id, or null for none.',
    ],
  ];
  for (const [method, result, message] of bad) {
    expect(() => checkAnswer(requests[method]!, result)).toThrow(
      expect.objectContaining({ code: "bad_command", message }),
    );
  }
  expect(() => checkAnswer(requests["editor"]!, "x".repeat(ANSWER_BYTES_MAX))).toThrow(
    expect.objectContaining({ code: "too_large" }),
  );
});

test("a reason goes with the denial of an approval and with nothing else", () => {
  const approval = {
    ...requests["approval"]!,
    options: [...options, { label: "Deny", value: "deny" }],
  } as UiRequestBody;
  for (const denial of [false, "deny"]) expect(() => checkAnswer(approval, denial, "use pnpm")).not.toThrow();
  const message = '"Run?" was not answered: a reason is accepted only when an approval is denied.';
  expect(() => checkAnswer(approval, "yes", "use pnpm")).toThrow(expect.objectContaining({ message }));
  expect(() => checkAnswer(requests["confirm"]!, false, "no time")).toThrow(
    expect.objectContaining({ code: "bad_command" }),
  );
});
