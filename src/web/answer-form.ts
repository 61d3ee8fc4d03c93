/** How each kind of request is answered: buttons with numbers, a line, a text, or a form of several questions. */
import type { Json, UiRequestBody } from "../protocol/index.ts";
import { element } from "./element.ts";
import { createQuestionForm } from "./question-form.ts";

export interface AnswerForm {
  readonly node: HTMLElement;
  /** Answers with the choice of this number, counted from 1; nothing happens when there is none. */
  choose(number: number): void;
}

type Choice = { readonly label: string; readonly value: Json; readonly description?: string | undefined };

/** Keys go no further than this; more choices are reached by Tab and by clicks. */
const NUMBER_MAX = 9;

export function createAnswerForm(request: UiRequestBody, onAnswer: (result: Json) => void): AnswerForm {
  switch (request.method) {
    case "confirm":
      return createChoices(YES_OR_NO, onAnswer);
    case "select":
    case "approval":
      return createChoices(request.options, onAnswer);
    case "question":
      return { node: createQuestionForm(request.questions, onAnswer), choose: () => {} };
    default:
      return { node: createTextForm(request, onAnswer), choose: () => {} };
  }
}

const YES_OR_NO: readonly Choice[] = [
  { label: "Yes", value: true },
  { label: "No", value: false },
];

function createChoices(choices: readonly Choice[], onAnswer: (result: Json) => void): AnswerForm {
  const buttons = choices.map(({ label, value, description }, index) => {
    const button = element(
      "button",
      { type: "button", class: "choice" },
      ...(index < NUMBER_MAX ? [element("kbd", { "aria-hidden": "true" }, String(index + 1))] : []),
      element("span", { class: "choice-label" }, label),
      ...(description === undefined ? [] : [element("span", { class: "fact" }, description)]),
    );
    button.addEventListener("click", (event) => {
      // The second half of a double click was meant for what stood here before.
      if (event.detail <= 1) onAnswer(value);
    });
    return button;
  });
  return {
    node: element("div", { class: "choices", role: "group", "aria-label": "Answers" }, ...buttons),
    choose(number) {
      const choice = number <= NUMBER_MAX ? choices[number - 1] : undefined;
      if (choice !== undefined) onAnswer(choice.value);
    },
  };
}

type TextRequest = Extract<UiRequestBody, { method: "input" | "editor" }>;

function createTextForm(request: TextRequest, onAnswer: (result: Json) => void): HTMLElement {
  const label = { "aria-label": request.title, autocomplete: "off" };
  const field =
    request.method === "input"
      ? element("input", { ...label, type: "text", placeholder: request.placeholder ?? "" })
      : element("textarea", { ...label, rows: "6" });
  if (request.method === "editor") field.value = request.prefill ?? "";
  const form = element(
    "form",
    { class: "text-form" },
    field,
    element("button", { type: "submit", class: "primary" }, "Answer"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onAnswer(field.value);
  });
  return form;
}
