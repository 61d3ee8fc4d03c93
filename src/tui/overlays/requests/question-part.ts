/**
 * Several questions, one at a time; the answers are sent with the last one. Space marks options of a question with
 * several answers; free text has its own row.
 */
import { parseKey, visibleWidth } from "@earendil-works/pi-tui";
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
  #page = 0;
  #at = 0;
  #isFocused = false;

  constructor(surface: OverlaySurface, questions: readonly Question[], give: GiveAnswer) {
    this.#surface = surface;
    this.#questions = questions;
    this.#give = give;
    this.#answers = questions.map((question) => createQuestionAnswers(question));
    this.#fields = questions.map(() => createLineField(surface, { placeholder: OTHER, prompt: "" }));
    this.#turnTo(0);
  }

  get #question(): Question | undefined {
    return this.#questions[this.#page];
  }

  get #isLast(): boolean {
    return this.#page >= this.#questions.length - 1;
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

  get progress(): string | undefined {
    return this.#questions.length > 1 ? `${this.#page + 1} of ${this.#questions.length}` : undefined;
  }

  get hints(): readonly string[] {
    const question = this.#question;
    const then = this.#isLast ? (this.#questions.length > 1 ? "send the answers" : "send") : "next question";
    const isOnlyText = question?.options.length === 0;
    const back =
      this.#page === 0
        ? []
        : [`${this.#isWriting ? "Shift+Tab" : "←"} ${this.#page === 1 ? "first" : "previous"} question`];
    if (this.#isWriting) return [`Enter ${then}`, ...back, isOnlyText ? LATER : "Esc to the list"];
    if (question?.multiple === true) return ["Space mark", `Enter ${then}`, ...back, LATER];
    const count = (question?.options.length ?? 0) + (question?.freeText === true ? 1 : 0);
    const keys = count === 1 ? "1" : `1–${Math.min(9, count)}`;
    return [`${keys} choose`, `Enter choose, ${then}`, ...back, "0 skip", "Alt+I all requests", LATER];
  }

  get problem(): string | undefined {
    return this.#fields[this.#page]?.problem;
  }

  /** The first line is the question, the others explain it. */
  reading(width: number): string[] {
    const { theme } = this.#surface;
    const { text = "", multiple = false } = this.#question ?? {};
    const [first = "", ...rest] = text.split("\n");
    const rows = proseRows(first, width, (row) => theme.decorate("bold", row));
    const any = `  ${theme.paint("quiet", "choose any")}`;
    const last = rows.at(-1) ?? "";
    const hasRoom = visibleWidth(last) + visibleWidth(any) <= width;
    const question = !multiple ? rows : hasRoom ? [...rows.slice(0, -1), last + any] : [...rows, any.trimStart()];
    return [...question, ...proseRows(rest.join("\n").trim(), width, (row) => theme.paint("quiet", row))];
  }

  rowsWanted(width: number): number {
    return this.rows({ width, height: MEASURED_MAX }).length;
  }

  rows({ width, height, margin = 0 }: PartSize): string[] {
    const question = this.#question;
    if (question === undefined) return [];
    const writing = question.freeText ? [this.#fieldRow(question, width, margin)] : [];
    return [
      ...choiceRows({
        theme: this.#surface.theme,
        width,
        height: height - writing.length,
        margin,
        isAligned: true,
        count: question.options.length,
        at: this.#isWriting ? Math.max(0, question.options.length - 1) : this.#at,
        choice: (index) => this.#choice(question, index),
        isAway: this.#isWriting,
      }),
      ...writing,
    ];
  }

  #fieldRow({ options, multiple }: Question, width: number, margin: number): string {
    const { theme } = this.#surface;
    const field = this.#fields[this.#page];
    if (field === undefined) return "";
    const box = multiple ? (field.text.trim() === "" ? "[ ] " : "[x] ") : "";
    const mark = `${theme.decorate("bold", String(options.length + 1))}  ${box}`;
    const lead = `${" ".repeat(margin)}${this.#isWriting ? "❯" : " "} ${mark}`;
    const room = Math.max(1, width + margin - visibleWidth(lead));
    if (this.#isWriting) return lead + field.row(room);
    return `${lead}${field.text === "" ? OTHER : theme.paint("quiet", withoutCursor(field.row(room)))}`;
  }

  #choice(question: Question, index: number): ShownChoice {
    const option = question.options[index];
    const isMarked = option !== undefined && (this.#answers[this.#page]?.has(option.value) ?? false);
    const bold = (text: string) => this.#surface.theme.decorate("bold", text);
    const box = question.multiple ? (isMarked ? `[${bold("x")}] ` : "[ ] ") : "";
    return {
      label: option?.label ?? "",
      description: option?.description,
      mark: `${bold(index < 9 ? String(index + 1) : " ")}  ${box}`,
    };
  }

  handleInput(data: string): boolean {
    const key = parseKey(data);
    if (key === "tab" || key === "shift+tab") {
      this.#turnTo(this.#page + (key === "tab" ? 1 : -1));
      return true;
    }
    const step = listStep(key, { hasLetters: !this.#isWriting });
    if (step !== undefined) return this.#moveTo(this.#at + step);
    if (this.#isWriting) return this.#writeKey(data, key);
    return this.#listKey(key);
  }

  #listKey(key: string | undefined): boolean {
    const question = this.#question;
    const answer = this.#answers[this.#page];
    if (question === undefined || answer === undefined) return false;
    if (key === "left" || key === "right") this.#turnTo(this.#page + (key === "right" ? 1 : -1));
    else if (key === "0") {
      answer.clear();
      this.#next();
    } else if (key === "enter") this.#choose(question, this.#at);
    else return this.#mark(question, answer, key);
    return true;
  }

  #mark(question: Question, answer: QuestionAnswer, key: string | undefined): boolean {
    const digit = choiceByDigit(key, question.options.length + (question.freeText ? 1 : 0));
    if (digit === undefined && key !== "space") return false;
    if (digit !== undefined) this.#moveTo(digit);
    const option = question.options[this.#at];
    if (option === undefined) return true;
    if (question.multiple) answer.toggle(option.value);
    else if (digit !== undefined) this.#choose(question, digit);
    else answer.choose(option.value);
    return true;
  }

  /** With several answers Enter continues with the marked ones; it marks nothing itself. */
  #choose({ options, multiple }: Question, index: number): void {
    const option = options[index];
    if (option !== undefined && !multiple) this.#answers[this.#page]?.choose(option.value);
    this.#next();
  }

  #writeKey(data: string, key: string | undefined): boolean {
    if (key === "pageUp" || key === "pageDown") return false;
    const field = this.#fields[this.#page];
    if (key === "enter") {
      this.#next();
      return true;
    }
    field?.handleInput(data);
    // Text replaces a single choice; the last input counts.
    if (this.#question?.multiple === false && (field?.text ?? "") !== "") this.#answers[this.#page]?.clear();
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
    this.#page = Math.max(0, Math.min(this.#questions.length - 1, page));
    const chosen = this.#question?.options.findIndex(({ value }) => this.#answers[this.#page]?.has(value)) ?? 0;
    this.#at = Math.max(0, chosen);
    this.#syncFocus();
  }

  #next(): void {
    if (!this.#isLast) return this.#turnTo(this.#page + 1);
    const entries = this.#questions.flatMap((question, index) => {
      const value = this.#answers[index]?.value(this.#fields[index]?.text ?? "");
      return value === undefined ? [] : [[question.id, value] as const];
    });
    this.#give(Object.fromEntries(entries));
  }
}

const OTHER = "Other …";
const LATER = "Esc answer later";

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
  };
}
