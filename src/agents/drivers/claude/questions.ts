/** The program's own questions to the user (its tool AskUserQuestion), and the answers in the form it wants. */
import type { UiRequestBody } from "../../../protocol/index.ts";
import type { AnswerResult } from "../../port.ts";
import { asFields, asRecords, asText, asTexts, type Fields } from "../../record-fields.ts";
import { deny } from "./permissions.ts";

type Question = Extract<UiRequestBody, { method: "question" }>;

export const QUESTION_TOOL = "AskUserQuestion";

/** Undefined when nothing in it can be asked. */
export function questionRequest(input: Fields): Question | undefined {
  const questions = asRecords(input["questions"]).map((one, at) => ({
    id: String(at + 1),
    text: asText(one["question"]) ?? "",
    options: asRecords(one["options"]).flatMap(optionOf),
    multiple: one["multiSelect"] === true,
    freeText: true,
  }));
  if (questions.length === 0 || questions.some((one) => one.text === "")) return undefined;
  const headers = asRecords(input["questions"]).map((one) => asText(one["header"]) ?? "");
  const title = headers.filter((header) => header !== "").join(", ");
  return { method: "question", title: title === "" ? "A question" : title, questions };
}

/** The program wants the answers by the text of the question, several choices of one question in one text. */
export function questionAnswer(input: Fields, { result, error }: AnswerResult): Fields {
  const given = asFields(result);
  if (error !== null || given === undefined) return deny("The user did not answer. Decide yourself, or go on without.");
  const answers = Object.fromEntries(
    asRecords(input["questions"]).flatMap((one, at) => {
      const value = given[String(at + 1)];
      const text = typeof value === "string" ? value : asTexts(value).join(", ");
      return text === "" ? [] : [[asText(one["question"]) ?? "", text]];
    }),
  );
  return { behavior: "allow", updatedInput: { ...input, answers } };
}

function optionOf(option: Fields): { label: string; value: string; description?: string }[] {
  const label = asText(option["label"]);
  if (label === undefined) return [];
  const description = asText(option["description"]);
  return [{ label, value: label, ...(description === undefined ? {} : { description }) }];
}
