/** Which part answers which request. */
import type { UiRequestBody } from "../../protocol/index.ts";
import type { RequestChoice } from "../../transcript/index.ts";
import { createChoicePart } from "./choice-part.ts";
import { createEditorPart } from "./editor-part.ts";
import { createLinePart } from "./line-part.ts";
import type { OverlaySurface } from "./overlay-surface.ts";
import { createQuestionPart } from "./question-part.ts";
import type { GiveAnswer, RequestPart } from "./request-part.ts";

export interface PartOptions {
  readonly request: UiRequestBody;
  readonly choices: readonly RequestChoice[];
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
  readonly give: GiveAnswer;
  readonly onProblem: (message: string) => void;
}

export function createPart(
  surface: OverlaySurface,
  { request, choices, editText, give, onProblem }: PartOptions,
): RequestPart {
  switch (request.method) {
    case "select":
      return createChoicePart(surface, { choices, give, cancelHint: "Esc no answer" });
    case "approval":
      return createChoicePart(surface, { choices, give, cancelHint: "Esc deny" });
    case "confirm":
      return createChoicePart(surface, { choices: YES_NO, give, cancelHint: "Esc no" });
    case "input":
      return createLinePart(surface, { placeholder: request.placeholder, give });
    case "editor":
      return createEditorPart(surface, { prefill: request.prefill, editText, give, onProblem });
    case "question":
      return createQuestionPart(surface, { questions: request.questions, give });
    default:
      // Of a later version: it can be read, and left to whoever knows how to answer it.
      return createChoicePart(surface, { choices: [], give, cancelHint: "Esc no answer" });
  }
}

const YES_NO = [
  { label: "Yes", answer: true, letter: "y" },
  { label: "No", answer: false, letter: "n" },
] as const;
