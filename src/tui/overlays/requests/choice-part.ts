/** A single choice: for select, confirm and approval. Its key picks at once, Enter picks the marked one. */
import { parseKey } from "@earendil-works/pi-tui";
import { choiceByKey, type RequestChoice } from "../../../transcript/index.ts";
import {
  choiceRows,
  layOutChoices,
  listStep,
  moveChoice,
  type ChoiceRows,
  type LaidOutChoices,
} from "../lists/choice-rows.ts";
import type { OverlaySurface } from "../overlay-surface.ts";
import type { GiveAnswer, PartSize, RequestPart } from "./part.ts";
import { createLineField, type LineField } from "../safe-field.ts";

export interface ChoicePartOptions {
  readonly choices: readonly RequestChoice[];
  readonly give: GiveAnswer;
  /** Most important first; includes what Escape does. */
  readonly hints: readonly string[];
  /** Letters instead of numbers before the choices. */
  readonly hasLetters?: boolean;
  /** The member that gets the reason of a denial. */
  readonly member?: string;
}

/** Choices measured for the height; longer lists scroll anyway. */
const MEASURED_MAX = 50;
/** Below this width labels are short. */
const WIDE_COLUMNS = 56;
const WHY_HINTS = ["Enter deny and send", "Esc back to the choices"];

export function createChoicePart(surface: OverlaySurface, options: ChoicePartOptions): RequestPart {
  return new ChoicePart(surface, options);
}

class ChoicePart implements RequestPart {
  readonly #surface: OverlaySurface;
  readonly #options: ChoicePartOptions;
  #at = 0;
  #laidOut: Pick<LaidOutChoices, "indexAt" | "isShown"> = { indexAt: () => undefined, isShown: () => true };
  /** Set while the user types a reason. */
  #why: { readonly choice: RequestChoice; readonly field: LineField } | undefined;
  #isFocused = false;

  constructor(surface: OverlaySurface, options: ChoicePartOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    if (this.#why !== undefined) this.#why.field.focused = isFocused;
  }

  get hints(): readonly string[] {
    return this.#why === undefined ? this.#options.hints : WHY_HINTS;
  }

  get isWriting(): boolean {
    return this.#why !== undefined;
  }

  get problem(): string | undefined {
    return this.#why?.field.problem;
  }

  rowsWanted(width: number): number {
    return this.#why === undefined ? choiceRows(this.#list({ width, height: MEASURED_MAX })).length : 2;
  }

  rows(size: PartSize): string[] {
    if (this.#why !== undefined) {
      const label = this.#surface.theme.paint("quiet", `Deny, and tell ${this.#options.member ?? "the agent"}:`);
      return [label, this.#why.field.row(size.width)].slice(-size.height);
    }
    const drawn = layOutChoices(this.#list(size));
    this.#laidOut = drawn;
    return [...drawn.rows];
  }

  stepBack(): boolean {
    const wasOpen = this.#why !== undefined;
    this.#why = undefined;
    return wasOpen;
  }

  click(row: number): void {
    const index = this.#why === undefined ? this.#laidOut.indexAt(row) : undefined;
    if (index !== undefined) this.#pick(this.#options.choices[index]);
  }

  handleInput(data: string): boolean {
    if (this.#why !== undefined) return this.#writeWhy(this.#why, data);
    const { choices } = this.#options;
    const key = parseKey(data);
    const choice = choiceByKey(choices, key);
    const index = choice === undefined ? -1 : choices.indexOf(choice);
    // A hidden choice is shown first instead of picked.
    if (index !== -1 && !this.#laidOut.isShown(index)) this.#at = index;
    else if (index !== -1) this.#pick(choice);
    else if (key === "enter") this.#pick(choices[this.#at]);
    else {
      const step = listStep(key, { hasLetters: true });
      if (step === undefined) return false;
      this.#at = moveChoice(this.#at, step, choices.length);
    }
    return true;
  }

  #writeWhy({ choice, field }: { choice: RequestChoice; field: LineField }, data: string): boolean {
    const key = parseKey(data);
    if (key === "pageUp" || key === "pageDown") return false;
    const reason = field.text.trim();
    if (key === "enter") this.#options.give(choice.answer, reason === "" ? undefined : reason);
    else field.handleInput(data);
    return true;
  }

  #pick(choice: RequestChoice | undefined): void {
    if (choice === undefined) return;
    this.#at = this.#options.choices.indexOf(choice);
    if (choice.takesReason !== true) return this.#options.give(choice.answer);
    const field = createLineField(this.#surface);
    field.focused = this.#isFocused;
    this.#why = { choice, field };
  }

  #list({ width, height }: PartSize): ChoiceRows {
    const { choices, hasLetters = false } = this.#options;
    return {
      theme: this.#surface.theme,
      width,
      height,
      count: choices.length,
      at: this.#at,
      choice(index) {
        const { label = "", short = label, description, keys = [] } = choices[index] ?? {};
        const [digit = " ", letter = digit] = keys;
        const mark = hasLetters ? `${letter}  ` : `${digit}. `;
        return { label: width < WIDE_COLUMNS ? short : label, description, mark };
      },
    };
  }
}
