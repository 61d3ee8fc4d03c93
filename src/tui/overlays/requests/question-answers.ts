/** What has been chosen for one question so far, and the answer it makes. */
import type { Json } from "../../../protocol/index.ts";
import type { Question } from "./question-part.ts";

export interface QuestionAnswer {
  has(value: string): boolean;
  /** Marks or unmarks; where only one is taken, the others are unmarked. */
  toggle(value: string): void;
  choose(value: string): void;
  clear(): void;
  /** Undefined when nothing was answered; a question that takes several is answered with a list. */
  value(text: string): Json | undefined;
  format(text: string): string;
}

export function createQuestionAnswers({ options, multiple, freeText }: Question): QuestionAnswer {
  const chosen = new Set<string>();

  function answers(text: string): string[] {
    const inOrder = options.map(({ value }) => value).filter((value) => chosen.has(value));
    const own = freeText && text.trim() !== "" ? [text] : [];
    return multiple || inOrder.length === 0 ? [...inOrder, ...own] : inOrder.slice(0, 1);
  }

  return {
    has: (value) => chosen.has(value),
    toggle(value) {
      if (chosen.delete(value)) return;
      if (!multiple) chosen.clear();
      chosen.add(value);
    },
    choose(value) {
      chosen.clear();
      chosen.add(value);
    },
    clear: () => chosen.clear(),
    value(text) {
      const all = answers(text);
      return multiple && all.length > 0 ? all : all[0];
    },
    format(text) {
      const all = answers(text);
      if (all.length === 0) return "no answer";
      return all.map((value) => options.find((option) => option.value === value)?.label ?? value).join(", ");
    },
  };
}
