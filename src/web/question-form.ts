/** Several questions answered together: one choice, several, or free text each. What is left open is left out. */
import type { Json, UiRequestBody } from "../protocol/index.ts";
import { element } from "./element.ts";

type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];

interface QuestionField {
  readonly node: HTMLElement;
  /** Undefined while nothing is chosen or written. */
  answer(): Json | undefined;
}

export function createQuestionForm(questions: readonly Question[], onAnswer: (result: Json) => void): HTMLElement {
  const fields = questions.map((question, index) => ({
    id: question.id,
    field: createField(question, `question-${index}`),
  }));
  const form = element(
    "form",
    { class: "question-form" },
    ...fields.map(({ field }) => field.node),
    element("button", { type: "submit", class: "primary" }, "Answer"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const answers = fields.flatMap(({ id, field }) => {
      const answer = field.answer();
      return answer === undefined ? [] : [[id, answer] as const];
    });
    onAnswer(Object.fromEntries(answers));
  });
  return form;
}

function createField({ text, options, multiple, freeText }: Question, name: string): QuestionField {
  const boxes = options.map(({ value, label, description }) => {
    const box = element("input", { type: multiple ? "checkbox" : "radio", name, value });
    const facts = description === undefined ? [] : [element("span", { class: "fact" }, description)];
    return { box, node: element("label", { class: "option" }, box, element("span", {}, label), ...facts) };
  });
  const ownLabel = options.length === 0 ? text : `${text} In your own words`;
  const own = element("input", { type: "text", "aria-label": ownLabel, autocomplete: "off" });
  if (options.length > 0) own.placeholder = "In your own words";
  // Who writes an own answer to a question with one answer means that one.
  own.addEventListener("input", () => {
    if (!multiple && own.value !== "") for (const { box } of boxes) box.checked = false;
  });
  return {
    node: element(
      "fieldset",
      {},
      element("legend", {}, text),
      ...boxes.map(({ node }) => node),
      ...(freeText ? [own] : []),
    ),
    answer() {
      const chosen = boxes.filter(({ box }) => box.checked).map(({ box }) => box.value);
      const all = own.value.trim() === "" ? chosen : [...chosen, own.value];
      if (multiple) return all.length === 0 ? undefined : all;
      return all.at(-1);
    },
  };
}
