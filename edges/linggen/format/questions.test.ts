import { describe, expect, test } from "vitest";
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import { answerOf, questionsOf } from "./questions.ts";

const option = (value: string) => ({ label: value.toUpperCase(), value });
const chosen = (...selected: string[]) => [{ question_index: 0, selected, custom_text: null }];
const customText = (custom_text: string) => [{ question_index: 0, selected: [], custom_text }];

const approval = (tool: string, values: readonly string[]): UiRequestBody => ({
  method: "approval",
  title: "Run it?",
  tool,
  call: "rm -r build",
  callHash: "h",
  options: values.map(option),
});

describe("permissions", () => {
  test("a permission has the options of its card, three of them for the web", () => {
    const labels = (tool: string) => questionsOf(approval(tool, ["allow", "deny"]))[0]?.options.map((one) => one.label);
    expect(labels("shell")).toEqual([
      "Allow once",
      "Allow all Bash for this task",
      "Allow all Bash for this project",
      "Cancel",
    ]);
    expect(labels("web_fetch")).toEqual(["Allow this request", "Allow all WebFetch for this task", "Cancel"]);
    expect(questionsOf(approval("shell", ["allow"]))).toMatchObject([
      { question: "Run it?\nrm -r build", header: "Permission", multi_select: false },
    ]);
  });

  test("a call is shown in full, however long it is", () => {
    const call = `rm ${"-v ".repeat(20_000)}last`;
    expect(questionsOf({ ...approval("shell", ["allow"]), call } as UiRequestBody)[0]?.question).toBe(
      `Run it?\n${call}`,
    );
  });

  test("an option never grants more than the request offers, and an unknown one denies", () => {
    const all = approval("shell", ["allow", "table_session", "table_always", "deny"]);
    const answers = (request: UiRequestBody) =>
      ["Allow once", "Allow all Bash for this task", "Allow all Bash for this project", "Cancel"].map((label) =>
        answerOf(request, chosen(label)),
      );
    expect(answers(all)).toEqual(["allow", "table_session", "table_always", false]);
    expect(answers(approval("shell", ["allow", "deny"]))).toEqual(["allow", "allow", "allow", false]);
    expect(answers(approval("shell", ["maybe", "deny"]))).toEqual([false, false, false, false]);
    expect(answerOf(all, [])).toBe(false);
    expect(answerOf(all, chosen())).toBe(false);
    expect(answerOf(all, chosen("Allow everything"))).toBeUndefined();
  });
});

test("questions are answered by one label, several labels or text; a skipped one is left out", () => {
  const question = (id: string, multiple: boolean, freeText: boolean) => ({
    id,
    text: `${id}?`,
    options: [option("red"), option("blue")],
    multiple,
    freeText,
  });
  const request: UiRequestBody = {
    method: "question",
    title: "Colours",
    questions: [question("one", false, false), question("many", true, false), question("free", false, true)],
  };
  expect(questionsOf(request).map((one) => [one.question, one.header, one.multi_select])).toEqual([
    ["one?", "Colours", false],
    ["many?", "Colours", true],
    ["free?", "Colours", false],
  ]);
  const answer = (index: number, selected: string[], custom_text: string | null = null) => ({
    question_index: index,
    selected,
    custom_text,
  });
  expect(answerOf(request, [answer(0, ["RED"]), answer(1, ["RED", "BLUE"]), answer(2, [], "green")])).toEqual({
    one: "red",
    many: ["red", "blue"],
    free: "green",
  });
  expect(answerOf(request, [answer(0, []), answer(1, ["BLUE"])])).toEqual({ many: ["blue"] });
  expect(answerOf(request, [answer(0, [])])).toBeNull();
  expect(answerOf(request, [answer(0, ["PINK"])])).toBeUndefined();
  expect(answerOf(request, [answer(9, ["RED"])])).toBeUndefined();
});

test("the four overlays are questions of one card each", () => {
  const select: UiRequestBody = { method: "select", title: "Which?", options: [option("a"), option("b")] };
  expect(answerOf(select, chosen("B"))).toBe("b");
  expect(answerOf(select, chosen())).toBeNull();
  const confirm: UiRequestBody = { method: "confirm", title: "Sure?", message: "It is gone then." };
  expect([answerOf(confirm, chosen("Yes")), answerOf(confirm, chosen("No")), answerOf(confirm, chosen())]).toEqual([
    true,
    false,
    false,
  ]);
  const input: UiRequestBody = { method: "input", title: "Name", placeholder: "such as x" };
  expect(questionsOf(input)).toMatchObject([{ question: "Name (such as x)", options: [] }]);
  expect([answerOf(input, customText("Ada")), answerOf(input, chosen())]).toEqual(["Ada", null]);
  const editor: UiRequestBody = { method: "editor", title: "Text", prefill: "draft" };
  expect(questionsOf(editor)).toMatchObject([{ options: [{ label: "Keep as it is", preview: "draft" }] }]);
  expect([
    answerOf(editor, customText("new")),
    answerOf(editor, chosen("Keep as it is")),
    answerOf(editor, chosen()),
  ]).toEqual(["new", "draft", null]);
});
