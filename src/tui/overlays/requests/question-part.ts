/**
 * Several questions, one at a time, then a review before sending. Space marks options of a question with several
 * answers; free text has its own row.
 */
import { parseKey } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Json, UiRequestBody } from "../../../protocol/index.ts";
import { choiceByDigit, choiceRows, listStep, moveChoice, type ShownChoice } from "../lists/choice-rows.ts";
import type { OverlaySurface } from "../overlay-surface.ts";
import { proseRows } from "../reading-rows.ts";
import { createLineField, type LineField } from "../safe-field.ts";
import type { GiveAnswer, PartSize, RequestPart } from "./part.ts";

export type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];

/** Options measured for the height; longer lists scroll anyway. */
const MEASURED_MAX = 50;

export function createQuestionPart(
  surface: OverlaySurface,
  { questions, give }: { questions: readonly Question[]; give: GiveAnswer },
): RequestPart {
  return new QuestionPart(surface, questions, give);
}

class QuestionPart implements RequestPart {
  readonly #surface: OverlaySurface;
  readonly #questions: readonly Question[];
  readonly #give: GiveAnswer;
  readonly #answers: readonly QuestionAnswer[];
  readonly #fields: readonly LineField[];
  /** Index of the question; the review follows the last one. */
  #page = 0;
  #at = 0;
  #isFocused = false;

  constructor(surface: OverlaySurface, questions: readonly Question[], give: GiveAnswer) {
    this.#surface = surface;
    this.#questions = questions;
    this.#give = give;
    this.#answers = questions.map((question) => createQuestionAnswers(question));
    this.#fields = questions.map(() => createLineField(surface, { placeholder: "your own words" }));
    this.#turnTo(0);
  }

  get #question(): Question | undefined {
    return this.#questions[this.#page];
  }

  get #isReview(): boolean {
    return this.#page === this.#questions.length;
  }

  /** The text row follows the options. */
  get #isWriting(): boolean {
    const question = this.#question;
    return question !== undefined && question.freeText && this.#at === question.options.length;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    this.#syncFocus();
  }

  #syncFocus(): void {
    this.#fields.forEach((field, index) => {
      field.focused = this.#isFocused && this.#isWriting && index === this.#page;
    });
  }

  get hints(): readonly string[] {
    if (this.#isReview) return ["Enter send", "Esc no answer", "← back"];
    if (this.#isWriting) return ["Enter next", "Esc to the list", "Shift+Tab back"];
    return [
      "Enter next",
      "Esc no answer",
      ...(this.#question?.multiple === true ? ["Space marks"] : []),
      "Tab next",
      "Shift+Tab back",
    ];
  }

  get problem(): string | undefined {
    return this.#fields[this.#page]?.problem;
  }

  reading(width: number): string[] {
    const { theme } = this.#surface;
    const question = this.#question;
    if (question === undefined) return [theme.decorate("bold", "Your answers")];
    const progress =
      this.#questions.length > 1 ? `Question ${this.#page + 1} of ${this.#questions.length}` : "Question";
    const how = question.multiple ? `${progress} · several may be chosen` : progress;
    return [theme.decorate("bold", how), ...proseRows(question.text, width)];
  }

  rowsWanted(width: number): number {
    return this.rows({ width, height: MEASURED_MAX }).length;
  }

  rows({ width, height }: PartSize): string[] {
    const question = this.#question;
    if (question === undefined) return this.#reviewRows({ width, height });
    const writing = question.freeText ? [this.#fieldRow(width)] : [];
    const { theme } = this.#surface;
    return [
      ...choiceRows({
        theme,
        width,
        height: height - writing.length,
        count: question.options.length,
        at: this.#isWriting ? Math.max(0, question.options.length - 1) : this.#at,
        choice: (index) => this.#choice(question, index),
        isAway: this.#isWriting,
      }),
      ...writing,
    ];
  }

  #fieldRow(width: number): string {
    const field = this.#fields[this.#page];
    if (field === undefined) return "";
    const lead = this.#isWriting ? "❯ " : "  ";
    const row = field.row(Math.max(1, width - lead.length));
    return this.#isWriting ? lead + row : lead + this.#surface.theme.paint("quiet", withoutCursor(row));
  }

  #choice(question: Question, index: number): ShownChoice {
    const option = question.options[index];
    const isMarked = option !== undefined && (this.#answers[this.#page]?.has(option.value) ?? false);
    const box = question.multiple ? (isMarked ? "[x] " : "[ ] ") : isMarked ? "(•) " : "( ) ";
    return { label: option?.label ?? "", description: option?.description, mark: `${index + 1}. ${box}` };
  }

  #reviewRows({ width, height }: PartSize): string[] {
    const rows = choiceRows({
      theme: this.#surface.theme,
      width,
      height,
      count: this.#questions.length,
      at: this.#at,
      choice: (index) => ({
        label: terminalSafeLine(this.#questions[index]?.text ?? ""),
        description: `→ ${this.#answers[index]?.format(this.#fields[index]?.text ?? "") ?? ""}`,
        mark: `${index + 1}. `,
      }),
    });
    return [...rows];
  }

  handleInput(data: string): boolean {
    const key = parseKey(data);
    if (key === "tab" || key === "shift+tab") {
      this.#turnTo(this.#page + (key === "tab" ? 1 : -1));
      return true;
    }
    if (this.#isReview) return this.#reviewKey(key);
    const step = listStep(key, { hasLetters: !this.#isWriting });
    if (step !== undefined) return this.#moveTo(this.#at + step);
    if (this.#isWriting) return this.#writeKey(data, key);
    return this.#listKey(data, key);
  }

  #listKey(data: string, key: string | undefined): boolean {
    const question = this.#question;
    const answer = this.#answers[this.#page];
    if (question === undefined || answer === undefined) return false;
    if (key === "left" || key === "right") {
      this.#turnTo(this.#page + (key === "right" ? 1 : -1));
      return true;
    }
    const digit = choiceByDigit(key, question.options.length);
    if (digit !== undefined || key === "space") {
      if (digit !== undefined) this.#at = digit;
      const option = question.options[this.#at];
      if (option !== undefined) answer.toggle(option.value);
      if (digit !== undefined && !question.multiple) this.#turnTo(this.#page + 1);
      return true;
    }
    if (key !== "enter") return false;
    const option = question.options[this.#at];
    // With several answers Enter continues with the marked ones; it marks nothing itself.
    if (option !== undefined && !question.multiple) answer.choose(option.value);
    this.#turnTo(this.#page + 1);
    return true;
  }

  #writeKey(data: string, key: string | undefined): boolean {
    if (key === "pageUp" || key === "pageDown") return false;
    const field = this.#fields[this.#page];
    if (key === "enter") this.#turnTo(this.#page + 1);
    else field?.handleInput(data);
    // Text replaces a single choice; the last input counts.
    if (this.#question?.multiple === false && (field?.text ?? "") !== "") this.#answers[this.#page]?.clear();
    return true;
  }

  #reviewKey(key: string | undefined): boolean {
    const step = listStep(key, { hasLetters: true });
    if (step !== undefined) this.#at = moveChoice(this.#at, step, this.#questions.length);
    else if (key === "left" || key === "backspace") this.#turnTo(this.#page - 1);
    else if (key === "enter") this.#send();
    else {
      const digit = choiceByDigit(key, this.#questions.length);
      if (digit === undefined) return false;
      this.#turnTo(digit);
    }
    return true;
  }

  /** Leaves the text row for the options above. */
  stepBack(): boolean {
    const question = this.#question;
    if (!this.#isWriting || question === undefined || question.options.length === 0) return false;
    return this.#moveTo(question.options.length - 1);
  }

  #moveTo(at: number): boolean {
    const question = this.#question;
    if (question === undefined) return false;
    this.#at = moveChoice(at, 0, question.options.length + (question.freeText ? 1 : 0));
    this.#syncFocus();
    return true;
  }

  #turnTo(page: number): void {
    this.#page = Math.max(0, Math.min(this.#questions.length, page));
    const chosen = this.#question?.options.findIndex(({ value }) => this.#answers[this.#page]?.has(value)) ?? 0;
    this.#at = Math.max(0, chosen);
    this.#syncFocus();
  }

  #send(): void {
    const entries = this.#questions.flatMap((question, index) => {
      const value = this.#answers[index]?.value(this.#fields[index]?.text ?? "");
      return value === undefined ? [] : [[question.id, value] as const];
    });
    this.#give(Object.fromEntries(entries));
  }
}

function withoutCursor(row: string): string {
  return row.replaceAll("\x1b[7m", "").replaceAll("\x1b[27m", "");
}

/** The selection for one question, and the answer it makes. */
export interface QuestionAnswer {
  has(value: string): boolean;
  /** Toggles an option; a single choice unmarks the others. */
  toggle(value: string): void;
  choose(value: string): void;
  clear(): void;
  /** Undefined without an answer; a list for questions with several answers. */
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
