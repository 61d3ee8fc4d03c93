/** A request as read out, and the meaning of typed lines for it. */
import { cancelledAnswer, type Json, type UiRequestBody } from "../../protocol/index.ts";
import {
  choiceByKey,
  describeRequest,
  fieldText,
  type DescribedRequest,
  type OpenRequest,
  type RequestChoice,
} from "../../transcript/index.ts";
import { countHidden, diffRows, exactRows } from "../overlays/reading-rows.ts";
import { createQuestionAnswers, type QuestionAnswer } from "../overlays/requests/question-part.ts";
import type { Theme } from "../theme/theme.ts";
import { numberedChoices, readNumbers, type NumberedChoice } from "./numbered-choices.ts";
import { spokenTime } from "./format-session.ts";
import type { LineOutput } from "./terminal-lines.ts";

export type LineResult =
  | { readonly kind: "answer"; readonly result: Json; readonly reason?: string }
  /** The next question was reached, or the reason of a denial is due. */
  | { readonly kind: "next" }
  | { readonly kind: "no-answer"; readonly why: string };

/** A request while it is being answered. */
export interface RequestReading {
  readonly request: OpenRequest;
  /** The full description. */
  readOut(lines: LineOutput, now: number): void;
  /** The current choices. */
  readChoices(lines: LineOutput): void;
  handleLine(line: string): LineResult;
  /** Whether this line could be an answer. */
  isAnswer(line: string): boolean;
  readonly acceptsText: boolean;
}

/** Wide enough that no line of a command is broken. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

export function createRequestReading(request: OpenRequest, theme: Theme): RequestReading {
  const part = createPart(request);
  return {
    request,
    get acceptsText() {
      return part.acceptsText;
    },
    readOut(lines, now) {
      const described = describeRequest(request);
      lines.write(
        described.kind === "question" ? `${request.member} asks: ${request.request.title}` : `${described.heading}.`,
      );
      readContent(described, lines, theme);
      lines.write(
        `Time to answer: ${spokenTime(request.ts + request.timeoutMs - now)}; after that it is ${described.atLimit}.`,
      );
    },
    readChoices: (lines) => part.read(lines),
    handleLine(line) {
      const word = line.trim().toLowerCase();
      if (word === "q" && !line.startsWith(" ")) return give(cancelledAnswer(request.request.method));
      return part.handleLine(line.startsWith(" ") ? line.slice(1) : line);
    },
    isAnswer: (line) => /^\s*(?:[\d\s,]+|[qysanw]|yes|no|later)\s*$/i.test(line),
  };
}

function readContent(described: DescribedRequest, lines: LineOutput, theme: Theme): void {
  const { kind, title = "", reason, message = "", command, files, fields, notes, diff } = described;
  if (kind === "question") return message === "" ? undefined : lines.quote(message);
  const contents = [
    ...(command === undefined ? files.map((file) => `file: ${file}`) : [command.line]),
    ...(command?.directory === undefined ? [] : [`in ${command.directory}`]),
    ...[...fields, ...notes].map(fieldText),
  ];
  for (const text of contents) lines.rows(exactRows(text, ENDLESS, theme));
  const hidden = contents.reduce((sum, text) => sum + countHidden(text), 0);
  if (hidden > 0)
    lines.write(`It contains ${hidden} hidden ${hidden === 1 ? "character" : "characters"}, read as U+ names.`);
  if (title !== "") lines.write(`It says: ${title}`);
  if (reason !== undefined) lines.write(`Why: ${reason}`);
  if (diff === undefined) return;
  lines.write(`It would add ${diff.added} and remove ${diff.removed} ${diff.removed === 1 ? "line" : "lines"}:`);
  lines.rows(diffRows(diff.text, ENDLESS, theme));
}

interface Part {
  readonly acceptsText: boolean;
  read(lines: LineOutput): void;
  handleLine(line: string): LineResult;
}

function createPart(openRequest: OpenRequest): Part {
  const { request } = openRequest;
  switch (request.method) {
    case "select":
    case "confirm":
      return choicePart(
        describeRequest(openRequest).choices.map(({ label, description, answer: value, keys: [, letter] }) =>
          letter === undefined ? { label, description, value } : { label, description, value, letter },
        ),
      );
    case "approval":
      return approvalPart(openRequest.member, describeRequest(openRequest).choices);
    case "input":
      return textPart(request.placeholder === undefined ? "" : `For example: ${request.placeholder}`);
    case "editor":
      return editorPart(request.prefill ?? "");
    case "question":
      return questionPart(request.questions);
    default:
      return unknownPart();
  }
}

/** A request of a later version can be read, and is left to a client that knows it. */
function unknownPart(): Part {
  return {
    acceptsText: false,
    read: (lines) => lines.write("It cannot be answered here: q gives no answer, later leaves it open."),
    handleLine: () => ({ kind: "no-answer", why: "It cannot be answered here." }),
  };
}

function choicePart(choices: readonly NumberedChoice<Json>[]): Part {
  return {
    acceptsText: false,
    read: (lines) => numberedChoices(choices, lines, "Answer with a number, q for none, or later to leave it open."),
    handleLine(line) {
      const read = readNumbers(line, choices);
      if ("why" in read) return { kind: "no-answer", why: read.why };
      const [only] = read.chosen;
      return only === undefined || read.chosen.length > 1 ? oneOnly(choices.length) : give(only.value);
    },
  };
}

/** By their fixed keys; an absent choice leaves out its number. */
function approvalPart(member: string, choices: readonly RequestChoice[]): Part {
  let denied: RequestChoice | undefined;
  return {
    get acceptsText() {
      return denied !== undefined;
    },
    read(lines) {
      if (denied !== undefined) {
        return lines.write(
          `Say why in one line; ${member} will be told. An empty line or q denies it without a reason.`,
        );
      }
      for (const { label, keys } of choices) lines.write(`${keys.join(" or ")}: ${label.replace(/ …$/, "")}`);
      lines.write("Answer with a number or a letter, q to deny, or later to leave it open.");
    },
    handleLine(line) {
      const text = line.trim();
      if (denied !== undefined) return { ...give(denied.answer), ...(text === "" ? {} : { reason: text }) };
      const choice = choiceByKey(choices, text);
      const numbers = choices.flatMap(({ keys: [digit = ""] }) => digit).join(", ");
      if (choice === undefined) return { kind: "no-answer", why: `The numbers are ${numbers}.` };
      if (choice.takesReason !== true) return give(choice.answer);
      denied = choice;
      return { kind: "next" };
    },
  };
}

function textPart(example: string): Part {
  return {
    acceptsText: true,
    read(lines) {
      if (example !== "") lines.write(example);
      lines.write("Answer with a line, q for none, or later to leave it open.");
    },
    handleLine: (line) => (line === "" ? { kind: "no-answer", why: "That line is empty." } : give(line)),
  };
}

function editorPart(prefill: string): Part {
  const emptyLineHint = prefill === "" ? "" : " An empty line keeps it as it is.";
  return {
    acceptsText: true,
    read(lines) {
      if (prefill !== "") lines.write("The text so far:");
      lines.quote(prefill);
      lines.write(
        `Answer with the new text; a line that ends in \\ continues on the next.${emptyLineHint} q for none, or later.`,
      );
    },
    handleLine: (line) =>
      line === "" && prefill === ""
        ? { kind: "no-answer", why: "That line is empty." }
        : give(line === "" ? prefill : line),
  };
}

type Questions = Extract<UiRequestBody, { method: "question" }>["questions"];

function questionPart(questions: Questions): Part {
  const given: { id: string; answer: QuestionAnswer; ownText: string }[] = [];
  const current = () => questions[given.length];
  return {
    acceptsText: questions.some(({ freeText, options }) => freeText || options.length === 0),
    read(lines) {
      const question = current();
      if (question === undefined) return;
      const count = questions.length > 1 ? `Question ${given.length + 1} of ${questions.length}: ` : "";
      lines.write(`${count === "" ? "Question: " : count}${question.text}`);
      numberedChoices(question.options, lines, howToAnswer(question));
    },
    handleLine(line) {
      const question = current();
      if (question === undefined) return { kind: "no-answer", why: "It has been answered already." };
      const answer = createQuestionAnswers(question);
      const ownText = parseQuestionAnswer(question, answer, line);
      if (typeof ownText === "object") return ownText;
      given.push({ id: question.id, answer, ownText });
      if (current() !== undefined) return { kind: "next" };
      return give(
        Object.fromEntries(
          given.flatMap((one) => {
            const value = one.answer.value(one.ownText);
            return value === undefined ? [] : [[one.id, value] as const];
          }),
        ),
      );
    },
  };
}

function howToAnswer({ options, multiple, freeText }: Questions[number]): string {
  const numbers = options.length === 0 ? [] : [multiple ? "numbers separated by commas" : "a number"];
  const ownText = freeText || options.length === 0 ? ["your own words"] : [];
  return `Answer with ${[...numbers, ...ownText].join(" or ")}; an empty line skips it, q gives no answer at all.`;
}

/** The user's own text, "" when numbers were chosen or the question was skipped. */
function parseQuestionAnswer({ options, multiple, freeText }: Questions[number], answer: QuestionAnswer, line: string) {
  if (line.trim() === "") return "";
  const read = readNumbers(line, options);
  if ("why" in read) {
    return freeText || options.length === 0 ? line : ({ kind: "no-answer", why: read.why } as const);
  }
  if (!multiple && read.chosen.length > 1) return oneOnly(options.length);
  for (const { value } of read.chosen) if (!answer.has(value)) answer.toggle(value);
  return "";
}

function give(result: Json): Extract<LineResult, { kind: "answer" }> {
  return { kind: "answer", result };
}

function oneOnly(count: number): LineResult {
  return { kind: "no-answer", why: `Only one can be chosen, from 1 to ${count}.` };
}
