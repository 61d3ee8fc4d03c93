/** One of several: for select, confirm and approval. Its key picks at once, Enter picks what is marked. */
import { parseKey } from "@earendil-works/pi-tui";
import { choiceByKey, type RequestChoice } from "../../transcript/index.ts";
import {
  choiceRows,
  layOutChoices,
  listStep,
  moveChoice,
  type ChoiceRows,
  type LaidOutChoices,
} from "./choice-rows.ts";
import type { OverlaySurface } from "./overlay-surface.ts";
import type { GiveAnswer, RequestPart } from "./request-part.ts";
import { createLineField, type LineField } from "./safe-field.ts";

export interface ChoicePartOptions {
  readonly choices: readonly RequestChoice[];
  readonly give: GiveAnswer;
  /** Most important first; what Escape does is among them. */
  readonly hints: readonly string[];
  /** Letters stand before the choices instead of numbers. */
  readonly hasLetters?: boolean;
  /** Who is told why something is denied. */
  readonly member?: string;
}

/** Rows are measured up to here; a longer list scrolls in any case. */
const MEASURED_MAX = 50;
/** Labels are short in less than this. */
const WIDE_COLUMNS = 56;
const WHY_HINTS = ["Enter deny and send", "Esc back to the choices"];

export function createChoicePart(surface: OverlaySurface, options: ChoicePartOptions): RequestPart {
  const { choices, give, hints, hasLetters = false, member = "the agent" } = options;
  let at = 0;
  let laidOut: Pick<LaidOutChoices, "indexAt" | "isShown"> = { indexAt: () => undefined, isShown: () => true };
  /** Open while the user says why. */
  let why: { readonly choice: RequestChoice; readonly field: LineField } | undefined;
  let isFocused = false;

  function list({ width, height }: { width: number; height: number }): ChoiceRows {
    return {
      theme: surface.theme,
      width,
      height,
      count: choices.length,
      at,
      choice(index) {
        const { label = "", short = label, description, keys = [] } = choices[index] ?? {};
        const [digit = " ", letter = digit] = keys;
        const mark = hasLetters ? `${letter}  ` : `${digit}. `;
        return { label: width < WIDE_COLUMNS ? short : label, description, mark };
      },
    };
  }

  function pick(choice: RequestChoice | undefined): void {
    if (choice === undefined) return;
    at = choices.indexOf(choice);
    if (choice.takesReason !== true) return give(choice.answer);
    const field = createLineField(surface);
    field.focused = isFocused;
    why = { choice, field };
  }

  function handleWhy({ choice, field }: NonNullable<typeof why>, data: string): boolean {
    const key = parseKey(data);
    if (key === "pageUp" || key === "pageDown") return false;
    const reason = field.text.trim();
    if (key === "enter") give(choice.answer, reason === "" ? undefined : reason);
    else field.handleInput(data);
    return true;
  }

  return {
    get focused() {
      return isFocused;
    },
    set focused(value) {
      isFocused = value;
      if (why !== undefined) why.field.focused = value;
    },
    get hints() {
      return why === undefined ? hints : WHY_HINTS;
    },
    get problem() {
      return why?.field.problem;
    },
    rowsWanted: (width) => (why === undefined ? choiceRows(list({ width, height: MEASURED_MAX })).length : 2),
    rows(size) {
      if (why !== undefined) {
        const rows = [surface.theme.paint("dim", `Deny, and tell ${member}:`), why.field.row(size.width)];
        return rows.slice(-size.height);
      }
      const drawn = layOutChoices(list(size));
      laidOut = drawn;
      return [...drawn.rows];
    },
    stepBack() {
      const wasOpen = why !== undefined;
      why = undefined;
      return wasOpen;
    },
    click(row) {
      const index = why === undefined ? laidOut.indexAt(row) : undefined;
      if (index !== undefined) pick(choices[index]);
    },
    handleInput(data) {
      if (why !== undefined) return handleWhy(why, data);
      const key = parseKey(data);
      const choice = choiceByKey(choices, key);
      const index = choice === undefined ? -1 : choices.indexOf(choice);
      // What has not been seen is not picked; it is shown first.
      if (index !== -1 && !laidOut.isShown(index)) at = index;
      else if (index !== -1) pick(choice);
      else if (key === "enter") pick(choices[at]);
      else {
        const step = listStep(key, { hasLetters: true });
        if (step === undefined) return false;
        at = moveChoice(at, step, choices.length);
      }
      return true;
    },
  };
}
