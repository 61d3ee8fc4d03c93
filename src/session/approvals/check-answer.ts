/** Validates an answer against its request; the error says what would be valid. */
import { isDenial, RoundtableError, type Json, type UiRequestBody } from "../../protocol/index.ts";
import { ANSWER_BYTES_MAX } from "../limits.ts";

type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];

export function checkAnswer(request: UiRequestBody, result: Json, reason?: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes > ANSWER_BYTES_MAX) {
    throw new RoundtableError("too_large", `The answer has ${bytes} bytes; the limit is ${ANSWER_BYTES_MAX}.`);
  }
  const problem = problemWith(request, result) ?? problemWithReason(request, result, reason);
  if (problem !== undefined) {
    throw new RoundtableError("bad_command", `"${request.title}" was not answered: ${problem}`);
  }
}

function problemWithReason(request: UiRequestBody, result: Json, reason: string | undefined): string | undefined {
  if (reason === undefined || (request.method === "approval" && isDenial(request, result))) return undefined;
  return "a reason is accepted only when an approval is denied.";
}

function problemWith(request: UiRequestBody, result: Json): string | undefined {
  switch (request.method) {
    case "confirm":
      return typeof result === "boolean" || result === null
        ? undefined
        : "the answer to a confirmation must be true or false, or null for none.";
    case "input":
    case "editor":
      return typeof result === "string" || result === null ? undefined : "the answer must be text, or null for none.";
    case "select":
      return result === null || isOption(request.options, result)
        ? undefined
        : `the answer must be one of ${listed(request.options)}, or null for none.`;
    case "approval":
      return result === false || isOption(request.options, result)
        ? undefined
        : `the answer must be one of ${listed(request.options)}, or false to deny.`;
    case "question":
      return problemWithAnswers(request.questions, result);
    default:
      return undefined;
  }
}

function problemWithAnswers(questions: readonly Question[], result: Json): string | undefined {
  if (result === null) return undefined;
  if (typeof result !== "object" || Array.isArray(result)) {
    return "the answer to questions must be an object with an answer per question id, or null for none.";
  }
  for (const [id, answer] of Object.entries(result)) {
    const question = questions.find((one) => one.id === id);
    if (question === undefined) return `there is no question "${id}".`;
    const answers = question.multiple && Array.isArray(answer) ? answer : [answer];
    const fits = answers.every(
      (one) => typeof one === "string" && (question.freeText || isOption(question.options, one)),
    );
    if (!fits) return `question "${id}" takes ${question.freeText ? "text" : `one of ${listed(question.options)}`}.`;
  }
  return undefined;
}

function isOption(options: readonly { value: string }[], value: Json): boolean {
  return options.some((option) => option.value === value);
}

function listed(options: readonly { value: string }[]): string {
  return options.map((option) => JSON.stringify(option.value)).join(", ");
}
