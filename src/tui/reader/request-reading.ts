/** A request as it is read out, and what a typed line means for it. */
import { safeDefault, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { describeRequest, fieldText, type DescribedRequest, type OpenRequest } from "../../transcript/index.ts";
import { countHidden, diffRows, exactRows } from "../overlays/reading-rows.ts";
import { createQuestionAnswers, type QuestionAnswer } from "../overlays/question-answers.ts";
import type { Theme } from "../theme/theme.ts";
import { numberedChoices, readNumbers, type NumberedChoice } from "./numbered-choices.ts";
import { spokenTime } from "./spoken-amounts.ts";
import type { SpokenLines } from "./spoken-lines.ts";

export type Taken =
  | { readonly kind: "answer"; readonly result: Json }
  /** The next part of a question of several parts has been reached. */
  | { readonly kind: "next" }
  | { readonly kind: "no-answer"; readonly why: string };

/** A request while it is answered. */
export interface RequestReading {
  readonly request: OpenRequest;
  /** Who asks what, in full. */
  readOut(lines: SpokenLines, now: number): void;
  /** What can be answered now. */
  readChoices(lines: SpokenLines): void;
  take(line: string): Taken;
  /** Whether this line could have been meant for it. */
  isAnswer(line: string): boolean;
  readonly takesWords: boolean;
}

/** Wide enough that no line of what would run is broken. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

export function createRequestReading(request: OpenRequest, theme: Theme): RequestReading {
  const part = createPart(request);
  return {
    request,
    takesWords: part.takesWords,
    readOut(lines, now) {
      const asked = describeRequest(request);
      lines.say(asked.kind === "question" ? `${request.member} asks: ${request.request.title}` : `${asked.heading}.`);
      readContent(asked, lines, theme);
      lines.say(timeWords(request, now));
    },
    readChoices: (lines) => part.read(lines),
    take(line) {
      const word = line.trim().toLowerCase();
      if (word === "q" && !line.startsWith(" ")) return give(safeDefault(request.request.method));
      return part.take(line.startsWith(" ") ? line.slice(1) : line);
    },
    isAnswer: (line) => /^\s*(?:[\d\s,]+|q|y|n|yes|no|later)\s*$/i.test(line),
  };
}

function readContent(asked: DescribedRequest, lines: SpokenLines, theme: Theme): void {
  const { kind, title = "", message = "", command, files, fields, diff } = asked;
  if (kind === "question") return message === "" ? undefined : lines.quote(message);
  const said = [
    ...(command === undefined ? files.map((file) => `file: ${file}`) : [command.line]),
    ...(command?.directory === undefined ? [] : [`in ${command.directory}`]),
    ...fields.map(fieldText),
  ];
  for (const text of said) lines.rows(exactRows(text, ENDLESS, theme));
  const hidden = said.reduce((sum, text) => sum + countHidden(text), 0);
  if (hidden > 0)
    lines.say(`It holds ${hidden} hidden ${hidden === 1 ? "character" : "characters"}, read as U+ names.`);
  if (title !== "") lines.say(`It says: ${title}`);
  if (diff === undefined) return;
  lines.say(`It would add ${diff.added} and remove ${diff.removed} ${diff.removed === 1 ? "line" : "lines"}:`);
  lines.rows(diffRows(diff.text, ENDLESS, theme));
}

function timeWords({ ts, timeoutMs, default: fallback }: OpenRequest, now: number): string {
  const then = fallback === false ? "it is denied" : fallback === null ? "no answer is given" : "the default is taken";
  return `Time to answer: ${spokenTime(ts + timeoutMs - now)}; after that ${then}.`;
}

interface Part {
  readonly takesWords: boolean;
  read(lines: SpokenLines): void;
  take(line: string): Taken;
}

function createPart(asked: OpenRequest): Part {
  const { request } = asked;
  switch (request.method) {
    case "select":
    case "approval":
      return choicePart(
        describeRequest(asked).choices.map(({ label, description, answer }) => ({ label, description, value: answer })),
      );
    case "confirm":
      return choicePart([
        { label: "Yes", value: true, letter: "y" },
        { label: "No", value: false, letter: "n" },
      ]);
    case "input":
      return wordsPart(request.placeholder === undefined ? "" : `For example: ${request.placeholder}`);
    case "editor":
      return editorPart(request.prefill ?? "");
    case "question":
      return questionPart(request.questions);
    default:
      return unknownPart();
  }
}

/** Of a later version: it can be heard, and left to whoever knows how to answer it. */
function unknownPart(): Part {
  return {
    takesWords: false,
    read: (lines) => lines.say("It cannot be answered here: q gives no answer, later leaves it open."),
    take: () => ({ kind: "no-answer", why: "It cannot be answered here." }),
  };
}

function choicePart(choices: readonly NumberedChoice<Json>[]): Part {
  return {
    takesWords: false,
    read: (lines) => numberedChoices(choices, lines, "Answer with a number, q for none, or later to leave it open."),
    take(line) {
      const read = readNumbers(line, choices);
      if ("why" in read) return { kind: "no-answer", why: read.why };
      const [only] = read.chosen;
      return only === undefined || read.chosen.length > 1 ? oneOnly(choices.length) : give(only.value);
    },
  };
}

function wordsPart(example: string): Part {
  return {
    takesWords: true,
    read(lines) {
      if (example !== "") lines.say(example);
      lines.say("Answer with a line, q for none, or later to leave it open.");
    },
    take: (line) => (line === "" ? { kind: "no-answer", why: "That line is empty." } : give(line)),
  };
}

function editorPart(prefill: string): Part {
  const keep = prefill === "" ? "" : " An empty line keeps it as it is.";
  return {
    takesWords: true,
    read(lines) {
      if (prefill !== "") lines.say("The text so far:");
      lines.quote(prefill);
      lines.say(`Answer with the new text; a line that ends in \\ goes on in the next.${keep} q for none, or later.`);
    },
    take: (line) =>
      line === "" && prefill === ""
        ? { kind: "no-answer", why: "That line is empty." }
        : give(line === "" ? prefill : line),
  };
}

type Questions = Extract<UiRequestBody, { method: "question" }>["questions"];

function questionPart(questions: Questions): Part {
  const given: { id: string; answer: QuestionAnswer; words: string }[] = [];
  const current = () => questions[given.length];
  return {
    takesWords: questions.some(({ freeText, options }) => freeText || options.length === 0),
    read(lines) {
      const question = current();
      if (question === undefined) return;
      const count = questions.length > 1 ? `Question ${given.length + 1} of ${questions.length}: ` : "";
      lines.say(`${count === "" ? "Question: " : count}${question.text}`);
      numberedChoices(question.options, lines, howToAnswer(question));
    },
    take(line) {
      const question = current();
      if (question === undefined) return { kind: "no-answer", why: "It is answered already." };
      const answer = createQuestionAnswers(question);
      const words = takeQuestion(question, answer, line);
      if (typeof words === "object") return words;
      given.push({ id: question.id, answer, words });
      if (current() !== undefined) return { kind: "next" };
      return give(
        Object.fromEntries(
          given.flatMap((one) => {
            const value = one.answer.value(one.words);
            return value === undefined ? [] : [[one.id, value] as const];
          }),
        ),
      );
    },
  };
}

function howToAnswer({ options, multiple, freeText }: Questions[number]): string {
  const numbers = options.length === 0 ? [] : [multiple ? "numbers with commas between" : "a number"];
  const words = freeText || options.length === 0 ? ["words of your own"] : [];
  return `Answer with ${[...numbers, ...words].join(" or ")}; an empty line skips it, q gives no answer at all.`;
}

/** The words of the user's own, "" when numbers were chosen or the question was skipped. */
function takeQuestion({ options, multiple, freeText }: Questions[number], answer: QuestionAnswer, line: string) {
  if (line.trim() === "") return "";
  const read = readNumbers(line, options);
  if ("why" in read) {
    return freeText || options.length === 0 ? line : ({ kind: "no-answer", why: read.why } as const);
  }
  if (!multiple && read.chosen.length > 1) return oneOnly(options.length);
  for (const { value } of read.chosen) if (!answer.has(value)) answer.toggle(value);
  return "";
}

function give(result: Json): Taken {
  return { kind: "answer", result };
}

function oneOnly(count: number): Taken {
  return { kind: "no-answer", why: `Only one can be chosen, from 1 to ${count}.` };
}
