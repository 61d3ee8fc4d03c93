/** The part for each kind of request. */
import { parseKey } from "@earendil-works/pi-tui";
import type { UiRequestBody } from "../../../protocol/index.ts";
import type { RequestChoice } from "../../../transcript/index.ts";
import type { OverlaySurface } from "../overlay-surface.ts";
import { createLineField } from "../safe-field.ts";
import { createChoicePart } from "./choice-part.ts";
import { createEditorPart } from "./editor-part.ts";
import type { GiveAnswer, RequestPart } from "./part.ts";
import { createQuestionPart } from "./question-part.ts";

export interface PartOptions {
  readonly member: string;
  readonly memberColour?: string | undefined;
  readonly request: UiRequestBody;
  readonly choices: readonly RequestChoice[];
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
  readonly give: GiveAnswer;
  readonly onProblem: (message: string) => void;
}

export function createPart(
  surface: OverlaySurface,
  { member, memberColour, request, choices, editText, give, onProblem }: PartOptions,
): RequestPart {
  switch (request.method) {
    case "select":
      return createChoicePart(surface, { choices, give, hints: choiceHints(choices, "Esc cancel") });
    case "approval":
      return createChoicePart(surface, {
        choices,
        give,
        member: { name: member, colour: memberColour },
        hints: approvalHints(choices),
      });
    case "confirm":
      return createChoicePart(surface, { choices, give, hints: choiceHints(choices, "Esc cancel") });
    case "input":
      return createLinePart(surface, { placeholder: request.placeholder, give });
    case "editor":
      return createEditorPart(surface, { prefill: request.prefill, editText, give, onProblem });
    case "question":
      return createQuestionPart(surface, { questions: request.questions, give });
    default:
      // A request of a later version can be read, and is left to a client that knows it.
      return createChoicePart(surface, { choices: [], give, hints: ["Esc cancel"] });
  }
}

function choiceHints({ length }: readonly RequestChoice[], cancel: string): string[] {
  return ["Enter choose", `1–${Math.min(9, length)} pick`, "↑\u00a0↓ move", cancel];
}

function approvalHints(choices: readonly RequestChoice[]): string[] {
  const letters = choices.flatMap(({ keys: [digit = "", letter = digit] }) => letter);
  return [
    `${letters.join("\u00a0")} choose`,
    "↑\u00a0↓\u00a0Enter move, choose",
    "v details",
    "Tab add a note",
    "Alt+I all requests",
    "Esc decide later",
  ];
}

/** A line of text: for input. Enter sends it, even when empty. */
function createLinePart(
  surface: OverlaySurface,
  { placeholder, give }: { placeholder?: string | undefined; give: GiveAnswer },
): RequestPart {
  const field = createLineField(surface, placeholder === undefined ? {} : { placeholder });
  return {
    hints: ["Enter send", "Esc cancel"],
    rowsWanted: () => 1,
    rows: ({ width, margin = 0 }) => [" ".repeat(margin) + field.row(width)],
    get problem() {
      return field.problem;
    },
    handleInput(data) {
      const key = parseKey(data);
      if (key === "pageUp" || key === "pageDown") return false;
      if (key === "enter") give(field.text);
      else field.handleInput(data);
      return true;
    },
    get focused() {
      return field.focused;
    },
    set focused(isFocused) {
      field.focused = isFocused;
    },
  };
}
