/** Questions as a sequence of overlays: a choice, a repeated choice, or a line of text. */
import type { Json, UiRequestBody } from "../../../src/protocol/index.ts";
import { namedTitle } from "../../../src/transcript/index.ts";
import { problemWith, toOption, type Dialogue, type Option, type Overlay, type Step } from "./overlay-forms.ts";

type Questions = Extract<UiRequestBody, { method: "question" }>;
type Question = Questions["questions"][number];

const OTHER = "Something else…";
const DONE = "That is all";

export function createQuestionnaire({ title, questions, opts = {} }: Questions, member: string): Dialogue {
  const answers: Record<string, Json> = {};
  let at = 0;
  let number = 0;
  let chosen: string[] = [];
  let isWriting = false;

  function show(question: Question): Overlay {
    const progress = questions.length > 1 ? ` (${at + 1} of ${questions.length})` : "";
    const picked = chosen.length > 0 ? ` [${chosen.join(", ")}]` : "";
    const shown = `${namedTitle(member, title)}${progress}\n\n${question.text}${picked}`;
    if (isWriting || question.options.length === 0) {
      return { method: "input", params: { title: shown, placeholder: null, opts } };
    }
    return { method: "select", params: { title: shown, options: optionsOf(question, chosen), opts } };
  }

  function next(question: Question, answer: Json): Step {
    answers[question.id] = answer;
    at += 1;
    chosen = [];
    isWriting = false;
    const following = questions[at];
    return following === undefined ? { result: { ...answers } } : step(following);
  }

  function step(question: Question): Step {
    number += 1;
    return { overlay: show(question), number };
  }

  function submitAnswer(question: Question, answer: string, picked: Option | undefined): Step {
    if (picked?.value === markOf(question, DONE)) return next(question, [...chosen]);
    if (picked?.value === markOf(question, OTHER) && !isWriting) {
      isWriting = true;
      return step(question);
    }
    if (!question.multiple) return next(question, answer);
    chosen.push(answer);
    isWriting = false;
    const isExhausted = !question.freeText && question.options.every((option) => chosen.includes(option.value));
    const hasNoChoice = question.options.length === 0;
    return isExhausted || hasNoChoice ? next(question, [...chosen]) : step(question);
  }

  return {
    first: show(questions[0] as Question),
    submit(shown, answer) {
      const question = questions[at];
      const problem = problemWith(shown, answer);
      if (question === undefined || problem !== undefined) return { problem: problem ?? "no open question" };
      const options = shown.method === "select" ? shown.params.options : [];
      return submitAnswer(
        question,
        answer as string,
        options.find((option) => option.value === answer),
      );
    },
  };
}

function optionsOf(question: Question, chosen: readonly string[]): Option[] {
  const rest = question.options.filter((option) => !chosen.includes(option.value)).map(toOption);
  const extra = [...(question.freeText ? [OTHER] : []), ...(question.multiple ? [DONE] : [])].map((label) => ({
    label,
    value: markOf(question, label),
    description: null,
  }));
  return [...rest, ...extra];
}

/** A value that no option of the question has. */
function markOf(question: Question, label: string): string {
  let value = label === DONE ? "__done__" : "__other__";
  while (question.options.some((option) => option.value === value)) value = `_${value}_`;
  return value;
}
