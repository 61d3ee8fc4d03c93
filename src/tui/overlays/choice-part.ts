/** One of several: for select, confirm and approval. A number picks at once, Enter picks what is marked. */
import { parseKey } from "@earendil-works/pi-tui";
import type { Json } from "../../protocol/index.ts";
import {
  choiceByDigit,
  choiceRows,
  layOutChoices,
  listStep,
  moveChoice,
  type ChoiceRows,
  type LaidOutChoices,
} from "./choice-rows.ts";
import type { OverlaySurface } from "./overlay-surface.ts";
import type { GiveAnswer, RequestPart } from "./request-part.ts";

export interface AnswerChoice {
  readonly label: string;
  readonly description?: string | undefined;
  readonly answer: Json;
  /** A letter that picks it as well. */
  readonly letter?: string;
}

/** Rows are measured up to here; a longer list scrolls in any case. */
const MEASURED_MAX = 50;

export function createChoicePart(
  surface: OverlaySurface,
  { choices, give, cancelHint }: { choices: readonly AnswerChoice[]; give: GiveAnswer; cancelHint: string },
): RequestPart {
  let at = 0;
  let laidOut: Pick<LaidOutChoices, "indexAt" | "isShown"> = { indexAt: () => undefined, isShown: () => true };

  function list({ width, height }: { width: number; height: number }): ChoiceRows {
    return {
      theme: surface.theme,
      width,
      height,
      count: choices.length,
      at,
      choice: (index) => ({
        label: choices[index]?.label ?? "",
        description: choices[index]?.description,
        mark: `${index + 1}. `,
      }),
    };
  }

  function pick(index: number): void {
    const choice = choices[index];
    if (choice === undefined) return;
    at = index;
    give(choice.answer);
  }

  return {
    focused: false,
    hints: ["Enter choose", cancelHint, "1–9 pick", "↑↓ move"],
    rowsWanted: (width) => choiceRows(list({ width, height: MEASURED_MAX })).length,
    rows(size) {
      const drawn = layOutChoices(list(size));
      laidOut = drawn;
      return [...drawn.rows];
    },
    click(row) {
      const index = laidOut.indexAt(row);
      if (index !== undefined) pick(index);
    },
    handleInput(data) {
      const key = parseKey(data);
      const byLetter = choices.findIndex(({ letter }) => letter !== undefined && letter === key);
      const index = byLetter === -1 ? choiceByDigit(key, choices.length) : byLetter;
      // What has not been seen is not picked; it is shown first.
      if (index !== undefined && !laidOut.isShown(index)) at = index;
      else if (index !== undefined) pick(index);
      else if (key === "enter") pick(at);
      else {
        const step = listStep(key, { hasLetters: true });
        if (step === undefined) return false;
        at = moveChoice(at, step, choices.length);
      }
      return true;
    },
  };
}
